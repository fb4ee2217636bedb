//! The handler against servers on loopback.

use std::sync::Arc;

use async_trait::async_trait;
use domain::job::Outcome;
use domain::names::TenantName;
use domain::secret::SecretName;
use domain::time::Timestamp;
use domain::workflow::execution::JOB_TYPE_HTTP;
use engine::{EngineError, SecretText, SendableSecret};
use serde_json::{Value, json};
use testkit::FixedClock;
use tokio_util::sync::CancellationToken;

use super::{HttpHandler, SecretSource};
use crate::egress::{EgressClients, EgressOptions};
use crate::handlers::{Handler, HandlerEnd};
use crate::test_job::test_job;
use crate::test_server::{Answer, TestServer, response};

const TRACEPARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

async fn run(data: Value) -> Outcome {
    let options = EgressOptions::default().allowing(["127.0.0.1"]).expect("valid");
    let now = Timestamp::parse("2026-11-20T12:00:00Z").expect("valid");
    let handler =
        HttpHandler::new(EgressClients::new(options).expect("a client"), Arc::new(FixedClock::at(now)));
    let mut job = test_job(JOB_TYPE_HTTP, 1);
    job.data = data.to_string();
    job.traceparent = Some(TRACEPARENT.to_owned());
    settled(handler.run(&job, CancellationToken::new()).await)
}

fn settled(end: HandlerEnd) -> Outcome {
    match end {
        HandlerEnd::Settle(outcome) => outcome,
        HandlerEnd::PutOff(_) => panic!("{end:?}"),
    }
}

fn failure(outcome: Outcome) -> (String, bool, Option<i64>, Option<Value>) {
    match outcome {
        Outcome::Failed { error, retryable, retry_after } => {
            (error.code.unwrap_or_default(), retryable, retry_after.map(|wait| wait.0), error.details)
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_call_gives_status_headers_and_body() {
    let server = TestServer::start(vec![response(
        "201 Created",
        &[("Content-Type", "application/json")],
        r#"{"id":7}"#,
    )])
    .await;
    let outcome = run(
        json!({ "method": "POST", "url": server.url("/orders"), "headers": {"X-A": "b"}, "body": {"n": 1} }),
    )
    .await;
    let Outcome::Completed(Some(output)) = outcome else { panic!("{outcome:?}") };
    let output: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!(output["status"], 201);
    assert_eq!(output["headers"]["content-type"], "application/json");
    assert_eq!(output["body"], json!({"id": 7}));

    let request = server.requests().remove(0);
    assert!(request.starts_with("POST /orders HTTP/1.1\r\n"), "{request}");
    for line in [
        "x-a: b",
        "content-type: application/json",
        &format!("idempotency-key: {}", test_job(JOB_TYPE_HTTP, 1).id),
        &format!("traceparent: {TRACEPARENT}"),
    ] {
        assert!(request.to_ascii_lowercase().contains(line), "{line} in {request}");
    }
    assert!(request.ends_with("\r\n\r\n{\"n\":1}"), "{request}");
}

#[tokio::test]
async fn statuses_decide_by_what_is_expected() {
    let server = TestServer::start(vec![response("404 Not Found", &[], "nothing here")]).await;
    let outcome = run(json!({ "url": server.url("/"), "expect": [200, 404] })).await;
    assert!(matches!(outcome, Outcome::Completed(_)), "{outcome:?}");
    let (code, retryable, _, details) = failure(run(json!({ "url": server.url("/") })).await);
    assert_eq!((code.as_str(), retryable), ("http_status", false));
    assert_eq!(details, Some(json!({ "status": 404, "body": "nothing here" })));

    let long = "x".repeat(5_000);
    let server = TestServer::start(vec![response("500 Oops", &[], &long)]).await;
    let (_, retryable, _, details) = failure(run(json!({ "url": server.url("/") })).await);
    assert!(retryable);
    assert_eq!(details.expect("details")["body"].as_str().map(str::len), Some(2_048));
}

#[tokio::test]
async fn retry_after_is_honoured_in_both_forms() {
    for (status, value, expected) in [
        ("429 Too Many Requests", "7", 7_000),
        ("503 Service Unavailable", "Fri, 20 Nov 2026 12:01:00 GMT", 60_000),
        ("503 Service Unavailable", "999999999", 86_400_000),
    ] {
        let server = TestServer::start(vec![response(status, &[("retry-after", value)], "")]).await;
        let (code, retryable, retry_after, _) = failure(run(json!({ "url": server.url("/") })).await);
        assert_eq!(
            (code.as_str(), retryable, retry_after),
            ("http_status", true, Some(expected)),
            "{status} {value}"
        );
    }
}

#[tokio::test]
async fn refusals_are_final_and_broken_connections_are_not() {
    for url in
        ["http://10.0.0.1/", "http://169.254.169.254/", "ftp://example.com/", "http://u:p@example.com/"]
    {
        let (code, retryable, ..) = failure(run(json!({ "url": url })).await);
        assert_eq!((code.as_str(), retryable), ("egress_refused", false), "{url}");
    }
    let server = TestServer::start(vec![Answer::Close]).await;
    let (code, retryable, ..) = failure(run(json!({ "url": server.url("/") })).await);
    assert_eq!((code.as_str(), retryable), ("http_connection", true));
    let (code, retryable, ..) = failure(run(json!({ "url": "nowhere" })).await);
    assert_eq!((code.as_str(), retryable), ("http_request", false));
}

/// Knows one secret of one tenant.
struct OneSecret {
    hosts: Vec<String>,
}

#[async_trait]
impl SecretSource for OneSecret {
    async fn secrets(
        &self,
        _tenant: &TenantName,
        names: &[SecretName],
    ) -> Result<Vec<SendableSecret>, EngineError> {
        let known = |name: &SecretName| match name.as_str() {
            "api" => Ok(SendableSecret {
                name: name.clone(),
                value: SecretText::new("s3cr3t-value"),
                hosts: self.hosts.clone(),
            }),
            other => Err(EngineError::not_found("secret", other)),
        };
        names.iter().map(known).collect()
    }
}

async fn run_with_secret(hosts: &[&str], data: Value) -> Outcome {
    let options = EgressOptions::default().allowing(["127.0.0.1"]).expect("valid");
    let now = Timestamp::parse("2026-11-20T12:00:00Z").expect("valid");
    let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
    let handler =
        HttpHandler::new(EgressClients::new(options).expect("a client"), Arc::new(FixedClock::at(now)))
            .with_secrets(Arc::new(OneSecret { hosts }));
    let mut job = test_job(JOB_TYPE_HTTP, 1);
    job.data = data.to_string();
    settled(handler.run(&job, CancellationToken::new()).await)
}

#[tokio::test]
async fn a_secret_is_sent_and_taken_out_of_the_answer() {
    let echo = r#"{"got":"Bearer s3cr3t-value"}"#;
    let server =
        TestServer::start(vec![response("200 OK", &[("Content-Type", "application/json")], echo)]).await;
    let data = json!({
        "url": server.url("/"),
        "headers": {"x-plain": "${secrets.api}"},
        "secretHeaders": {"Authorization": ["Bearer ", {"secret": "api"}]},
    });
    let outcome = run_with_secret(&["127.0.0.1"], data).await;
    let Outcome::Completed(Some(output)) = outcome else { panic!("{outcome:?}") };
    assert!(!output.contains("s3cr3t") && output.contains("Bearer [redacted]"), "{output}");
    let request = server.requests().remove(0).to_ascii_lowercase();
    assert!(request.contains("authorization: bearer s3cr3t-value\r\n"), "{request}");
    assert!(request.contains("x-plain: ${secrets.api}\r\n"), "text is text: {request}");
}

#[tokio::test]
async fn a_secret_goes_nowhere_else_and_errors_do_not_hold_it() {
    let server = TestServer::start(vec![response("500 Oops", &[], "s3cr3t-value is wrong")]).await;
    let data =
        |name: &str| json!({"url": server.url("/"), "secretHeaders": {"authorization": [{"secret": name}]}});
    let outcome = run_with_secret(&["api.example.com"], data("api")).await;
    assert!(!format!("{outcome:?}").contains("s3cr3t"));
    assert_eq!(failure(outcome).0, "secret_host");
    assert!(server.requests().is_empty(), "nothing was sent");
    let outcome = run_with_secret(&["127.0.0.1"], data("other")).await;
    assert_eq!(failure(outcome).0, "secret_missing");
    assert_eq!(failure(run(data("api")).await).0, "secret_missing", "a process without secrets");
    let outcome = run_with_secret(&["127.0.0.1"], data("api")).await;
    assert!(!format!("{outcome:?}").contains("s3cr3t"), "{outcome:?}");
    assert_eq!(failure(outcome).0, "http_status");
}
