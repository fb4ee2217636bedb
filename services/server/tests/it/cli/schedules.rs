//! `schedule`: made, shown, previewed, steered and removed.

use serde_json::json;

use crate::harness::{Database, Server, on_both_databases, trunkline};

on_both_databases!(cli_schedules_are_made_and_steered);

async fn cli_schedules_are_made_and_steered(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    let workflow = json!({"name": "report", "version": 1, "nodes": [
        {"id": "write", "type": "TRANSFORM", "output": "${input}"},
    ]});
    server.client().post("/v1/workflows", &workflow).await;

    let refused =
        run(&["schedule", "create", "x", "--workflow", "report", "--cron", "0 22-4 * * *"]).exits(1);
    assert!(refused.stderr.contains("/cron") && refused.stderr.contains("22-23,0-4"), "{}", refused.stderr);
    let made = run(&[
        "schedule",
        "create",
        "nightly",
        "--workflow",
        "report",
        "--cron",
        "30 2 1 * MON",
        "--timezone",
        "Europe/Berlin",
        "--input",
        r#"{"of": "sales"}"#,
        "--overlap",
        "queueOne",
        "--catch-up-window",
        "12h",
        "--json",
    ])
    .json();
    let id = made["id"].as_str().expect("an id").to_owned();
    assert_eq!((&made["overlap"], &made["catchUpWindow"]), (&json!("queueOne"), &json!("12h")));
    run(&["schedule", "list"]).prints(&["NAME", "nightly", "Europe/Berlin", &id]);
    run(&["schedule", "list", "--workflow", "other"]).prints(&["(none)"]);
    run(&["schedule", "show", &id]).prints(&["fires", "At 02:30", "warning:", "either"]);

    let spring = ["--timezone", "Europe/Berlin", "--from", "2026-03-27T12:00:00Z", "--count", "2"];
    let preview = [&["schedule", "preview", "--cron", "30 2 * * *"], &spring[..]].concat();
    run(&preview).prints(&["At 02:30 every day", "2026-03-29T01:00:00.000Z", "note: 29 March 2026 02:30"]);
    let shown = run(&["schedule", "preview", &id, "--count", "3", "--json"]).json();
    assert_eq!(shown["next"].as_array().map(Vec::len), Some(3));
    let missing = run(&["schedule", "preview"]).exits(2);
    assert!(missing.stderr.contains("--every <DURATION>"), "{}", missing.stderr);
    run(&[
        "schedule",
        "preview",
        "--every",
        "90s",
        "--from",
        "2026-03-27T12:00:00Z",
        "--anchor",
        "2026-03-27T12:00:00Z",
    ])
    .prints(&["2026-03-27T12:01:30.000Z", "2026-03-27T12:03:00.000Z"]);

    run(&["schedule", "pause", &id]).prints(&["paused", "true"]);
    let ran = run(&["schedule", "run", &id, "--json"]).json();
    assert!(ran["executionId"].is_string(), "{ran}");
    run(&["schedule", "resume", &id]).prints(&["paused", "false"]);
    let edit = ["schedule", "edit", &id, "nightly", "--workflow", "report", "--cron", "0 * * * *"];
    run(&edit).prints(&["Every hour"]);
    let span = ["--from", "2020-01-01T00:00:00Z", "--to", "2020-01-01T03:00:00Z"];
    let backfill = [&["schedule", "backfill", &id], &span[..]].concat();
    let done = run(&[&backfill[..], &["--json"]].concat()).json();
    assert_eq!(done, json!({"slots": 4, "started": 4, "skipped": 0}));
    run(&backfill).prints(&["skipped", "4"]);
    run(&["schedule", "runs", &id]).prints(&["SCHEDULED FOR", "backfill", "manual", "fired"]);
    let page = run(&["schedule", "runs", &id, "--limit", "2", "--json"]).json();
    assert!(page["nextCursor"].is_string(), "{page}");

    run(&["schedule", "delete", &id]).prints(&["deleted"]);
    run(&["schedule", "show", &id]).exits(5);
}
