//! `attribute`, `search`, `rate`, `retention`, `alert`, `batch` and `server`: what operators look at and change.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Database, Server, on_both_databases, trunkline, until};

on_both_databases!(
    cli_attributes_are_declared_and_queries_completed,
    cli_rates_and_retention_are_set_and_put_back,
    cli_alerts_have_rules_routes_and_silences,
    cli_bulk_operations_are_listed_with_their_objects,
    cli_bulk_operations_begin_with_a_canary,
    cli_bulk_operations_are_paused_resumed_and_aborted,
);

const DEADLINE: Duration = Duration::from_mins(1);

fn count(list: &Value) -> usize {
    list["items"].as_array().unwrap_or_else(|| panic!("no list: {list}")).len()
}

async fn cli_attributes_are_declared_and_queries_completed(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    let search = ["job", "list", "--q", "data.customer.id:7", "--count", "--json"];
    let refused = run(&["job", "list", "--q", "data.customer.id:7"]).exits(1);
    assert!(refused.stderr.contains("hint: trunkline attribute set job-type"), "{}", refused.stderr);
    let path = "customerId=integer:data.customer.id";
    run(&["attribute", "set", "job-type", "charge", path, "region=text"]).prints(&[
        "customerId",
        "integer",
        "data.customer.id",
        "region",
    ]);
    run(&["job", "enqueue", "charge", "--data", r#"{"customer": {"id": 7}}"#]).exits(0);
    run(&["job", "enqueue", "charge", "--data", r#"{"customer": {"id": 8}}"#]).exits(0);
    let found = run(&search).json();
    assert_eq!((count(&found), &found["count"]), (1, &json!({"value": 1, "exact": true})), "{found}");
    run(&["attribute", "set", "job-type", "charge", "region=none"]).exits(0);
    let listed = run(&["attribute", "list", "job-type", "charge", "--json"]).json();
    assert_eq!((&listed["customerId"]["type"], &listed["region"]), (&json!("integer"), &Value::Null));

    let completed = run(&["search", "suggest", "jobs", "sta", "--json"]).json();
    assert_eq!(completed["items"][0]["text"], "status:", "{completed}");
    run(&["search", "suggest", "jobs", "status:FA"]).prints(&["FAILED"]);
}

async fn cli_rates_and_retention_are_set_and_put_back(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    let set = run(&["rate", "set", "smtp:*", "100/1m", "--max-concurrent", "5", "--json"]).json();
    assert_eq!((&set["rate"], &set["maxConcurrent"]), (&json!("100/1m"), &json!(5)), "{set}");
    run(&["rate", "list"]).prints(&["smtp:*", "100/1m", "5"]);
    run(&["rate", "delete", "smtp:*"]).prints(&["smtp:* removed"]);
    run(&["rate", "list"]).prints(&["(none)"]);
    run(&["rate", "delete", "smtp:*"]).exits(5);

    let set = run(&["retention", "set", "workflow-node.completed=5d", "archive=60d", "--json"]).json();
    let kept = (&set["workflow-node"]["completed"], &set["archive"]);
    assert_eq!(kept, (&json!("5d"), &json!("60d")), "{set}");
    run(&["retention", "show"]).prints(&["workflow-node.completed", "5d", "deployment", "settings"]);
    let set = run(&["retention", "set", "--tenant", "acme", "archive=90d", "--json"]).json();
    assert_eq!((&set["archive"], &set["source"]["archive"]), (&json!("90d"), &json!("tenant")), "{set}");
    let set = run(&["retention", "set", "archive=default", "--json"]).json();
    assert_eq!(set["source"]["archive"], "settings", "{set}");
}

async fn cli_alerts_have_rules_routes_and_silences(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    let route = r#"{"type": "webhook", "url": "https://pager.example/hook"}"#;
    let made = run(&["alert", "routes", "--set", "on-call", "--body", route, "--json"]).json();
    assert!(made["secret"].as_str().is_some_and(|secret| secret.starts_with("whsec_")), "{made}");
    run(&["alert", "routes"]).prints(&["on-call", "webhook", "https://pager.example/hook"]);
    let rule = r#"{"metric": "depth", "above": 2, "for": "0s", "severity": "critical", "routes": ["log"]}"#;
    run(&["alert", "rules", "--set", "deep", "--body", rule]).prints(&["deep", "depth", "critical"]);
    run(&["alert", "rules"]).prints(&["deep", "oldest_age", "no_worker", "dead_letter_growth"]);
    run(&["alert", "rules", "--set", "deep"]).exits(2);

    let silence = run(&[
        "alert", "silence", "--for", "2h", "--reason", "upkeep", "--rule", "deep", "--label", "tier=low",
        "--json",
    ])
    .json();
    assert_eq!((&silence["rule"], &silence["labels"]), (&json!("deep"), &json!({"tier": "low"})));
    run(&["alert", "silence"]).prints(&["upkeep", "deep"]);
    run(&["alert", "silence", "--end", silence["id"].as_str().expect("an id")]).prints(&["ended"]);
    run(&["alert", "silence"]).prints(&["(none)"]);

    let sent = run(&["alert", "test", "log", "--json"]).json();
    assert_eq!(sent["route"], "log", "{sent}");
    until("the notification is sent", DEADLINE, || async {
        let sent = run(&["alert", "notifications", "--status", "sent", "--json"]).json();
        (count(&sent) > 0).then_some(())
    })
    .await;
    run(&["alert", "list", "--status", "firing", "--severity", "critical"]).exits(0);
    run(&["alert", "rules", "--delete", "deep"]).prints(&["deep removed"]);
    run(&["alert", "routes", "--delete", "on-call"]).prints(&["on-call removed"]);
}

async fn cli_bulk_operations_are_listed_with_their_objects(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    for _ in 0..3 {
        run(&["job", "enqueue", "many"]).exits(0);
    }
    assert_eq!(run(&["job", "cancel", "--job-type", "many", "--dry-run", "--json"]).json()["count"], 3);
    run(&["job", "cancel", "--job-type", "many", "--dry-run"]).prints(&[
        "count",
        "The first 3",
        "job_",
        "many",
    ]);
    let batch = run(&["job", "cancel", "--job-type", "many", "--reason", "a mistake", "--json"]).json();
    assert_eq!((&batch["status"], &batch["done"]), (&json!("completed"), &json!(3)), "{batch}");
    let id = batch["id"].as_str().expect("an id");
    run(&["batch", "list", "--kind", "jobs.cancel"]).prints(&[id, "completed"]);
    let shown = run(&["batch", "show", id, "--json"]).json();
    assert_eq!(shown["reason"], "a mistake", "{shown}");
    assert_eq!(count(&run(&["batch", "items", id, "--outcome", "done", "--json"]).json()), 3);
    run(&["batch", "items", id, "--outcome", "failed"]).prints(&["(none)"]);
    until("the process shows itself", DEADLINE, || async {
        let servers = run(&["server", "list", "--json"]).json();
        (count(&servers) == 1).then_some(())
    })
    .await;
}

/// Waits until a bulk operation has a status.
async fn reaches(server: &Server, id: &str, status: &str) -> Value {
    until(&format!("{id} is {status}"), DEADLINE, || async {
        let shown = trunkline(server, &["batch", "show", id, "--json"]).json();
        (shown["status"] == status).then_some(shown)
    })
    .await
}

async fn cli_bulk_operations_begin_with_a_canary(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    for job_type in ["by-hand", "by-itself"] {
        let jobs = vec![json!({ "jobType": job_type }); 4];
        server.client().post("/v1/jobs/batch", &json!({ "jobs": jobs })).await;
    }
    let canary = ["--canary", "1", "--json"];
    let cancel = ["job", "cancel", "--job-type", "by-hand", "--canary-manual"];
    let waits = run(&[&cancel[..], &canary[..]].concat()).exits(3);
    let paused: Value = serde_json::from_str(&waits.stdout).expect("JSON");
    assert_eq!((&paused["statusReason"], &paused["done"]), (&json!("canary"), &json!(1)), "{paused}");
    let id = paused["id"].as_str().expect("an id");
    run(&["batch", "resume", id]).prints(&[id]);
    assert_eq!(reaches(&server, id, "completed").await["done"], 4);
    run(&cancel).exits(2);

    let cancel = ["job", "cancel", "--job-type", "by-itself"];
    let ended = run(&[&cancel[..], &canary[..]].concat()).json();
    assert_eq!((&ended["status"], &ended["done"]), (&json!("completed"), &json!(4)), "{ended}");
    let canary = ended.pointer("/request/pace/canary").expect("it is kept");
    assert_eq!(canary, &json!({"count": 1, "proceed": "auto"}), "{ended}");
}

async fn cli_bulk_operations_are_paused_resumed_and_aborted(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    // One a second: it does not end before the test does.
    let jobs = vec![json!({"jobType": "many"}); 500];
    server.client().post("/v1/jobs/batch", &json!({ "jobs": jobs })).await;
    let slowly = ["job", "cancel", "--job-type", "many", "--rate-per-second", "1", "--no-wait", "--json"];
    let batch = run(&slowly).json();
    let id = batch["id"].as_str().expect("an id");
    reaches(&server, id, "running").await;
    run(&["batch", "pause", id]).prints(&[id, "paused"]);
    assert_eq!(reaches(&server, id, "paused").await["statusReason"], "operator");
    run(&["batch", "pause", id]).exits(1);
    run(&["batch", "resume", id]).prints(&[id, "running"]);
    run(&["batch", "abort", id]).prints(&[id, "aborted"]);
    let aborted = reaches(&server, id, "aborted").await;
    assert!(aborted["done"].as_u64().is_some_and(|done| done < 500), "{aborted}");
    run(&["batch", "abort", id]).exits(1);
    run(&["job", "list", "--job-type", "many", "--status", "QUEUED"]).prints(&["job_"]);
}
