//! `audit`: what is listed, exported and verified, and what somebody with the database in hand cannot hide.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::{Connection, Executor, PgConnection, SqliteConnection};

use crate::harness::{Database, Server, on_both_databases, trunkline, until};

on_both_databases!(
    cli_the_audit_log_is_listed_exported_and_verified,
    a_row_that_was_changed_in_the_database_shows,
    i01_work_and_its_line_survive_a_kill_together,
);

/// The process ends before and after the commit of an enqueue, and right after the answer to a start: what was stored has its
/// line, and what was not has none.
async fn i01_work_and_its_line_survive_a_kill_together(database: Database) {
    let mut server = Server::start(&database).await;
    for (point, count) in [("enqueue-before", 0), ("enqueue-after", 1)] {
        server.kill_nine();
        server.restart_with(&[("FAILPOINTS", &format!("{point}=return"))]).await;
        let body = json!({"jobType": "cut-off", "data": 1});
        let answer = server.client().call(Method::POST, "/v1/jobs").json(&body).send().await;
        assert!(answer.is_err(), "{point}: {answer:?}");
        server.ended(Duration::from_secs(30)).await;
        server.restart_with(&[("FAILPOINTS", "")]).await;
        let jobs = server.client().all("/v1/jobs?jobType=cut-off").await;
        let lines = server.client().all("/v1/audit?action=job.enqueue").await;
        assert_eq!((jobs.len(), lines.len()), (count, count), "{point}: {lines:?}");
    }
    let workflow =
        json!({"name": "short", "version": 1, "nodes": [{"id": "n", "type": "TRANSFORM", "output": 1}]});
    server.client().post("/v1/workflows", &workflow).await;
    let started = server.client().post("/v1/executions", &json!({"workflow": "short"})).await;
    server.kill_nine();
    server.restart().await;
    let lines = server.client().all("/v1/audit?action=execution.start").await;
    let subjects: Vec<&Value> = lines.iter().map(|line| &line["subject"]).collect();
    assert_eq!(subjects, [&started["id"]], "{lines:?}");
    sealed(&server, 2).await;
}

/// Waits until so many rows are sealed; answers what the verification says.
async fn sealed(server: &Server, rows: u64) -> Value {
    until("the rows are sealed", Duration::from_secs(30), || async {
        let verified = trunkline(server, &["audit", "verify", "--json"]).json();
        (verified["rows"].as_u64() >= Some(rows)).then_some(verified)
    })
    .await
}

async fn cli_the_audit_log_is_listed_exported_and_verified(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    run(&["queue", "pause", "workflow-node"]).exits(0);
    run(&["queue", "resume", "workflow-node"]).exits(0);
    run(&["limits", "set", "workflow-node", "7"]).exits(0);
    run(&["audit", "list"]).prints(&["ACTOR", "queue.pause", "limits.set", "cli", "done"]);
    let paused = run(&["audit", "list", "--action", "queue.pause", "--door", "cli", "--json"]).json();
    assert_eq!(paused["items"].as_array().map(Vec::len), Some(1), "{paused}");
    assert_eq!(
        (&paused["items"][0]["before"], &paused["items"][0]["after"]),
        (&json!({"mode": "running"}), &json!({"mode": "paused"})),
        "{paused}"
    );
    run(&["audit", "list", "--door", "window"]).exits(2);

    let verified = sealed(&server, 4).await;
    let head = verified["head"]["hash"].as_str().expect("a hash").to_owned();
    run(&["audit", "verify"]).prints(&["ok:", &head]);
    run(&["audit", "verify", "--expect-head", &head]).exits(0);
    let other = run(&["audit", "verify", "--expect-head", &"0".repeat(64), "--json"]).exits(1);
    assert!(other.stdout.contains("\"head\""), "{}", other.stdout);
    run(&["audit", "verify", "--expect-head", "nonsense"]).exits(2);

    let file = server.directory().join("audit.jsonl");
    let path = file.to_str().expect("UTF-8");
    run(&["audit", "export", "--out", path]).exits(0);
    run(&["audit", "verify", "--file", path, "--expect-head", &head]).prints(&["ok:", &head]);
    let text = std::fs::read_to_string(&file).expect("written");
    let changed = text.replacen("queue.pause", "queue.drain", 1);
    std::fs::write(&file, &changed).expect("written");
    let output = run(&["audit", "verify", "--file", path]).exits(1);
    assert!(output.stdout.contains("tampered") && output.stdout.contains("changed"), "{}", output.stdout);
    let without: Vec<&str> =
        text.lines().enumerate().filter(|(at, _)| *at != 1).map(|(_, line)| line).collect();
    std::fs::write(&file, without.join("\n")).expect("written");
    let output = run(&["audit", "verify", "--file", path, "--json"]).exits(1);
    assert!(output.stdout.contains("missing"), "{}", output.stdout);
    std::fs::write(&file, "not JSON\n").expect("written");
    run(&["audit", "verify", "--file", path]).exits(2);
    run(&["audit", "verify", "--file", "there-is-none.jsonl"]).exits(2);
}

async fn a_row_that_was_changed_in_the_database_shows(database: Database) {
    let mut server = Server::start(&database).await;
    trunkline(&server, &["queue", "pause", "workflow-node"]).exits(0);
    trunkline(&server, &["queue", "resume", "workflow-node"]).exits(0);
    sealed(&server, 3).await;
    server.terminate(Duration::from_secs(30)).await;
    let change = "UPDATE audit SET actor = 'somebody else' WHERE action = 'queue.pause'";
    if database.is_postgres() {
        let mut connection = PgConnection::connect(&database.url).await.expect("the database answers");
        connection.execute(change).await.expect("the row is changed");
    } else {
        let mut connection = SqliteConnection::connect(&database.url).await.expect("the database opens");
        connection.execute(change).await.expect("the row is changed");
        connection.close().await.expect("the database closes");
    }
    server.restart().await;
    let output = trunkline(&server, &["audit", "verify", "--json"]).exits(1);
    let found: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!((&found["ok"], &found["firstBad"]["problem"]), (&json!(false), &json!("hash")), "{found}");
    assert!(found["firstBad"]["id"].as_str().is_some_and(|id| id.starts_with("evt_")), "{found}");
    trunkline(&server, &["audit", "verify"]).exits(1);
}
