//! Moves without a server: killed at every step, there and back.

use serde_json::{Value, json};

use super::helpers::{DEADLINE, enqueue, is_refused, poll};
use crate::harness::{Database, Output, Server};

/// Where a move is killed: whether the old store is still the one that counts, and after how many passes.
const KILLS: [(&str, bool); 4] = [
    ("move-begun=return", true),
    ("move-copied=7*off->return", true),
    ("move-complete=return", true),
    ("move-fenced=return", false),
];

/// `trunkline move` with the settings of a server, in its directory.
fn moves(server: &Server, from: &Database, to: &Database, fail_points: &str) -> Output {
    let mut command = server.verb(&["--json", "move", "--database-url", &from.url, "--to", &to.url]);
    command.env("FAILPOINTS", fail_points);
    tokio::task::block_in_place(|| Output::of(&mut command))
}

/// Nothing that was acknowledged is lost, whenever the move is killed: a server goes on with the old store until the new one
/// has everything, and never afterwards.
async fn killed_at_every_step(from: Database, to: Database) {
    // A lease that outlives all the starts.
    let mut server = Server::start_with(&from, &[("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "10m")]).await;
    let mut jobs = vec![enqueue(&server).await];
    let leased = poll(&server).await;
    assert_eq!(leased.len(), 1);
    for (point, goes_on) in KILLS {
        assert!(server.terminate(DEADLINE).await.success());
        let killed = moves(&server, &from, &to, point);
        assert_ne!(killed.code, 0, "{point} is not armed: {}", killed.stdout);
        assert_ne!(killed.code, 1, "{point}: {}", killed.stderr);
        if goes_on {
            let mut early = Server::prepared(&to, &[]);
            early.spawn_doomed();
            assert!(!early.ended(DEADLINE).await.success());
            assert!(early.log().contains("has not ended"), "{}", early.log());
            server.restart().await;
            jobs.push(enqueue(&server).await);
        } else {
            is_refused(&mut server, &from).await;
        }
    }
    let ended = moves(&server, &from, &to, "").json();
    assert_eq!(ended["tables"], json!([]), "all was copied before: {ended}");
    let report = json!({ "id": jobs[0], "leaseToken": leased[0]["leaseToken"], "result": "Hello, Ada" });
    server.restart_with(&[("DATABASE_URL", &to.url)]).await;
    // The lease that a worker had before went along.
    server.client().post("/v1/jobs/complete", &json!({ "jobs": [report] })).await;
    let path = format!("/v1/jobs/{}", jobs[0].as_str().expect("an id"));
    assert_eq!(server.client().get(&path).await["status"], "COMPLETED");
    let rest: Vec<Value> = poll(&server).await.iter().map(|job| job["id"].clone()).collect();
    assert_eq!(rest, jobs[1..], "in the order in which they came");
    assert!(server.terminate(DEADLINE).await.success());
    is_refused(&mut server, &from).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i01_a_move_to_postgres_killed_at_every_step_loses_nothing() {
    killed_at_every_step(Database::sqlite(), Database::postgres().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i01_a_move_to_sqlite_killed_at_every_step_loses_nothing() {
    killed_at_every_step(Database::postgres().await, Database::sqlite()).await;
}
