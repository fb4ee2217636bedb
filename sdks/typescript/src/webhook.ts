// Signatures of webhooks as Standard Webhooks says: HMAC-SHA256 over `id.timestamp.body`.
import { createHmac, timingSafeEqual } from "node:crypto";
import { InvalidSignature } from "./errors.js";

const TOLERANCE_S = 300;
const SIGNATURES_MAX = 16;

/** Headers of Node, of `fetch`, or as a plain object; names in any case. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** The value of `webhook-signature`. `secret` is `whsec_…`; `timestamp` counts seconds. */
export function signWebhook(secret: string, id: string, timestamp: number, body: string | Uint8Array): string {
  return `v1,${mac(secret, id, String(timestamp), body).toString("base64")}`;
}

/** All three headers of a signed request, for tests of receivers. */
export function signedHeaders(
  secret: string,
  id: string,
  body: string | Uint8Array,
  now = new Date(),
): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1_000);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signWebhook(secret, id, timestamp, body),
  };
}

/**
 * Throws `InvalidSignature` unless one of the signatures matches the exact body received, and its timestamp is within
 * five minutes of `now`. Pass all valid secrets during a rotation.
 */
export function verifyWebhook(
  secrets: string | readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array,
  now = new Date(),
): void {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const given = header(headers, "webhook-signature").split(" ");
  if (!/^\d{1,12}$/.test(timestamp)) throw new InvalidSignature("webhook-timestamp is not a number of seconds");
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > TOLERANCE_S) {
    throw new InvalidSignature("webhook-timestamp is more than five minutes away");
  }
  if (given.length > SIGNATURES_MAX) throw new InvalidSignature("too many signatures");
  let fits = false;
  for (const secret of typeof secrets === "string" ? [secrets] : secrets) {
    const expected = mac(secret, id, timestamp, body);
    for (const signature of given) {
      const [version, text = ""] = signature.split(",", 2);
      const bytes = Buffer.from(text, "base64");
      // All are looked at, so that the time says nothing of which fits.
      fits = (version === "v1" && bytes.length === expected.length && timingSafeEqual(bytes, expected)) || fits;
    }
  }
  if (!fits) throw new InvalidSignature("no signature matches");
}

function mac(secret: string, id: string, timestamp: string, body: string | Uint8Array): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (key.length === 0) throw new InvalidSignature("the secret is empty");
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}

function header(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== "string" || value === "") throw new InvalidSignature(`${name} is missing`);
  return value.trim();
}
