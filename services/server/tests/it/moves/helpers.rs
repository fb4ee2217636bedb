//! What the tests of moves share.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Database, Server};

pub(super) const DEADLINE: Duration = Duration::from_mins(1);

pub(super) async fn enqueue(server: &Server) -> Value {
    server.client().post("/v1/jobs", &json!({ "jobType": "greet", "data": { "name": "Ada" } })).await["id"]
        .clone()
}

pub(super) async fn poll(server: &Server) -> Vec<Value> {
    let body = json!({ "workerId": "w", "jobTypes": ["greet"], "maxJobs": 100, "wait": "1s" });
    server.client().post("/v1/jobs/poll", &body).await["jobs"].as_array().cloned().unwrap_or_default()
}

/// A server that is started on the old database ends, and says where the store is.
pub(super) async fn is_refused(server: &mut Server, old: &Database) {
    server.spawn_doomed_with(&[("DATABASE_URL", &old.url)]);
    assert!(!server.ended(DEADLINE).await.success());
    assert!(server.log().contains("this database was moved to"), "{}", server.log());
}
