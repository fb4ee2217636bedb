//! What providers ask before they send: answered also by a paused endpoint, as text that no browser takes for a page, and
//! never the start of anything.

use reqwest::Method;
use serde_json::{Value, json};

use super::endpoint::{DEADLINE, Endpoint, create, execution_count, register_workflow};
use super::sender::{Delivery, Sender, assert_refused};
use super::signers::{Case, Signed, cases};
use crate::harness::{Answer, Client, Database, Server, on_both_databases, until};

const VERIFY_TOKEN: &str = "verify+token/of-the-tests=";

on_both_databases!(handshakes_are_answered_also_by_paused_endpoints, the_challenge_of_meta_is_answered);

async fn handshakes_are_answered_also_by_paused_endpoints(database: Database) {
    let server = Server::start(&database).await;
    let (client, sender) = (server.client(), Sender::to(&server));
    register_workflow(&client).await;
    let cases: Vec<Case> = cases().await.into_iter().filter(|case| !case.handshakes.is_empty()).collect();
    assert_eq!(cases.len(), 3, "Slack, Zoom and Discord ask");
    for case in &cases {
        let endpoint = create(&client, &case.name, &case.endpoint).await;
        ask_everything(&sender, case, &endpoint).await;
        endpoint.act(&client, "pause").await;
        ask_everything(&sender, case, &endpoint).await;
        let event = case.delivery(&case.accepted);
        sender.held(&endpoint.path, &event).await;
        endpoint.act(&client, "resume").await;
        assert_logged(&client, &endpoint, case).await;
    }
    until("the events that came during the pauses start something", DEADLINE, || async {
        (execution_count(&client).await >= cases.len()).then_some(())
    })
    .await;
    assert_eq!(execution_count(&client).await, cases.len(), "only events start something");
}

async fn ask_everything(sender: &Sender, case: &Case, endpoint: &Endpoint) {
    for question in &case.handshakes {
        let asked = case.delivery(question);
        let answer = sender.send(&endpoint.path, &asked).await;
        assert_answered(case, question, &answer);
        let unsigned = asked.without(&case.signature);
        assert_refused(&sender.send(&endpoint.path, &unsigned).await, 401, "signature", &case.name);
    }
}

fn assert_answered(case: &Case, question: &Signed, answer: &Answer) {
    let about = format!("{}: {}: {} {}", case.name, question.why, answer.status, answer.text);
    let status = question.status.expect("a status");
    if status == 400 {
        return assert_refused(answer, 400, "challenge", &about);
    }
    assert_eq!(answer.status, status, "{about}");
    let expected = question.text.as_deref().expect("an answer");
    if question.content_type.as_deref() == Some("application/json") {
        let expected: Value = serde_json::from_str(expected).expect("JSON");
        assert_eq!(answer.json(), expected, "{about}");
    } else {
        assert_eq!(answer.text, expected, "{about}");
    }
    assert_eq!(answer.header("content-type"), question.content_type.as_deref(), "{about}");
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{about}");
}

/// Handshakes are in the log as such, and nothing else but the refused ones and the event is.
async fn assert_logged(client: &Client, endpoint: &Endpoint, case: &Case) {
    let answered = case.handshakes.iter().filter(|question| question.status != Some(400)).count();
    until("the handshakes are in the log", DEADLINE, || async {
        (endpoint.deliveries(client, "handshake").await.len() == 2 * answered).then_some(())
    })
    .await;
}

async fn the_challenge_of_meta_is_answered(database: Database) {
    let server = Server::start(&database).await;
    let (client, sender) = (server.client(), Sender::to(&server));
    register_workflow(&client).await;
    let fields =
        json!({"provider": "meta", "secrets": ["app-secret-of-the-tests"], "verifyToken": VERIFY_TOKEN});
    let endpoint = create(&client, "meta", &fields).await;
    let token = VERIFY_TOKEN.replace('+', "%2B");
    let query = |token: &str, challenge: &str| {
        format!("hub.mode=subscribe&hub.verify_token={token}&hub.challenge={challenge}")
    };
    let ask = async |query: String| {
        let question = Delivery { method: Method::GET, query: Some(query), ..Delivery::of(Vec::new()) };
        sender.send(&endpoint.path, &question).await
    };
    for _ in 0..2 {
        let answer = ask(query(&token, "1158201444")).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, "1158201444"));
        assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_refused(&ask(query("wrong", "1158201444")).await, 403, "challenge", "a wrong token");
        assert_refused(&ask(query("", "1158201444")).await, 403, "challenge", "no token");
        assert_refused(&ask(query(&token, "%3Cscript%3E")).await, 400, "challenge", "a script");
        assert_refused(&ask(query(&token, &"1".repeat(10_240))).await, 400, "challenge", "a long one");
        assert_refused(&ask("hub.challenge=1".to_owned()).await, 405, "method", "no question");
        endpoint.act(&client, "pause").await;
    }
    assert_eq!(execution_count(&client).await, 0);
    // Nobody else asks by GET, and nobody else is answered.
    let other = json!({"provider": "stripe", "secrets": ["whsec_of_the_tests"]});
    let other = create(&client, "stripe", &other).await;
    let question = Delivery {
        method: Method::GET,
        query: Some(query(&token, "1158201444")),
        ..Delivery::of(Vec::new())
    };
    assert_refused(&sender.send(&other.path, &question).await, 405, "method", "another provider");
}
