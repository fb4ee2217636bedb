"""Requests signed as providers sign them, by code that is not the server's: one JSON line for each case.

Where a provider's library signs, it does; where it only verifies, the standard library signs and the provider's library
has to agree before the line is printed. Nothing here knows how the server verifies.

    sign.py NONCE

A line is
    {name, by, endpoint, query, signature, needed, list, input, event, accepted, again, also, refused, handshakes}
where `endpoint` is what the endpoint is created with, `accepted` a request to accept, `again` the same delivery signed
anew, `also` further ones to accept, `refused` those to refuse with a status, and `handshakes` questions and their
answers. A request is {why, headers: [[name, value]], body: base64}.
"""

import base64
import hashlib
import hmac
import json
import sys
import time
from datetime import datetime, timezone
from types import SimpleNamespace
from urllib.parse import urlencode

import discord_interactions
import gidgethub.sansio
import nacl.signing
import razorpay.errors
import razorpay.utility
import slack_sdk.signature
import standardwebhooks
import stripe
import twilio.request_validator
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from hubspot.utils.signature import Signature as HubSpotSignature
from paddle_billing.Notifications import Secret as PaddleSecret
from paddle_billing.Notifications import Verifier as PaddleVerifier
from sendgrid.helpers.eventwebhook import EventWebhook
from square.utils.webhooks_helper import verify_signature as verify_square

NONCE = sys.argv[1]
NOW = int(time.time())
SECRET = "kP8-a-secret-of-the-tests-" + NONCE
OTHER = "kP8-another-secret-entirely-" + NONCE


def mac(key, message, algorithm="sha256"):
    key = key.encode() if isinstance(key, str) else key
    message = message.encode() if isinstance(message, str) else message
    return hmac.new(key, message, algorithm).digest()


def b64(data):
    return base64.b64encode(data).decode()


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def spaced(value):
    """JSON as nobody would write it again: whoever parses and prints it signs something else."""
    return json.dumps(value, separators=(" , ", ":  "), ensure_ascii=True).encode() + b"\n"


def request(why, headers, body, **more):
    return {"why": why, "headers": [list(pair) for pair in headers], "body": b64(body), **more}


JSON = ("Content-Type", "application/json")


def times(unit):
    """Texts of times that must be refused, each signed as it stands."""
    scale = 1000 if unit == "ms" else 1
    now = NOW * scale
    wrong_unit = str(NOW) if unit == "ms" else str(NOW * 1000)
    return [
        ("an old time", str(now - 3600 * scale)),
        ("a time in the future", str(now + 3600 * scale)),
        ("a time with an exponent", "1e9"),
        ("a time with a sign", f"+{now}"),
        ("a negative time", "-5"),
        ("a time with a fraction", f"{now}.5"),
        ("a time in the wrong unit", wrong_unit),
        ("a time that overflows", "99999999999999999999"),
        ("a time in hexadecimal", hex(now)),
        ("a time of no digits", "now"),
    ]


def case(name, by, endpoint, sign, check, make_body, *, signature, needed=None, dated=None, query=None,
         separator=None, extra=(JSON,), event=None, to_input=None, also=(), refused=(), handshakes=(), secret=SECRET,
         other=OTHER, again=True):
    """Prints a case. `sign(body, secret, time)` gives the headers of the signature, `check(body, headers, secret)` is
    the provider's own opinion of them."""
    now = str(NOW * 1000) if dated == "ms" else str(NOW)
    body = make_body(NONCE)

    def signed(why, body, secret=secret, time=now, **more):
        headers = sign(body, secret, time)
        return headers, request(why, [*extra, *headers], body, **more)

    headers, accepted = signed("as it should be", body)
    if check is not None and not check(body, dict(headers), secret):
        sys.exit(f"{name}: {by} does not accept what was signed for it")
    refusals = [signed("signed with another secret", body, secret=other, status=401)[1], *refused]
    if dated:
        refusals += [signed(why, body, time=text, status=401)[1] for why, text in times(dated)]
    earlier = str(int(now) - (1000 if dated == "ms" else 1))
    line = {
        "name": name, "by": by, "endpoint": {**endpoint, "secrets": endpoint.get("secrets", [secret])},
        "query": query, "signature": signature, "needed": needed or [signature], "separator": separator,
        "event": event, "input": (to_input or json.loads)(body), "accepted": accepted,
        "again": signed("the same delivery, signed anew", body, time=earlier)[1] if dated and again else None,
        "also": list(also), "refused": refusals, "handshakes": list(handshakes),
    }
    print(json.dumps(line))


def boxed(body):
    """A body that is no JSON object reaches the workflow in a field."""
    return {"body": json.loads(body)}


def stripe_case():
    def sign(body, secret, time):
        return [("Stripe-Signature", stripe.WebhookSignature.generate_signature_header(body.decode(), secret, time))]

    def check(body, headers, secret):
        stripe.Webhook.construct_event(body, headers["Stripe-Signature"], secret)
        return True

    def body(nonce):
        return spaced({"id": f"evt_{nonce}", "object": "event", "type": "invoice.paid", "data": {"object": {"é": 1}}})

    def mixed(nonce, *parts):
        text = body(nonce)
        good, bad = (sign(text, key, str(NOW))[0][1].split(",")[1] for key in (SECRET, OTHER))
        values = {"good": good, "bad": bad, "v0": good.replace("v1=", "v0=")}
        return [JSON, ("Stripe-Signature", ",".join([f"t={NOW}", *(values[part] for part in parts)]))], text

    headers, text = mixed(NONCE + "r", "bad", "good", "v0")
    only_v0, same = mixed(NONCE, "v0")
    twice, _ = mixed(NONCE, "good")
    twice = [JSON, ("Stripe-Signature", f"t={NOW - 1}," + twice[1][1])]
    case("stripe", "stripe (signs and verifies)", {"provider": "stripe"}, sign, check, body, signature="Stripe-Signature",
         dated="s", separator=",", event="invoice.paid",
         also=[request("a second signature during a rotation", headers, text)],
         refused=[request("only the weaker scheme", only_v0, same, status=401),
                  request("two times", twice, same, status=401)])


def slack_case():
    def sign(body, secret, time):
        signature = slack_sdk.signature.SignatureVerifier(secret).generate_signature(timestamp=time, body=body)
        return [("X-Slack-Request-Timestamp", time), ("X-Slack-Signature", signature)]

    def check(body, headers, secret):
        return slack_sdk.signature.SignatureVerifier(secret).is_valid_request(body, headers)

    def body(nonce):
        return compact({"type": "event_callback", "event_id": f"Ev{nonce}", "event": {"type": "app_mention", "text": "ü"}})

    def question(challenge, **answer):
        text = compact({"type": "url_verification", "token": "t", "challenge": challenge})
        return request(f"a challenge of {len(challenge)} characters", [JSON, *sign(text, SECRET, str(NOW))], text, **answer)

    plain = "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"
    case("slack", "slack_sdk (signs and verifies)", {"provider": "slack"}, sign, check, body, dated="s",
         signature="X-Slack-Signature", needed=["X-Slack-Signature", "X-Slack-Request-Timestamp"], event="app_mention",
         handshakes=[question(plain, status=200, type="text/plain; charset=utf-8", text=plain),
                     question("a" * 10240, status=400), question("<script>alert(1)</script>", status=400),
                     question("", status=400)])


def standard_sign(prefix="webhook", message_id=None):
    def sign(body, secret, time):
        key = base64.b64decode(secret.removeprefix("whsec_"))
        at = message_id or f"msg_{NONCE}"
        own = b64(mac(key, f"{at}.{time}.".encode() + body))
        if time.isdecimal() and abs(int(time) - NOW) < 86400:
            instant = datetime.fromtimestamp(int(time), timezone.utc)
            if standardwebhooks.Webhook(secret).sign(at, instant, body.decode()) != f"v1,{own}":
                sys.exit("standardwebhooks signs otherwise")
        return [(f"{prefix}-id", at), (f"{prefix}-timestamp", time), (f"{prefix}-signature", f"v1,{own}")]

    return sign


def standard_check(body, headers, secret):
    standardwebhooks.Webhook(secret).verify(body, headers)
    return True


def standard_cases():
    secret, other = ("whsec_" + b64(hashlib.sha256(text.encode()).digest()) for text in (SECRET, OTHER))
    needed = ["webhook-signature", "webhook-timestamp", "webhook-id"]

    def body(nonce):
        return spaced({"type": "user.created", "data": {"id": nonce, "name": "Zoë"}})

    text = body(NONCE + "r")
    good, bad = (standard_sign(message_id=f"msg_{NONCE}r")(text, key, str(NOW)) for key in (secret, other))
    rotated = [JSON, good[0], good[1], ("webhook-signature", f"v2,AAAA {bad[2][1]} {good[2][1]}")]
    unknown = [JSON, good[0], good[1], ("webhook-signature", good[2][1].replace("v1,", "v2,"))]
    moved = [JSON, ("webhook-id", good[0][1] + "." + str(NOW)), good[1], good[2]]
    case("standard", "standardwebhooks (signs and verifies)", {"provider": "standard"}, standard_sign(), standard_check,
         body, dated="s", signature="webhook-signature", needed=needed, separator=" ", event="user.created",
         secret=secret, other=other, also=[request("a second signature during a rotation", rotated, text)],
         refused=[request("only an unknown version", unknown, text, status=401),
                  request("an id that swallows the time", moved, text, status=401)])

    key, wrong = (nacl.signing.SigningKey(hashlib.sha256(text.encode()).digest()) for text in (SECRET, OTHER))

    def asymmetric(body, secret, time):
        message_id = f"msg_{NONCE}"
        signed = (key if secret == "right" else wrong).sign(f"{message_id}.{time}.".encode() + body)
        return [("webhook-id", message_id), ("webhook-timestamp", time),
                ("webhook-signature", "v1a," + b64(signed.signature))]

    public = "whpk_" + b64(bytes(key.verify_key))
    case("standard with a public key", "PyNaCl signs", {"provider": "standard", "secrets": [public]}, asymmetric, None,
         body, dated="s", signature="webhook-signature", needed=needed, separator=" ", event="user.created",
         secret="right", other="wrong")
    case("gitlab with a signing token", "standardwebhooks (signs and verifies)", {"provider": "gitlab"}, standard_sign(),
         standard_check, lambda nonce: compact({"object_kind": "push", "ref": nonce}), dated="s",
         signature="webhook-signature", needed=needed, separator=" ", extra=(JSON, ("X-Gitlab-Event", "Push Hook")),
         event="Push Hook", secret=secret, other=other)


def gitlab_case():
    def sign(_body, secret, _time):
        return [("X-Gitlab-Token", secret)]

    case("gitlab", "nothing to sign", {"provider": "gitlab"}, sign, None,
         lambda nonce: compact({"object_kind": "push", "ref": nonce}), signature="X-Gitlab-Token",
         extra=(JSON, ("X-Gitlab-Event", "Push Hook")), event="Push Hook")


def twilio_cases():
    url = "https://hooks.example.com/twilio"
    validator = twilio.request_validator.RequestValidator
    fields = {"MessageSid": f"SM{NONCE}", "Body": "Hej då & welcome", "SmsStatus": "received", "From": "+15005550006"}
    form = ("Content-Type", "application/x-www-form-urlencoded")
    moved = validator(SECRET).compute_signature("https://evil.example.com/twilio", fields)
    with_port = validator(SECRET).compute_signature("https://hooks.example.com:443/twilio", {**fields, "Body": "port"})

    def sign_form(algorithm, *settings):
        def sign(_body, secret, _time):
            return [*settings, ("X-Twilio-Signature", validator(secret).compute_signature(url, fields, algorithm))]

        return sign

    def check_form(algorithm):
        return lambda _body, headers, secret: validator(secret).validate(url, fields, headers["X-Twilio-Signature"], algorithm)

    def body(_nonce):
        return urlencode(fields).encode()

    common = {"make_body": body, "signature": "X-Twilio-Signature", "extra": (form,), "event": "received",
              "to_input": lambda _body: fields}
    case("twilio", "twilio (signs and verifies)", {"provider": "twilio", "publicUrl": url}, sign_form(None),
         check_form(None), **common,
         also=[request("signed with the default port", [form, ("X-Twilio-Signature", with_port)],
                       urlencode({**fields, "Body": "port"}).encode())],
         refused=[request("signed for another address", [form, ("X-Twilio-Signature", moved)], body(""), status=401),
                  request("a field more", [form, *sign_form(None)(None, SECRET, None)], body("") + b"&To=1", status=401)])
    case("twilio with a shared key", "twilio (signs and verifies)", {"provider": "twilio", "publicUrl": url},
         sign_form("HMAC_SHA256", ("X-Twilio-Webhooks-Signature-Settings", "key=k1,algorithm=HMAC_SHA256")),
         check_form("HMAC_SHA256"), **common)

    text = compact({"type": "call.ended", "sid": NONCE})
    query = "bodySHA256=" + hashlib.sha256(text).hexdigest()

    def sign_json(_body, secret, _time):
        return [("X-Twilio-Signature", validator(secret).compute_signature(f"{url}?{query}", {}))]

    def check_json(body, headers, secret):
        return validator(secret).validate(f"{url}?{query}", body.decode(), headers["X-Twilio-Signature"])

    case("twilio with JSON", "twilio (signs and verifies)", {"provider": "twilio", "publicUrl": url}, sign_json, check_json,
         lambda _nonce: text, query=query, signature="X-Twilio-Signature", event="call.ended")


def square_case():
    url = "https://hooks.example.com/square?shop=1"

    def sign(body, secret, _time):
        return [("x-square-hmacsha256-signature", b64(mac(secret, url.encode() + body)))]

    def check(body, headers, secret):
        return verify_square(request_body=body.decode(), signature_header=headers["x-square-hmacsha256-signature"],
                             signature_key=secret, notification_url=url)

    def body(nonce):
        return spaced({"event_id": nonce, "type": "payment.updated", "data": {"note": "ß"}})

    bare = b64(mac(SECRET, body(NONCE)))
    case("square", "squareup (verifies)", {"provider": "square", "publicUrl": url}, sign, check, body,
         signature="x-square-hmacsha256-signature", event="payment.updated",
         refused=[request("signed without the address", [JSON, ("x-square-hmacsha256-signature", bare)], body(NONCE),
                          status=401)])


def discord_case():
    key, wrong = (nacl.signing.SigningKey(hashlib.sha256(text.encode()).digest()) for text in (SECRET, OTHER))
    public = bytes(key.verify_key).hex()

    def sign(body, secret, time):
        signed = (key if secret == "right" else wrong).sign(time.encode() + body)
        return [("X-Signature-Ed25519", signed.signature.hex()), ("X-Signature-Timestamp", time)]

    def check(body, headers, _secret):
        return discord_interactions.verify_key(body, headers["X-Signature-Ed25519"], headers["X-Signature-Timestamp"], public)

    def body(nonce):
        return compact({"version": 1, "type": 1, "event": {"type": "APPLICATION_AUTHORIZED", "data": {"user": nonce}}})

    def ping(kind, **answer):
        text = compact({"version": 1, "application_id": "1", "type": kind})
        return request(f"a ping of type {kind}", [JSON, *sign(text, "right", str(NOW))], text, **answer)

    upper = [JSON, *((name, value.upper()) for name, value in sign(body(NONCE + "u"), "right", str(NOW)))]
    case("discord", "PyNaCl signs, discord-interactions verifies", {"provider": "discord", "secrets": [public]}, sign,
         check, body, dated="s", signature="X-Signature-Ed25519", event="APPLICATION_AUTHORIZED",
         needed=["X-Signature-Ed25519", "X-Signature-Timestamp"], secret="right", other="wrong",
         also=[request("in upper case", upper, body(NONCE + "u"))],
         handshakes=[ping(0, status=204, text=""), ping(1, status=200, type="application/json", text='{"type":1}')])


def hex_mac_check(body, signature, secret):
    """razorpay's verification of a plain HMAC in hexadecimal, which PagerDuty's is too."""
    try:
        razorpay.utility.Utility().verify_webhook_signature(body.decode(), signature, secret)
    except razorpay.errors.SignatureVerificationError:
        return False
    return True


def pagerduty_case():
    def sign(body, secret, _time):
        return [("X-PagerDuty-Signature", "v1=" + mac(secret, body).hex())]

    def body(nonce):
        return spaced({"event": {"id": nonce, "event_type": "incident.triggered", "data": {"title": "ø"}}})

    text = body(NONCE + "r")
    both = "v1=" + mac(OTHER, text).hex() + ",v1=" + mac(SECRET, text).hex()
    case("pagerduty", "razorpay (verifies the same HMAC)", {"provider": "pagerduty"}, sign,
         lambda body, headers, secret: hex_mac_check(body, headers["X-PagerDuty-Signature"][3:], secret), body,
         signature="X-PagerDuty-Signature", separator=",", event="incident.triggered",
         also=[request("a second signature during a rotation", [JSON, ("X-PagerDuty-Signature", both)], text)],
         refused=[request("another version", [JSON, ("X-PagerDuty-Signature", "v0=" + mac(SECRET, text).hex())], text,
                          status=401)])


def razorpay_case():
    def sign(body, secret, _time):
        return [("X-Razorpay-Signature", mac(secret, body).hex())]

    case("razorpay", "razorpay (verifies)", {"provider": "razorpay"}, sign,
         lambda body, headers, secret: hex_mac_check(body, headers["X-Razorpay-Signature"], secret),
         lambda nonce: spaced({"event": "payment.captured", "payload": {"id": nonce, "note": "₹"}}),
         signature="X-Razorpay-Signature", extra=(JSON, ("X-Razorpay-Event-Id", NONCE)), event="payment.captured")


def paddle_case():
    def sign(body, secret, time):
        return [("Paddle-Signature", f"ts={time};h1=" + mac(secret, f"{time}:".encode() + body).hex())]

    def check(body, headers, secret):
        return PaddleVerifier(60).verify(SimpleNamespace(body=body, headers=headers), PaddleSecret(secret))

    def body(nonce):
        return spaced({"event_id": f"evt_{nonce}", "event_type": "transaction.completed", "data": {"name": "Ł"}})

    text = body(NONCE + "r")
    old, new = (sign(text, key, str(NOW))[0][1].split(";")[1] for key in (OTHER, SECRET))
    both = [JSON, ("Paddle-Signature", f"ts={NOW};{old};{new}")]
    case("paddle", "paddle-python-sdk (verifies)", {"provider": "paddle"}, sign, check, body, dated="s",
         signature="Paddle-Signature", separator=";", event="transaction.completed",
         also=[request("a second signature during a rotation", both, text)])


def meta_case():
    def sign(body, secret, _time):
        return [("X-Hub-Signature-256", "sha256=" + mac(secret, body).hex())]

    def check(body, headers, secret):
        gidgethub.sansio.validate_event(body, signature=headers["X-Hub-Signature-256"], secret=secret)
        return True

    def body(nonce):
        change = {"field": "messages", "value": {"text": "caf\u00e9", "id": nonce}}
        return json.dumps({"object": "whatsapp_business_account", "entry": [{"changes": [change]}]}).encode()

    weak = "sha1=" + mac(SECRET, body(NONCE), "sha1").hex()
    case("meta", "gidgethub (verifies the same HMAC)", {"provider": "meta", "verifyToken": "verify-" + NONCE}, sign, check,
         body, signature="X-Hub-Signature-256", event="messages",
         refused=[request("the older signature only", [JSON, ("X-Hub-Signature", weak)], body(NONCE), status=401)])


def hubspot_case():
    url = "https://hooks.example.com/hubspot"

    def sign(body, secret, time):
        signature = HubSpotSignature.get_signature(secret, body.decode(), "v3", url, "POST", time)
        return [("X-HubSpot-Signature-v3", signature), ("X-HubSpot-Request-Timestamp", time)]

    def check(body, headers, secret):
        return HubSpotSignature.is_valid(headers["X-HubSpot-Signature-v3"], secret, body.decode(), url, "POST", "v3",
                                         headers["X-HubSpot-Request-Timestamp"])

    def body(nonce):
        return spaced([{"eventId": nonce, "subscriptionId": 7, "subscriptionType": "contact.creation", "name": "ñ"}])

    older = [("X-HubSpot-Signature", HubSpotSignature.get_signature(SECRET, body(NONCE).decode(), version, url, "POST"))
             for version in ("v1", "v2")]
    case("hubspot", "hubspot-api-client (signs and verifies)", {"provider": "hubspot", "publicUrl": url}, sign, check, body,
         dated="ms", signature="X-HubSpot-Signature-v3", event="contact.creation", to_input=boxed,
         needed=["X-HubSpot-Signature-v3", "X-HubSpot-Request-Timestamp"],
         refused=[request(f"the older signature {number}", [JSON, header], body(NONCE), status=401)
                  for number, header in enumerate(older, 1)])


def sendgrid_case():
    right, wrong = (ec.derive_private_key(int.from_bytes(hashlib.sha256(text.encode()).digest()[:31]), ec.SECP256R1())
                    for text in (SECRET, OTHER))
    encoding = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    public = b64(right.public_key().public_bytes(*encoding))
    prefix = "X-Twilio-Email-Event-Webhook-"

    def sign(body, secret, time):
        key = right if secret == "right" else wrong
        signature = key.sign(time.encode() + body, ec.ECDSA(hashes.SHA256()))
        return [(prefix + "Signature", b64(signature)), (prefix + "Timestamp", time)]

    def check(body, headers, _secret):
        return EventWebhook(public).verify_signature(body.decode(), headers[prefix + "Signature"], headers[prefix + "Timestamp"])

    case("sendgrid", "cryptography signs, sendgrid verifies", {"provider": "sendgrid", "secrets": [public]}, sign, check,
         lambda nonce: compact([{"event": "delivered", "sg_event_id": nonce, "email": "ada@example.com"}]) + b"\r\n",
         dated="s", signature=prefix + "Signature", needed=[prefix + "Signature", prefix + "Timestamp"],
         event="delivered", to_input=boxed, secret="right", other="wrong")


def hmac_case():
    """A sender of nobody's, described by data."""
    scheme = {"header": "X-Acme-Signature", "algorithm": "sha512", "encoding": "base64", "prefix": "s=",
              "listSeparator": ",", "signedContent": "{id}|{timestamp}|{body}", "timestampHeader": "X-Acme-Time",
              "timestampUnit": "ms", "tolerance": "2m", "idHeader": "X-Acme-Id", "eventType": "field:/kind"}

    def sign(body, secret, time):
        signature = mac(secret, f"{NONCE}|{time}|".encode() + body, "sha512")
        return [("X-Acme-Id", NONCE), ("X-Acme-Time", time), ("X-Acme-Signature", "s=" + b64(signature))]

    case("hmac", "hashlib", {"provider": "hmac", "scheme": scheme}, sign, None,
         lambda nonce: spaced({"kind": "thing.made", "id": nonce}), dated="ms", signature="X-Acme-Signature",
         needed=["X-Acme-Signature", "X-Acme-Time", "X-Acme-Id"], separator=",", event="thing.made")


for print_case in (stripe_case, slack_case, standard_cases, gitlab_case, twilio_cases, square_case, discord_case,
                   pagerduty_case, razorpay_case, paddle_case, meta_case, hubspot_case, sendgrid_case, hmac_case):
    print_case()
