//! Every provider: what its own library signs is accepted and becomes an execution; whatever was changed on the way is
//! refused, and no answer says what was wrong with it.

use futures::future::join_all;
use serde_json::{Value, json};

use super::endpoint::{Endpoint, create, execution_count, finished, register_workflow, text};
use super::sender::{Sender, assert_refused, bytes_of, delivery_id};
use super::signers::{Case, cases};
use super::tampers::tampered;
use crate::harness::{Answer, Client, Database, Server, on_both_databases};

/// How many providers there are, without `none`, `hmac` included.
const PROVIDERS: usize = 19;

on_both_databases!(what_providers_sign_is_accepted_and_what_was_tampered_with_is_not);

async fn what_providers_sign_is_accepted_and_what_was_tampered_with_is_not(database: Database) {
    let server = Server::start(&database).await;
    let (client, sender) = (server.client(), Sender::to(&server));
    register_workflow(&client).await;
    let cases = cases().await;
    let providers: std::collections::BTreeSet<&str> =
        cases.iter().map(|case| case.endpoint["provider"].as_str().expect("a name")).collect();
    assert_eq!(providers.len(), PROVIDERS, "{providers:?}");
    // Signatures age while the others are checked: the one that ages fastest goes first.
    let (first, others) = cases.split_first().expect("there are cases");
    let mut refusals = check(&client, &sender, first).await;
    refusals.extend(join_all(others.iter().map(|case| check(&client, &sender, case))).await.concat());
    let uniform = refusals.first().expect("there are refusals");
    for refusal in &refusals {
        assert_eq!(refusal, uniform, "all refused senders learn the same");
    }
    let accepted: usize = cases.iter().map(|case| 1 + case.also.len()).sum();
    assert_eq!(execution_count(&client).await, accepted);
}

/// Checks one provider. Answers how bad signatures were answered.
async fn check(client: &Client, sender: &Sender, case: &Case) -> Vec<String> {
    let endpoint = create(client, &case.name, &case.endpoint).await;
    let about = |why: &str| format!("{} ({}): {why}", case.name, case.by);
    let mut refusals = Vec::new();
    for tampered in tampered(case) {
        // Meta asks its challenge by GET.
        let (status, word) = (tampered.status, tampered.word);
        let answer = sender.send(&endpoint.path, &tampered.delivery).await;
        assert_refused(&answer, status, word, &about(&tampered.why));
        refusals.extend((status == 401).then(|| seen(&answer)));
    }
    for refused in &case.refused {
        let answer = sender.send(&endpoint.path, &case.delivery(refused)).await;
        assert_refused(&answer, refused.status.expect("a status"), "signature", &about(&refused.why));
        refusals.push(seen(&answer));
    }
    accept(client, sender, case, &endpoint).await;
    refusals
}

async fn accept(client: &Client, sender: &Sender, case: &Case, endpoint: &Endpoint) {
    let about = |why: &str| format!("{} ({}): {why}", case.name, case.by);
    let genuine = case.delivery(&case.accepted);
    let answer = sender.send(&endpoint.path, &genuine).await;
    assert_eq!(answer.status, 202, "{}: {}", about("as it should be"), answer.text);
    let id = delivery_id(&answer);
    let repeats = [Some(&case.accepted), case.again.as_ref()];
    for repeat in repeats.into_iter().flatten() {
        let answer = sender.send(&endpoint.path, &case.delivery(repeat)).await;
        assert_eq!(answer.status, 200, "{}: {}", about(&repeat.why), answer.text);
        assert_eq!(answer.json(), json!({"deliveryId": id, "deduplicated": true}), "{}", about(&repeat.why));
    }
    for also in &case.also {
        let answer = sender.send(&endpoint.path, &case.delivery(also)).await;
        assert_eq!(answer.status, 202, "{}: {}", about(&also.why), answer.text);
    }
    let (delivery, execution) = finished(client, &id).await;
    assert_eq!(execution["input"], case.input, "{}", about("the input"));
    assert_eq!(execution["output"], case.input, "{}", about("the output"));
    assert_eq!(execution["trigger"]["kind"], "webhook", "{execution}");
    assert_eq!(delivery["eventType"], case.event, "{}", about("the event"));
    let shown = endpoint.shown(client).await;
    let mut secrets = shown["secrets"].as_array().expect("a list").iter();
    assert!(
        secrets.any(|one| one["purpose"] == "signature" && one["id"] == delivery["secretId"]),
        "{delivery}"
    );
    assert_eq!(body_of(&delivery), genuine.body, "{}", about("the body is kept to the byte"));
    let kept = delivery["headers"].as_array().expect("headers");
    let kept = kept.iter().find(|pair| text(&pair[0]).eq_ignore_ascii_case(&case.signature));
    assert_eq!(kept.map(|pair| &pair[1]), Some(&json!("[redacted]")), "{delivery}");
}

/// The kept body of a delivery.
pub(super) fn body_of(delivery: &Value) -> Vec<u8> {
    let body = text(&delivery["body"]);
    match delivery["bodyEncoding"].as_str() {
        Some("base64") => bytes_of(&body),
        _ => body.into_bytes(),
    }
}

/// All of an answer that could tell one refusal from another.
fn seen(answer: &Answer) -> String {
    let passing = ["date", "x-request-id"];
    let headers = answer.headers.iter().filter(|(name, _)| !passing.contains(&name.as_str()));
    let headers: Vec<String> = headers.map(|(name, value)| format!("{name}: {value:?}")).collect();
    format!("{} {} {}", answer.status, headers.join(", "), answer.text)
}
