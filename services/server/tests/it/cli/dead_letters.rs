//! `dlq`: what died is listed, grouped, put back, archived and exported. I10: history stays, and putting back twice
//! makes one job.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{
    Database, PolledJob, Record, Report, Server, Worker, WorkerSetup, on_both_databases, trunkline, until,
};

const DEADLINE: Duration = Duration::from_secs(20);

on_both_databases!(i10_cli_dead_letters_are_reviewed);

/// Fails what is marked broken.
fn judge(job: PolledJob) -> Report {
    if job.data["broken"] == true {
        return Report::Fail { message: format!("file {} is broken", job.data["n"]), retryable: false };
    }
    Report::Complete(job.data)
}

async fn i10_cli_dead_letters_are_reviewed(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    let client = server.client();
    let record = Record::new();
    let setup = WorkerSetup::new("judge", &["frail"], |job| async { judge(job) });
    let worker = Worker::start(client.clone(), setup, record.clone());
    let jobs: Vec<Value> =
        (0..5).map(|n| json!({"jobType": "frail", "data": {"broken": true, "n": n}})).collect();
    client.post("/v1/jobs/batch", &json!({ "jobs": jobs })).await;
    until("all died", DEADLINE, || async { (client.all("/v1/dead-letters").await.len() == 5).then_some(()) })
        .await;

    run(&["dlq", "list"]).prints(&["ID", "dlq_", "frail", "non_retryable", "is broken"]);
    let listed = run(&["dlq", "list", "--json", "--job-type", "frail"]).json();
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(5));
    run(&["dlq", "list", "--job-type", "other"]).prints(&["(none)"]);
    let groups = run(&["dlq", "groups", "--json"]).json();
    assert_eq!(groups["items"][0]["count"], 5, "numbers in messages make no groups of their own: {groups}");
    run(&["dlq", "groups"]).prints(&["FINGERPRINT", "5", "frail"]);
    let group = text(&groups["items"][0]["fingerprint"]);
    run(&["dlq", "ignore", &group, "--count", "3", "--note", "known"]).prints(&["ignored", "known"]);
    assert_eq!(run(&["dlq", "groups", "--json"]).json()["items"][0]["state"], "ignored");
    run(&["dlq", "ignore", &group, "--version", "order:3"]).prints(&["ignored"]);
    let until = &run(&["dlq", "groups", "--json"]).json()["items"][0]["until"];
    assert_eq!(until, &json!({"workflow": "order", "version": 3}));
    run(&["dlq", "ignore", &group, "--version", "3"]).exits(2);
    run(&["dlq", "groups", "--state", "open,resolved"]).prints(&["(none)"]);
    run(&["dlq", "groups", "--state", "ignored", "--limit", "1"]).prints(&[&group, "ignored"]);
    run(&["dlq", "reopen", &group]).prints(&["open"]);
    run(&["dlq", "resolve", &group]).prints(&["resolved"]);
    let (first, second) = (&listed["items"][0], &listed["items"][1]);
    one_is_put_back(&server, &text(&first["id"]), &text(&first["jobId"])).await;
    assert_eq!(record.runs().len(), 6, "five that died, and one that was put back");
    one_is_archived(&server, &text(&second["id"]));
    the_rest_is_dealt_with_in_bulk(&server).await;
    worker.stop().await;
}

/// With other data; putting it back twice makes one job.
async fn one_is_put_back(server: &Server, letter: &str, job: &str) {
    let run = |arguments: &[&str]| trunkline(server, arguments);
    let client = server.client();
    let shown = run(&["dlq", "show", letter]).json();
    assert_eq!(
        (shown["attempts"].as_array().map(Vec::len), &shown["status"]),
        (Some(1), &json!("open")),
        "{shown}"
    );
    run(&["dlq", "requeue", letter, "--data", r#"{"repaired": true}"#]).prints(&[letter, job]);
    until("it is done", DEADLINE, || async {
        (client.get(&format!("/v1/jobs/{job}")).await["status"] == "COMPLETED").then_some(())
    })
    .await;
    let done = client.get(&format!("/v1/jobs/{job}")).await;
    assert_eq!(done["result"], json!({"repaired": true}), "{done}");
    assert_eq!(done["attempts"].as_array().map(Vec::len), Some(2), "the history stays: {done}");
    run(&["dlq", "requeue", letter]).prints(&[job]);
}

fn one_is_archived(server: &Server, letter: &str) {
    let run = |arguments: &[&str]| trunkline(server, arguments);
    run(&["dlq", "archive", letter]).exits(2);
    run(&["dlq", "archive", letter, "--reason", "known bad file"]).prints(&["archived"]);
    let archive = run(&["dlq", "export"]).exits(0).stdout;
    let lines: Vec<Value> =
        archive.lines().map(|line| serde_json::from_str(line).expect("JSON Lines")).collect();
    assert_eq!((lines.len(), &lines[0]["archiveReason"]), (1, &json!("known bad file")), "{archive}");
}

async fn the_rest_is_dealt_with_in_bulk(server: &Server) {
    let run = |arguments: &[&str]| trunkline(server, arguments);
    let client = server.client();
    let refused = run(&["dlq", "requeue"]).exits(1);
    assert!(refused.stderr.contains("--all"), "{}", refused.stderr);
    assert_eq!(run(&["dlq", "requeue", "--all", "--dry-run", "--json"]).json()["count"], 3);
    let batch = run(&["dlq", "requeue", "--job-type", "frail", "--json"]).json();
    assert_eq!(
        (&batch["status"], &batch["done"], &batch["total"]),
        (&json!("completed"), &json!(3), &json!(3))
    );
    until("they die again", DEADLINE, || async {
        (client.all("/v1/dead-letters").await.len() == 3).then_some(())
    })
    .await;
    run(&["dlq", "archive", "--all", "--reason", "enough"]).prints(&["completed"]);
    run(&["dlq", "list"]).prints(&["(none)"]);
    run(&["dlq", "export", "--output", "archive.jsonl"]).exits(0);
    let exported = std::fs::read_to_string(server.directory().join("archive.jsonl")).expect("written");
    assert_eq!(exported.lines().count(), 4, "{exported}");
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("expected text, got {value}")).to_owned()
}
