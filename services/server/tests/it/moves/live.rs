//! What callers see of moves by a server: progress, refusals, a move that is given up, one that fails, one that ends. Moves under
//! load are among the kill loops.

use std::time::Duration;

use serde_json::{Value, json};

use super::helpers::{DEADLINE, enqueue, is_refused, poll};
use crate::harness::{Client, Database, Server, trunkline, until};

/// The last move, once it is over.
async fn ended(client: &Client) -> Value {
    until("the move is over", DEADLINE, || async {
        let answer = client.call(reqwest::Method::GET, "/v1/moves/last").send().await.ok()?;
        let view = answer.is_success().then(|| answer.json())?;
        matches!(view["phase"].as_str(), Some("done" | "failed")).then_some(view)
    })
    .await
}

/// The server goes on behind the same address with the leases that workers have, and the old file can be read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_goes_on_where_it_moved_its_store() {
    let (old, new) = (Database::sqlite(), Database::postgres().await);
    let mut server = Server::start_with(&old, &[("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "10m")]).await;
    let client = server.client();
    assert_eq!(client.try_post("/v1/moves/last/abort", &json!({})).await.json()["code"], "move_not_running");
    let job = enqueue(&server).await;
    let leased = poll(&server).await;
    let (key, hook) = key_and_webhook(&client).await;
    trunkline(&server, &["move", "--to", &new.url]).prints(&["moved to postgres://", "Set database.url"]);
    let path = format!("/v1/webhooks/{}", hook["id"].as_str().expect("an id"));
    let there = client.with_key(Some(key.as_str())).get(&path).await;
    assert_eq!(there["url"], hook["url"], "its address, asked for with a key of before");
    trunkline(&server, &["move", "--follow"]).prints(&["moved to postgres://"]);
    let report = json!({ "id": job, "leaseToken": leased[0]["leaseToken"], "result": null });
    client.post("/v1/jobs/complete", &json!({ "jobs": [report] })).await;
    let path = format!("/v1/jobs/{}", job.as_str().expect("an id"));
    assert_eq!(client.get(&path).await["status"], "COMPLETED");
    let audit = client.get("/v1/audit?action=store.move").await;
    assert_eq!(audit["items"].as_array().map(Vec::len), Some(1), "{audit}");
    let again = client.try_post("/v1/moves", &json!({ "to": new.url })).await;
    assert_eq!((again.status, &again.json()["code"]), (409, &json!("move_unsupported")));
    trunkline(&server, &["backup", "old.db", "--database-url", &old.url]).prints(&["old.db"]);
    assert!(server.terminate(DEADLINE).await.success());
    is_refused(&mut server, &old).await;
    server.restart_with(&[("DATABASE_URL", &new.url)]).await;
    let job = enqueue(&server).await;
    assert_eq!(poll(&server).await[0]["id"], job);
}

/// A key, and a webhook with an address of its own.
async fn key_and_webhook(client: &Client) -> (String, Value) {
    let nodes = json!([{ "id": "a", "type": "TIMER", "duration": "1ms" }]);
    client.post("/v1/workflows", &json!({ "name": "tick", "version": 1, "nodes": nodes })).await;
    let hook = json!({ "name": "push", "provider": "github", "secrets": ["a secret of the move"],
        "triggers": [{ "id": "all", "workflow": "tick" }] });
    let hook = client.post("/v1/webhooks", &hook).await;
    let made = client.post("/v1/api-keys", &json!({ "name": "o", "role": "operator" })).await;
    (made["key"].as_str().expect("it is shown once").to_owned(), hook)
}

/// A move that cannot be made leaves the server where it is, at work, and may be asked for again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_fails_leaves_the_server_at_work() {
    let (database, full, empty) =
        (Database::sqlite(), Database::postgres().await, Database::postgres().await);
    let server = Server::start(&database).await;
    let mut other = Server::start(&full).await;
    assert!(other.terminate(Duration::from_secs(30)).await.success());
    let refused = trunkline(&server, &["move", "--to", &full.url]).exits(1);
    assert!(refused.stderr.contains("is not empty"), "{}", refused.stderr);
    let client = server.client();
    let made = client.post("/v1/api-keys", &json!({ "name": "o", "role": "operator" })).await;
    let operator = client.with_key(made["key"].as_str());
    assert_eq!(operator.try_post("/v1/moves", &json!({ "to": full.url })).await.status, 403);
    assert_eq!(operator.try_post("/v1/moves/last/abort", &json!({})).await.status, 403);
    let invalid = client.try_post("/v1/moves", &json!({ "to": "sqlite://x.db" })).await;
    assert_eq!((invalid.status, &invalid.json()["errors"][0]["pointer"]), (422, &json!("/to")));
    let job = enqueue(&server).await;
    assert_eq!(poll(&server).await[0]["id"], job);
    trunkline(&server, &["move", "--to", &empty.url]).prints(&["moved to postgres://"]);
}

/// A move that waits for a lock of the new database is given up on request; the database can be used for another one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_is_given_up_on_request() {
    let (old, new) = (Database::sqlite(), Database::postgres().await);
    let server = Server::start(&old).await;
    let client = server.client();
    let turn = Turn::of(&new).await;
    client.post("/v1/moves", &json!({ "to": new.url })).await;
    let second = client.try_post("/v1/moves", &json!({ "to": new.url })).await;
    assert_eq!((second.status, &second.json()["code"]), (409, &json!("move_running")));
    trunkline(&server, &["move", "--abort"]).prints(&["not moved to postgres://", "it was aborted"]);
    assert_eq!(ended(&client).await["phase"], "failed");
    turn.release().await;
    let job = enqueue(&server).await;
    assert_eq!(poll(&server).await[0]["id"], job);
    let audit = client.get("/v1/audit?action=store.move_abort").await;
    assert_eq!(audit["items"].as_array().map(Vec::len), Some(1), "{audit}");
    trunkline(&server, &["move", "--to", &new.url]).prints(&["moved to postgres://"]);
}

/// The lock that one move to a database holds.
struct Turn(sqlx::PgConnection);

impl Turn {
    async fn of(database: &Database) -> Self {
        use sqlx::{Connection as _, Executor as _};
        let mut connection =
            sqlx::PgConnection::connect(&database.url).await.expect("the test server answers");
        connection.execute("SELECT pg_advisory_lock(7287154962)").await.expect("nobody has it");
        Self(connection)
    }

    async fn release(self) {
        use sqlx::Connection as _;
        self.0.close().await.expect("it closes");
    }
}
