import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidSignature, signWebhook, signedHeaders, verifyWebhook } from "../src/index.js";

// The example of the Standard Webhooks specification.
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BODY = '{"test": 2432232314}';
const NOW = new Date(1614265330_000);

test("signatures are those of the specification", () => {
  const value = signWebhook(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, BODY);
  assert.equal(value, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("what is signed is accepted, with old secrets and other signatures beside", () => {
  const headers = signedHeaders(SECRET, "m1", BODY, NOW);
  verifyWebhook(SECRET, headers, BODY, NOW);
  verifyWebhook(["whsec_b3RoZXI=", SECRET], new Headers(headers), Buffer.from(BODY), NOW);
  headers["webhook-signature"] = `v1a,xx v1,b3RoZXI= ${String(headers["webhook-signature"])}`;
  verifyWebhook(SECRET, headers, BODY, NOW);
});

test("everything else is refused", () => {
  const good = signedHeaders(SECRET, "m1", BODY, NOW);
  const many = Array(17).fill(good["webhook-signature"]).join(" ");
  const refused: [Record<string, string>, string, Date][] = [
    [good, BODY + " ", NOW],
    [good, BODY, new Date(NOW.getTime() + 301_000)],
    [good, BODY, new Date(NOW.getTime() - 301_000)],
    [{ ...good, "webhook-id": "m2" }, BODY, NOW],
    [{ ...good, "webhook-timestamp": "1614265331" }, BODY, NOW],
    [{ ...good, "webhook-timestamp": "+1614265330" }, BODY, NOW],
    [{ ...good, "webhook-signature": "" }, BODY, NOW],
    [{ ...good, "webhook-signature": "v1," }, BODY, NOW],
    [{ ...good, "webhook-signature": many }, BODY, NOW],
  ];
  for (const [headers, body, now] of refused) {
    assert.throws(() => verifyWebhook(SECRET, headers, body, now), InvalidSignature);
  }
});
