//! Health, documentation, and what is not there.

use axum::http::StatusCode;

use crate::harness::{Harness, bare, send};

#[tokio::test]
async fn probes_and_documents_need_no_key() {
    let harness = Harness::start().await;
    for uri in ["/healthz", "/readyz", "/openapi.json", "/docs/"] {
        assert_eq!(send(&harness.router, bare("GET", uri)).await.status, StatusCode::OK, "{uri}");
    }
    let document = send(&harness.router, bare("GET", "/openapi.json")).await;
    assert_eq!(document.body["info"]["title"], "Trunkline");
    let docs = send(&harness.router, bare("GET", "/docs")).await;
    assert!(docs.status.is_redirection());
}

#[tokio::test]
async fn a_store_that_is_gone_is_503() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    harness.engine.store.close().await;
    let ready = send(&harness.router, bare("GET", "/readyz")).await.problem(503, "unavailable");
    assert!(ready.header("retry-after").is_some());
    let jobs = admin.get("/v1/jobs").await.problem(503, "unavailable");
    assert!(jobs.header("retry-after").is_some());
    assert_eq!(send(&harness.router, bare("GET", "/healthz")).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_server_that_shuts_down_is_not_ready() {
    let harness = Harness::start().await;
    harness.engine.engine.begin_shutdown();
    send(&harness.router, bare("GET", "/readyz")).await.problem(503, "unavailable");
}

#[tokio::test]
async fn what_is_not_there_is_a_problem_too() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    for uri in ["/", "/v1", "/v1/nothing", "/v2/jobs", "/v1/jobs/"] {
        admin.get(uri).await.problem(404, "not_found");
    }
    let wrong = admin.send(admin.request("PATCH", "/v1/jobs", "{}")).await.problem(405, "method_not_allowed");
    assert!(wrong.header("allow").is_some_and(|allow| allow.contains("POST")));
    admin.send(admin.request("DELETE", "/healthz", "")).await.problem(405, "method_not_allowed");
}

#[tokio::test]
async fn answers_name_their_request() {
    let harness = Harness::start().await;
    let answer = send(&harness.router, bare("GET", "/healthz")).await;
    assert!(answer.header("x-request-id").is_some_and(|id| !id.is_empty()));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}
