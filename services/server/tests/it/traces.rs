//! Spans over OTLP, received by a real collector: where they stand, what links them, and what is sent onwards.

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::harness::{Client, Collector, Database, Seen, Server, on_both_databases};

on_both_databases!(
    a_job_is_traced_and_its_retry_is_linked,
    an_execution_is_one_trace,
    runs_of_a_schedule_by_request_are_traced,
    spans_go_over_grpc,
);

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER_SPAN: &str = "00f067aa0ba902b7";
const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

const SERVER: i32 = 2;
const CLIENT: i32 = 3;
const PRODUCER: i32 = 4;
const CONSUMER: i32 = 5;

/// A server that sends spans soon.
pub(crate) async fn traced(database: &Database, collector: &Collector, more: &[(&str, &str)]) -> Server {
    let endpoint = collector.endpoint();
    let mut variables = vec![
        ("TRUNKLINE_OTEL__ENDPOINT", endpoint.as_str()),
        ("TRUNKLINE_OTEL__FLUSH_EVERY", "100ms"),
        ("TRUNKLINE_OTEL__HEADERS", "x-collector-key=open%20sesame"),
    ];
    variables.extend_from_slice(more);
    Server::start_with(database, &variables).await
}

async fn poll(client: &Client) -> Value {
    let body = json!({"workerId": "w", "jobTypes": ["work"], "maxJobs": 1, "wait": "20s"});
    let polled = client.post("/v1/jobs/poll", &body).await;
    polled["jobs"][0].clone()
}

async fn report(client: &Client, path: &str, job: &Value, mut item: Value) {
    (item["id"], item["leaseToken"]) = (job["id"].clone(), job["leaseToken"].clone());
    let answer = client.post(path, &json!({ "jobs": [item] })).await;
    assert_eq!(answer["results"][0]["outcome"], "ok", "{answer}");
}

fn is_below(span: &Seen, parent: &Seen) {
    assert_eq!(
        (&span.trace, &span.parent),
        (&parent.trace, &parent.id),
        "{} is below {}",
        span.name,
        parent.name
    );
}

async fn enqueue(client: &Client) -> String {
    let body = json!({"jobType": "work", "data": 1, "maxRetries": 1,
        "backoff": {"initial": "1ms", "factor": 1, "max": "1ms"}});
    let made = client.call(Method::POST, "/v1/jobs").header("traceparent", CALLER).json(&body).done().await;
    made["id"].as_str().expect("an id").to_owned()
}

async fn a_job_is_traced_and_its_retry_is_linked(database: Database) {
    let collector = Collector::http().await;
    let server = traced(&database, &collector, &[]).await;
    let client = server.client();
    let id = enqueue(&client).await;
    let first = poll(&client).await;
    let error = json!({"error": {"message": "declined", "code": "card_declined"}, "retryable": true});
    report(&client, "/v1/jobs/fail", &first, error).await;
    let second = poll(&client).await;
    assert_eq!((&second["id"], &second["attempt"]), (&json!(id), &json!(2)));
    report(&client, "/v1/jobs/complete", &second, json!({"result": 2})).await;

    let of_job = |span: &Seen| span.attribute("messaging.message.id") == id;
    let request = collector.one("POST /v1/jobs", |_| true).await;
    assert_eq!((request.trace.as_str(), request.parent.as_str()), (TRACE, CALLER_SPAN));
    assert_eq!((request.kind, request.attribute("http.response.status_code")), (SERVER, "202"));
    let send = collector.one("send workflow-node", of_job).await;
    is_below(&send, &request);
    assert_eq!((send.kind, send.attribute("messaging.destination.name")), (PRODUCER, "workflow-node"));
    for wait in collector.all("wait workflow-node", 2, of_job).await {
        is_below(&wait, &send);
    }
    let attempts = collector.all("process workflow-node", 2, of_job).await;
    let numbered = |number: &str| {
        attempts.iter().find(|span| span.attribute("trunkline.attempt") == number).expect("an attempt")
    };
    let (failed, retried) = (numbered("1"), numbered("2"));
    is_below(failed, &send);
    assert_eq!((failed.kind, failed.is_error), (CONSUMER, true));
    assert_eq!(failed.attribute("error.type"), "card_declined");
    assert_eq!(failed.attribute("trunkline.job.type"), "work");
    assert_eq!(first["traceparent"], failed.traceparent(), "the worker's spans go below the attempt's");
    // A retry is another trace, and says where it comes from.
    assert_eq!((retried.parent.as_str(), retried.is_error), ("", false));
    assert_ne!(retried.trace, TRACE);
    let expected = [&send, failed].map(|span| (span.trace.clone(), span.id.clone()));
    assert_eq!(retried.links, expected);
    assert_eq!(second["traceparent"], retried.traceparent());
    for waited in [&send, failed, retried] {
        let commit = collector.one("commit", |span| span.parent == waited.id).await;
        assert_eq!(commit.trace, waited.trace);
        assert!(commit.begun_ns <= commit.ended_ns);
    }
    examples_name_the_trace(&server, TRACE).await;
    let polls = collector.spans().iter().filter(|span| span.name.contains("poll")).count();
    assert_eq!(polls, 0, "polls make no spans");
    let (services, keys) = collector.senders();
    assert!(services.iter().all(|name| name == "trunkline"), "{services:?}");
    assert!(!keys.is_empty() && keys.iter().all(|key| key == "open sesame"), "{keys:?}");
    assert!(!server.log().contains("sesame"), "headers are secrets");
}

/// Histograms of jobs have traces as examples, for those who ask for OpenMetrics.
async fn examples_name_the_trace(server: &Server, trace: &str) {
    let metrics = Client::new(&server.metrics_url(), None);
    let read = |accept: &'static str| metrics.call(Method::GET, "/metrics").header("accept", accept).answer();
    let open = read("application/openmetrics-text").await;
    assert!(open.header("content-type").is_some_and(|kind| kind.starts_with("application/openmetrics-text")));
    let example = format!("# {{trace_id=\"{trace}\"}}");
    for histogram in ["job_wait_seconds", "job_run_seconds", "job_end_to_end_seconds"] {
        let begin = format!("trunkline_{histogram}_bucket{{");
        let mut lines = open.text.lines();
        let has_example = lines.any(|line| line.starts_with(&begin) && line.contains(&example));
        assert!(has_example, "{histogram} has no example: {}", open.text);
    }
    assert!(!read("text/plain").await.text.contains("trace_id"), "the other format has none");
}

/// A service that says which context it was called with.
async fn called() -> (String, mpsc::UnboundedReceiver<String>) {
    let (calls, received) = mpsc::unbounded_channel();
    let answer = move |headers: HeaderMap| {
        let text = headers["traceparent"].to_str().expect("text").to_owned();
        calls.send(text).expect("the test waits for it");
        async { "fine" }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("it is bound").to_string();
    let router = Router::new().route("/stock", get(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, received)
}

async fn an_execution_is_one_trace(database: Database) {
    let (address, mut contexts) = called().await;
    let collector = Collector::http().await;
    let server = traced(&database, &collector, &[("TRUNKLINE_EGRESS__ALLOW", &address)]).await;
    let client = server.client();
    let workflow = json!({"name": "three", "version": 1, "nodes": [
        {"id": "ask", "type": "HTTP", "request": {"method": "GET", "url": format!("http://{address}/stock?key=secret")}},
        {"id": "charge", "type": "SERVICE_TASK", "jobType": "work", "dependsOn": ["ask"]},
        {"id": "sum", "type": "TRANSFORM", "dependsOn": ["charge"], "output": 7},
    ]});
    client.post("/v1/workflows", &workflow).await;
    let body = json!({"workflow": "three", "correlationId": "order-7"});
    let start = client.call(Method::POST, "/v1/executions").header("traceparent", CALLER).json(&body);
    let id = start.done().await["id"].as_str().expect("an id").to_owned();
    let task = poll(&client).await;
    report(&client, "/v1/jobs/complete", &task, json!({"result": 1})).await;
    let ended = client.get(&format!("/v1/executions/{id}?wait=true")).await;
    assert_eq!(ended["status"], "COMPLETED", "{ended}");

    let request = collector.one("POST /v1/executions", |_| true).await;
    assert_eq!((request.trace.as_str(), request.parent.as_str()), (TRACE, CALLER_SPAN));
    let send = collector.one("send workflow-execution", |_| true).await;
    is_below(&send, &request);
    assert_eq!(send.attribute("messaging.message.conversation_id"), "order-7");
    assert_eq!(send.attribute("trunkline.execution.id"), id);
    let turn =
        collector.one("process workflow-execution", |span| span.attribute("trunkline.attempt") == "1").await;
    is_below(&turn, &send);
    for node in ["ask", "charge", "sum"] {
        let step = collector.one(&format!("step {node}"), |_| true).await;
        is_below(&step, &turn);
        assert_eq!(
            (step.attribute("trunkline.node.id"), step.attribute("trunkline.workflow")),
            (node, "three")
        );
        if node == "sum" {
            continue;
        }
        let of_node = |span: &Seen| span.attribute("trunkline.node.id") == node;
        let send = collector.one("send workflow-node", of_node).await;
        is_below(&send, &step);
        let process = collector.one("process workflow-node", of_node).await;
        is_below(&process, &send);
        assert!(step.begun_ns <= process.begun_ns, "{step:?} {process:?}");
        if node == "charge" {
            assert_eq!(task["traceparent"], process.traceparent());
        } else {
            let call = collector.one("GET", |_| true).await;
            is_below(&call, &process);
            assert_eq!((call.kind, call.attribute("http.response.status_code")), (CLIENT, "200"));
            assert_eq!(call.attribute("url.full"), format!("http://{address}/stock?REDACTED"));
            let sent = contexts.recv().await.expect("it was called");
            assert_eq!(sent, call.traceparent(), "the service's spans go below the request's");
        }
    }
    let commits = collector.all("commit", 2, |span| span.parent == turn.id).await;
    assert!(commits.iter().all(|commit| commit.trace == TRACE));
}

async fn runs_of_a_schedule_by_request_are_traced(database: Database) {
    let collector = Collector::http().await;
    let server = traced(&database, &collector, &[]).await;
    let client = server.client();
    let nodes = json!([{"id": "sum", "type": "TRANSFORM", "output": 7}]);
    client.post("/v1/workflows", &json!({"name": "nightly", "version": 1, "nodes": nodes})).await;
    // It fires once in years, and not by itself.
    let schedule = json!({"name": "n", "workflow": "nightly", "cron": "0 0 29 2 *", "paused": true});
    let made = client.post("/v1/schedules", &schedule).await;
    let path = format!("/v1/schedules/{}", made["id"].as_str().expect("an id"));
    let span = json!({"from": "2020-01-01T00:00:00Z", "to": "2024-12-31T00:00:00Z"});
    let done = client.post(&format!("{path}/backfill"), &span).await;
    assert_eq!(done["started"], 2, "{done}");
    let run = client.call(Method::POST, &format!("{path}/run")).done().await;
    let sends = collector.all("send workflow-execution", 3, |_| true).await;
    assert!(sends.iter().all(|send| send.attribute("trunkline.workflow") == "nightly"));
    assert!(sends.iter().any(|send| send.attribute("trunkline.execution.id") == run["executionId"]));
}

async fn spans_go_over_grpc(database: Database) {
    let collector = Collector::grpc().await;
    let mut server = traced(
        &database,
        &collector,
        &[
            ("TRUNKLINE_OTEL__PROTOCOL", "grpc"),
            ("TRUNKLINE_OTEL__SERVICE_NAME", "jobs"),
            ("TRUNKLINE_OTEL__FLUSH_EVERY", "1h"),
        ],
    )
    .await;
    let client = server.client();
    let id = enqueue(&client).await;
    let job = poll(&client).await;
    report(&client, "/v1/jobs/complete", &job, json!({"result": 1})).await;
    // What was recorded is sent before the process ends.
    assert!(server.terminate(std::time::Duration::from_mins(1)).await.success());
    let of_job = |span: &Seen| span.attribute("messaging.message.id") == id;
    let send = collector.one("send workflow-node", of_job).await;
    let process = collector.one("process workflow-node", of_job).await;
    is_below(&process, &send);
    assert_eq!(process.trace, TRACE);
    let (services, keys) = collector.senders();
    assert_eq!((services[0].as_str(), keys[0].as_str()), ("jobs", "open sesame"));
}

/// The spans of jobs that a collector does not take are dropped and counted, and nothing else changes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_that_is_away_costs_spans_only() {
    let database = Database::sqlite();
    let server = Server::start_with(
        &database,
        &[("TRUNKLINE_OTEL__ENDPOINT", "http://127.0.0.1:9"), ("TRUNKLINE_OTEL__FLUSH_EVERY", "100ms")],
    )
    .await;
    let client = server.client();
    enqueue(&client).await;
    let job = poll(&client).await;
    report(&client, "/v1/jobs/complete", &job, json!({"result": 1})).await;
    let metrics = Client::new(&server.metrics_url(), None);
    crate::harness::until("they are counted", std::time::Duration::from_mins(1), || async {
        let text = metrics.try_get("/metrics").await.text;
        let line = text.lines().find(|line| line.starts_with("trunkline_otel_spans_dropped_total "))?;
        line.rsplit(' ').next()?.parse::<f64>().ok().filter(|dropped| *dropped >= 3.0)
    })
    .await;
    let warnings = server.log().matches("spans could not be sent").count();
    assert_eq!(warnings, 1, "once, until it is better");
}

/// A caller that does not want its trace gets none, and workers see its flag.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_s_flag_wins() {
    let collector = Collector::http().await;
    let server = traced(&Database::sqlite(), &collector, &[("TRUNKLINE_OTEL__SAMPLE", "0")]).await;
    let client = server.client();
    let unwanted = CALLER.replace("-01", "-00");
    let body = json!({"jobType": "work", "data": 1});
    client.call(Method::POST, "/v1/jobs").header("traceparent", &unwanted).json(&body).done().await;
    let job = poll(&client).await;
    let context = job["traceparent"].as_str().expect("a context").to_owned();
    assert!(context.starts_with(&format!("00-{TRACE}-")) && context.ends_with("-00"), "{context}");
    report(&client, "/v1/jobs/complete", &job, json!({"result": 1})).await;
    client.post("/v1/jobs", &body).await;
    enqueue(&client).await;
    let request = collector.one("POST /v1/jobs", |_| true).await;
    assert_eq!(request.parent, CALLER_SPAN, "that of the caller who asked for it");
    assert!(collector.spans().iter().all(|span| span.trace == TRACE));
}
