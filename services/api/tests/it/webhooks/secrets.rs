//! Secrets are shown once where they are made, and never otherwise.

use domain::time::DurationMs;
use serde_json::{Value, json};

use super::sender::{CANARY, Sender, endpoint, started};
use crate::harness::send;

const OTHER: &str = "another-canary-77-of-the-sender";

#[tokio::test]
async fn a_made_secret_is_shown_once() {
    let (harness, admin) = started().await;
    let mut body = endpoint("github");
    body.as_object_mut().expect("an object").remove("secrets");
    let made = admin.post_once("/v1/webhooks", "k1", &body).await.expect(201);
    let secret = made.str("secret").to_owned();
    assert!(secret.len() >= 32, "{secret}");
    assert_eq!(made.header("cache-control"), Some("no-store"));
    let again = admin.post_once("/v1/webhooks", "k1", &body).await.expect(201);
    assert_eq!((again.header("idempotency-replayed"), &again.body["id"]), (Some("true"), &made.body["id"]));
    let shown = admin.get(&format!("/v1/webhooks/{}", made.str("id"))).await.expect(200);
    for answer in [again, shown, admin.get("/v1/webhooks").await, admin.get("/v1/audit").await.expect(200)] {
        assert!(!answer.text.contains(&secret), "{}", answer.text);
    }
    let rotated = admin.act(&format!("/v1/webhooks/{}/rotate-secret", made.str("id"))).await.expect(200);
    let next = rotated.str("secret");
    assert_ne!(next, secret);
    assert_eq!(rotated.body["webhook"]["secrets"].as_array().map(Vec::len), Some(2));

    let sender = Sender::of(&admin, &json!({"name": "x", "provider": "github"})).await;
    assert_eq!(sender.send(&harness, "1", &json!({})).await.status, 202, "the made secret signs");
}

#[tokio::test]
async fn both_secrets_hold_during_the_overlap() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let path = format!("/v1/webhooks/{}/rotate-secret", sender.id);
    let rotated = admin.post(&path, &json!({"secret": OTHER, "overlap": "1h"})).await.expect(200);
    assert!(rotated.body.get("secret").is_none(), "a given secret is not shown: {}", rotated.text);
    let by = async |secret: &str, id: &str| {
        let request = sender.signed_by(secret, &harness, &[("x-github-delivery", id)], id.as_bytes());
        send(&harness.router, request).await.status.as_u16()
    };
    assert_eq!((by(CANARY, "1").await, by(OTHER, "2").await), (202, 202));
    harness.engine.clock.advance(DurationMs::from_secs(3_601));
    assert_eq!((by(CANARY, "3").await, by(OTHER, "4").await), (401, 202));

    for (body, pointer) in [
        (json!({"overlap": "31d"}), "/overlap"),
        (json!({"secret": ""}), "/secret"),
        (json!({"secret": 4_711}), "/secret"),
        (json!({"purpose": "other"}), "/purpose"),
        (json!({"colour": "red"}), "/colour"),
    ] {
        let refused = admin.post(&path, &body).await.problem(422, "invalid");
        assert_eq!(refused.pointers(), [pointer], "{body}");
    }
}

#[tokio::test]
async fn i11_no_answer_holds_a_secret() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let path = format!("/v1/webhooks/{}", sender.id);
    let mut answers = Vec::new();
    answers.push(admin.put(&path, &endpoint("github")).await.expect(200));
    answers.push(admin.post(&format!("{path}/rotate-secret"), &json!({"secret": CANARY})).await);
    answers.push(admin.act(&format!("{path}/test")).await.expect(202));
    // The secret in all the wrong places.
    for (field, value) in [
        ("secrets", json!(CANARY)),
        ("secrets", json!({CANARY: 1})),
        ("secrets", json!([[CANARY]])),
        ("secrets", json!([format!("{CANARY} ")])),
        ("verifyToken", json!([CANARY])),
    ] {
        let mut body = endpoint("github");
        body[field] = value;
        answers.push(admin.post_once("/v1/webhooks", &format!("k{}", answers.len()), &body).await);
    }
    answers.push(admin.post(&format!("{path}/rotate-secret"), &json!({"secret": {"text": CANARY}})).await);
    // A plain token, as GitLab sends it, and one in the query.
    let gitlab = Sender::of(&admin, &endpoint("gitlab")).await;
    let shown = send(&harness.router, gitlab.signed(&harness, &[], b"{\"who\": \"Ada\"}")).await.expect(202);
    let id = shown.str("deliveryId").to_owned();
    answers.push(shown);
    answers.push(admin.get(&format!("/v1/deliveries/{id}")).await.expect(200));
    for uri in ["/v1/webhooks", &path, "/v1/deliveries", "/v1/audit", "/v1/jobs?queue=workflow-webhook"] {
        answers.push(admin.get(uri).await.expect(200));
    }
    for answer in answers {
        assert!(!answer.text.contains(CANARY), "{}", answer.text);
        assert!(!format!("{:?}", answer.headers).contains(CANARY));
    }
    let delivery = admin.get(&format!("/v1/deliveries/{id}")).await.expect(200);
    let headers: Vec<(String, String)> =
        serde_json::from_value(delivery.body["headers"].clone()).expect("pairs");
    assert!(headers.contains(&("x-gitlab-token".to_owned(), "[redacted]".to_owned())), "{headers:?}");
    assert_ne!(delivery.body["curl"], Value::Null);
}
