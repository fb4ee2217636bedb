//! What providers ask before they send events.

use axum::body::Body;
use axum::http::Request;
use domain::webhook::{Provider, RequestParts, SchemeConfig, Signer, sign, test_key};
use serde_json::{Value, json};
use store::Clock;

use super::sender::{CANARY, Sender, endpoint, started};
use crate::harness::{Answer, Client, Harness, bare, send};

#[track_caller]
fn is_plain(answer: &Answer, text: &str) {
    assert_eq!((answer.status.as_u16(), answer.text.as_str()), (200, text));
    assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

async fn ask(harness: &Harness, sender: &Sender, body: &Value) -> Answer {
    send(&harness.router, sender.signed(harness, &[], body.to_string().as_bytes())).await
}

/// Nothing was started and nothing waits.
async fn starts_nothing(admin: &Client) {
    assert_eq!(admin.get("/v1/deliveries?status=accepted").await.expect(200).body["items"], json!([]));
    assert_eq!(admin.get("/v1/jobs?queue=workflow-webhook").await.expect(200).body["items"], json!([]));
}

#[tokio::test]
async fn slack_gets_its_challenge_back() {
    let (harness, admin) = started().await;
    let sender = Sender::of(&admin, &endpoint("slack")).await;
    let question = |challenge: &str| json!({"type": "url_verification", "challenge": challenge});
    is_plain(
        &ask(&harness, &sender, &question("3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7")).await,
        "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7",
    );
    for bad in ["<script>alert(1)</script>".to_owned(), "a".repeat(513), String::new()] {
        let answer = ask(&harness, &sender, &question(&bad)).await.expect(400);
        assert_eq!(answer.body, json!({"error": "challenge"}));
    }
    let unsigned = Request::post(&sender.path).body(Body::from(question("abc").to_string()));
    send(&harness.router, unsigned.expect("a request")).await.expect(401);
    starts_nothing(&admin).await;
}

#[tokio::test]
async fn zoom_gets_its_proof_also_while_paused() {
    let (harness, admin) = started().await;
    let sender = Sender::of(&admin, &endpoint("zoom")).await;
    admin.act(&format!("/v1/webhooks/{}/pause", sender.id)).await.expect(200);
    let question =
        json!({"event": "endpoint.url_validation", "payload": {"plainToken": "qgg8vlvZRS6UYooatFL8Aw"}});
    let answer = ask(&harness, &sender, &question).await.expect(200);
    assert_eq!(answer.str("plainToken"), "qgg8vlvZRS6UYooatFL8Aw");
    let proof = answer.str("encryptedToken");
    assert!(proof.len() == 64 && !answer.text.contains(CANARY), "{}", answer.text);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let held = ask(&harness, &sender, &json!({"event": "meeting.started"})).await.expect(202);
    assert_eq!(held.str("status"), "held");
    starts_nothing(&admin).await;
}

#[tokio::test]
async fn meta_is_answered_by_get_if_it_knows_the_token() {
    let (harness, admin) = started().await;
    let mut body = endpoint("meta");
    body["verifyToken"] = json!("the-token-of-meta");
    let sender = Sender::of(&admin, &body).await;
    let ask =
        async |query: &str| send(&harness.router, bare("GET", &format!("{}?{query}", sender.path))).await;
    is_plain(
        &ask("hub.mode=subscribe&hub.verify_token=the-token-of-meta&hub.challenge=1158201444").await,
        "1158201444",
    );
    for wrong in ["hub.verify_token=other", "hub.challenge=1"] {
        let answer = ask(&format!("hub.mode=subscribe&{wrong}")).await.expect(403);
        assert_eq!(answer.body, json!({"error": "challenge"}));
    }
    ask("hub.mode=subscribe&hub.verify_token=the-token-of-meta&hub.challenge=%3Cscript%3E").await.expect(400);
    ask("").await.expect(405);
    let log = admin.get("/v1/deliveries").await.expect(200);
    assert!(!log.text.contains("the-token-of-meta"), "{}", log.text);
    starts_nothing(&admin).await;
}

#[tokio::test]
async fn discord_is_answered_only_if_it_signs() {
    let (harness, admin) = started().await;
    let key = test_key(Provider::Discord, &[7; 32]).expect("Discord has public keys");
    let mut body = endpoint("discord");
    body["secrets"] = json!([key.public_text()]);
    let sender = Sender::of(&admin, &body).await;
    let ping = br#"{"version":1,"type":0}"#;
    let parts = RequestParts::new("POST", &sender.path, &[], ping);
    let scheme = SchemeConfig::preset(Provider::Discord);
    let now = harness.engine.clock.now();
    let headers = sign(&scheme, Signer::Key(&key), "1", &parts, now).expect("it can be signed");
    let request = |tampered: bool| {
        let mut request = Request::post(&sender.path);
        for (name, value) in &headers {
            let is_signature = name.eq_ignore_ascii_case("x-signature-ed25519");
            let value = if tampered && is_signature { "00".repeat(64) } else { value.clone() };
            request = request.header(name, value);
        }
        request.body(Body::from(ping.to_vec())).expect("a request")
    };
    let answer = send(&harness.router, request(false)).await.expect(204);
    assert!(answer.text.is_empty());
    // Discord sends wrong signatures on purpose, and wants this.
    send(&harness.router, request(true)).await.expect(401);
    starts_nothing(&admin).await;
}
