//! Every call that changes something leaves a row of the audit log that names its request.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use serde_json::Value;

use crate::examples::{body_of, filled};
use crate::harness::{Answer, Client, Harness};

/// What changes nothing, what workers call (attempts are its record), and what only stands for a key.
const WITHOUT_ROWS: &[&str] = &[
    "/v1/jobs/accept",
    "/v1/jobs/complete",
    "/v1/jobs/fail",
    "/v1/jobs/heartbeat",
    "/v1/jobs/logs",
    "/v1/jobs/poll",
    "/v1/jobs/release",
    "/v1/schedules/preview",
    "/v1/session",
    "/v1/workflows/simulate",
];

/// What others name, and what is there after that. An erased tenant takes nothing more.
const FIRST: &[&str] = &["/v1/tenants", "/v1/workflows"];
const LAST: &str = "/v1/tenants/{tenant}/erase";

/// Calls with the bodies of the document's examples, on what earlier ones made.
struct Calls {
    harness: Harness,
    admin: Client,
    document: Value,
    /// Ids of what was made, by the path of their list.
    made: BTreeMap<String, String>,
    fingerprint: String,
    sent: usize,
    /// Calls that changed something, by method and path.
    changed: BTreeSet<String>,
    without_row: Vec<String>,
}

impl Calls {
    async fn start() -> Self {
        let harness = Harness::start().await;
        let admin = harness.admin();
        let letter = harness.dead_letter("send-email").await;
        let groups = admin.get("/v1/dead-letters/groups").await.expect(200);
        let fingerprint = groups.body["items"][0]["fingerprint"].as_str().expect("text").to_owned();
        Self {
            harness,
            admin,
            document: serde_json::from_str(&api::openapi_json()).expect("JSON"),
            made: BTreeMap::from([("/v1/dead-letters".to_owned(), letter)]),
            fingerprint,
            sent: 0,
            changed: BTreeSet::new(),
            without_row: Vec::new(),
        }
    }

    /// Makes a call, if the interface has it, and looks for its row if it was carried out.
    async fn call(&mut self, method: &str, path: &str) {
        let operation = self.document["paths"][path][method].clone();
        if !operation.is_object() {
            return;
        }
        let list = path.split("/{id}").next().unwrap_or(path);
        let known = self.made.get(list).map_or_else(|| path.to_owned(), |id| path.replace("{id}", id));
        let uri = filled(&known.replace("{fingerprint}", &self.fingerprint), &operation);
        let body = body_of(&operation);
        let is_dry = body.as_ref().is_some_and(|(_, text)| text.contains("\"dryRun\""));
        self.sent += 1;
        let request_id = format!("call-{}", self.sent);
        let method_name = method.to_uppercase();
        let mut request = match &body {
            Some((kind, text)) => {
                let mut request = self.admin.request(&method_name, &uri, text.clone());
                request.headers_mut().insert("content-type", kind.parse().expect("a type"));
                request
            }
            None => self.admin.request(&method_name, &uri, Body::empty()),
        };
        request.headers_mut().insert("x-request-id", request_id.parse().expect("a header"));
        let answer = self.admin.send(request).await;
        if !answer.status.is_success() || is_dry {
            return;
        }
        self.remember(path, &answer);
        self.changed.insert(format!("{method} {path}"));
        if !self.has_row(&request_id).await {
            self.without_row.push(format!("{method} {uri}"));
        }
    }

    fn remember(&mut self, path: &str, answer: &Answer) {
        if let Some(id) = answer.body["id"].as_str() {
            let list = if id.starts_with("bat_") { "/v1/batches" } else { path };
            self.made.insert(list.to_owned(), id.to_owned());
        }
    }

    /// Rows of calls that share one name their requests in the detail.
    async fn has_row(&self, request_id: &str) -> bool {
        self.harness.engine.engine.flush_audit().await;
        let rows = self.admin.get("/v1/audit?limit=500").await.expect(200);
        assert!(rows.body["nextCursor"].is_null(), "all rows are on one page");
        let name = format!("\"{request_id}\"");
        rows.body["items"].as_array().expect("a list").iter().any(|row| row.to_string().contains(&name))
    }
}

#[tokio::test]
async fn every_call_that_changes_something_leaves_a_row() {
    let mut calls = Calls::start().await;
    for path in FIRST {
        calls.call("post", path).await;
    }
    let paths = calls.document["paths"].as_object().expect("paths").keys();
    let is_looked_at = |path: &&String| {
        let path = path.as_str();
        path.starts_with("/v1/") && path != LAST && !FIRST.contains(&path) && !WITHOUT_ROWS.contains(&path)
    };
    let paths: BTreeSet<String> = paths.filter(is_looked_at).cloned().collect();
    for path in &paths {
        for method in ["post", "put"] {
            calls.call(method, path).await;
        }
    }
    for path in &paths {
        calls.call("delete", path).await;
    }
    calls.call("post", LAST).await;
    assert_eq!(calls.without_row, Vec::<String>::new());
    assert!(calls.changed.len() > 55, "{} calls changed something: {:?}", calls.changed.len(), calls.changed);
}
