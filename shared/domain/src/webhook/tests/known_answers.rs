//! Signatures that are not ours: from the providers' documents, and made with their own libraries.

use super::fixture::{NOW, PREFIXED_SECRET, Request, TEXT_SECRET};
use crate::time::Timestamp;
use crate::webhook::{Provider, SchemeConfig};

const BODY: &str = "{\"hello\":\"w\u{f6}rld\",\"n\":1.0}";
const TS: &str = "1700000000";

#[track_caller]
fn accepted(provider: Provider, secret: &str, request: &Request, now: Timestamp) {
    let config = SchemeConfig::preset(provider);
    request.verify_at(&config, &[secret], now).unwrap();
    let mut other = request.clone();
    match (other.body.first_mut(), &mut other.query) {
        (Some(byte), _) => *byte ^= 1,
        (None, query) => *query = Some("x=1".to_owned()),
    }
    assert!(other.verify_at(&config, &[secret], now).is_err(), "{provider}");
}

#[test]
fn the_documents_of_the_providers_are_understood() {
    let github = Request::post(b"Hello, World!").header(
        "x-hub-signature-256",
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    );
    accepted(Provider::GitHub, "It's a Secret to Everybody", &github, NOW);

    let slack = Request::post(
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&\
          channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&\
          response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&\
          trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
    )
    .header("X-Slack-Request-Timestamp", "1531420618")
    .header("X-Slack-Signature", "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503");
    accepted(Provider::Slack, "8f742231b10e8888abcd99yyyzzz85a5", &slack, Timestamp(1_531_420_618_000));

    let standard = Request::post(b"{\"test\": 2432232314}")
        .header("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
        .header("webhook-timestamp", "1614265330")
        .header("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    accepted(
        Provider::Standard,
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        &standard,
        Timestamp(1_614_265_330_000),
    );

    let mut twilio = Request::post(
        b"To=%2B18005551212&CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309",
    )
    .query("foo=1&bar=2")
    .header("X-Twilio-Signature", "RSOYDt4T1cUTdK1PDd93/VVr8B8=");
    twilio.url = Some("https://mycompany.com/myapp.php?foo=1&bar=2".to_owned());
    accepted(Provider::Twilio, "12345", &twilio, NOW);
}

#[test]
fn the_libraries_of_the_providers_sign_what_is_accepted() {
    let post = || Request::post(BODY.as_bytes());
    let hex = "f2b6652b02692410dbb91049d40a731835ae0e0d3b9f29c79862df3c18ac397f";
    let cases = [
        // stripe 16.1.0
        (
            Provider::Stripe,
            "whsec_c2VjcmV0",
            post().header(
                "Stripe-Signature",
                "t=1700000000,v1=25c41f018eb08de4a4401927be3782a4bc5f253020226182db9919161fbd41f0",
            ),
        ),
        // slack_sdk 3.47.0; Zoom signs the same way under other names.
        (Provider::Slack, TEXT_SECRET, zoom_or_slack("X-Slack-Signature", "X-Slack-Request-Timestamp")),
        (Provider::Zoom, TEXT_SECRET, zoom_or_slack("x-zm-signature", "x-zm-request-timestamp")),
        // standardwebhooks 1.1.0, svix 2.9.1
        (Provider::Standard, PREFIXED_SECRET, standard("webhook")),
        (Provider::Svix, PREFIXED_SECRET, standard("svix")),
        (Provider::Svix, PREFIXED_SECRET, standard("webhook")),
        (Provider::GitLab, PREFIXED_SECRET, standard("webhook")),
        // razorpay 2.0.1, gidgethub 6.0.0
        (Provider::Razorpay, TEXT_SECRET, post().header("X-Razorpay-Signature", hex)),
        (Provider::GitHub, TEXT_SECRET, post().header("X-Hub-Signature-256", format!("sha256={hex}"))),
        (Provider::Meta, TEXT_SECRET, post().header("X-Hub-Signature-256", format!("sha256={hex}"))),
        (Provider::PagerDuty, TEXT_SECRET, post().header("X-PagerDuty-Signature", format!("v1={hex}"))),
        (
            Provider::Shopify,
            TEXT_SECRET,
            post().header("X-Shopify-Hmac-Sha256", "8rZlKwJpJBDbuRBJ1ApzGDWuDg07nynHmGLfPBisOX8="),
        ),
        (
            Provider::Shopify,
            TEXT_SECRET,
            post().header("Shopify-Hmac-Sha256", "8rZlKwJpJBDbuRBJ1ApzGDWuDg07nynHmGLfPBisOX8="),
        ),
        // paddle-python-sdk 1.16.1
        (
            Provider::Paddle,
            TEXT_SECRET,
            post().header(
                "Paddle-Signature",
                "ts=1700000000;h1=83e4372dd66ffed1ef5adfe077f4cb0be405e2ceed79a011966279d9f360a184",
            ),
        ),
        (
            Provider::Linear,
            TEXT_SECRET,
            Request::post(b"{\"type\":\"Issue\",\"webhookTimestamp\":1700000000123}").header(
                "Linear-Signature",
                "f441b7c597795617a0eb87542d91a08ebb9747d36b0cb4c432a8932a0a6a6d0a",
            ),
        ),
    ];
    for (provider, secret, request) in cases {
        accepted(provider, secret, &request, NOW);
    }
}

fn zoom_or_slack(signature: &str, timestamp: &str) -> Request {
    let value = "v0=75b9cddbe5d1a4ee6771ac635ef2f2471a8ba0de23be3abacf88ff3b6d772780";
    Request::post(BODY.as_bytes()).header(signature, value).header(timestamp, TS)
}

fn standard(prefix: &str) -> Request {
    Request::post(BODY.as_bytes())
        .header(&format!("{prefix}-id"), "msg_1")
        .header(&format!("{prefix}-timestamp"), TS)
        .header(&format!("{prefix}-signature"), "v1,XMtlopBpMfiHKQBU5dIcumpgSNTx76NjxHcjVi8wGiE=")
}

#[test]
fn urls_and_forms_are_signed_as_the_libraries_do() {
    // squareup 46.0.0
    let mut square = Request::post(BODY.as_bytes())
        .header("x-square-hmacsha256-signature", "KKsR8rn88fTyckrvqsQHTW7bhrnQvjM5Z7T1tV+MKT4=");
    square.url = Some("https://h.example/hooks/x".to_owned());
    accepted(Provider::Square, TEXT_SECRET, &square, NOW);
    // hubspot-api-client 12.0.0
    let mut hubspot = Request::post(BODY.as_bytes())
        .query("a=1")
        .header("X-HubSpot-Signature-v3", "n9wCNX50vH5lfPKGPgZzkV/Fca/cGzDnV240m1dXXfo=")
        .header("X-HubSpot-Request-Timestamp", "1700000000000");
    hubspot.url = Some("https://h.example/hooks/x".to_owned());
    accepted(Provider::HubSpot, TEXT_SECRET, &hubspot, NOW);
    // twilio 9.13.0
    let form = b"b=2&a=z&c=x+y%2B%c3%A9&a=y&a=z";
    let mut twilio = Request::post(form).header("X-Twilio-Signature", "tg5DXfRmKqpTDLFYQ7H4W81zqFA=");
    twilio.url = Some("https://mycompany.com/h".to_owned());
    accepted(Provider::Twilio, "12345", &twilio, NOW);
    let mut json = Request::post(BODY.as_bytes())
        .query("bodySHA256=1b550f001a2117e4ee7568025b8cca3e88a7a7069900a55557efa6a1a25cdd0b")
        .header("X-Twilio-Signature", "BLkQNgrzDk2EE7EHAAhWWYpw3ZQ=");
    json.url = Some("https://mycompany.com/h".to_owned());
    accepted(Provider::Twilio, "12345", &json, NOW);
    let call =
        b"To=%2B18005551212&CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309";
    for signature in ["kvajT1Ptam85bY51eRf/AJRuM3w=", "033hgUJA9M/hXIZsYjwkerEP/DBm35nEri5FhCYjA5s="] {
        let mut request = Request::post(call)
            .query("foo=1&bar=2")
            .header("X-Twilio-Signature", signature)
            .header("X-Twilio-Webhooks-Signature-Settings", "key=webhooks_sharedkey_1,algorithm=HMAC_SHA256");
        request.url = Some("https://mycompany.com/myapp.php".to_owned());
        accepted(Provider::Twilio, "12345", &request, NOW);
    }
}

#[test]
fn public_keys_of_other_libraries_are_understood() {
    // PyNaCl 1.6.2
    let discord = Request::post(BODY.as_bytes()).header("X-Signature-Timestamp", TS).header(
        "X-Signature-Ed25519",
        "60593B9AD3233DFAFA20ED8598BB3A0B85A792A226275D2A20A1F43234112B75\
         b53e9bf60e9f6dfe3ae8624e0b85e4cb69bb4b10f8470ff566338f81ad6d1e0b",
    );
    let key = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8";
    accepted(Provider::Discord, key, &discord, NOW);
    let standard =
        Request::post(BODY.as_bytes()).header("webhook-id", "msg_1").header("webhook-timestamp", TS).header(
            "webhook-signature",
            "v1a,p14+haOIHWuUeIzOr+44ox0COfXSvEmLK1DqNdFhyhgziFf9S5CO2o9xMkO9QC5DEFRpWFRAxZzaXwmzLOGeCA==",
        );
    accepted(Provider::Standard, "whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=", &standard, NOW);
    // cryptography 50.0.2, as sendgrid 6.12.5 verifies
    let sendgrid = Request::post(BODY.as_bytes())
        .header("X-Twilio-Email-Event-Webhook-Timestamp", TS)
        .header(
            "X-Twilio-Email-Event-Webhook-Signature",
            "MEQCIEjkBKoec8TaNMrSw5MdtWoeZeazPxKI6pMFeEYGqLFEAiAsDnP05KkOnx2DRMWmeK00BCeP9iMDINXavPrU6zNMZw==",
        );
    let key = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEUVw9brnjlrkE0/7Kf1T9zQzB6Ze/N13KUVrQpsO0A19FNr46UPMY+/\
               mlR1kCoiFQK+8NV+CMU7LMClbxfZ+TVA==";
    accepted(Provider::SendGrid, key, &sendgrid, NOW);
}
