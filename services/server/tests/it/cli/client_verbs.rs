//! `job`, `queue`, `key`, `limits`, `tenant`, `worker`, and how failures look.

use serde_json::{Value, json};

use crate::harness::{Database, Output, Server, bare_command, bash, on_both_databases, trunkline};

on_both_databases!(
    cli_jobs_are_enqueued_shown_and_cancelled,
    cli_files_of_jobs_are_enqueued,
    cli_job_types_are_pinned_to_builds,
    cli_queues_are_paused_and_resumed,
    cli_keys_and_tenants_are_made_and_revoked,
    cli_limits_are_set_and_shown,
    cli_failures_have_exit_codes_and_say_what_to_do,
    cli_an_id_of_another_kind_reaches_nothing,
    cli_what_others_wrote_does_not_steer_the_terminal,
    cli_a_reader_that_has_enough_ends_the_verb,
);

fn id_of(value: &Value) -> String {
    value["id"].as_str().unwrap_or_else(|| panic!("no id: {value}")).to_owned()
}

async fn cli_jobs_are_enqueued_shown_and_cancelled(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    let enqueued = run(&[
        "job",
        "enqueue",
        "resize",
        "--data",
        r#"{"file": "a.png"}"#,
        "--priority",
        "low",
        "--tag",
        "nightly",
        "--max-retries",
        "5",
        "--json",
    ])
    .json();
    let id = id_of(&enqueued);
    assert_eq!(enqueued["status"], "QUEUED", "{enqueued}");
    let later = run(&["job", "enqueue", "resize", "--delay", "1h"]).prints(&["id", "job_", "SCHEDULED"]);
    assert!(!later.stdout.contains("position"), "a number that means nothing to whoever enqueues");

    run(&["job", "list"]).prints(&["ID", "STATUS", &id, "resize", "QUEUED", "SCHEDULED"]);
    let listed = run(&["job", "list", "--status", "QUEUED", "--tag", "nightly", "--json"]).json();
    assert_eq!((listed["items"].as_array().map(Vec::len), &listed["items"][0]["id"]), (Some(1), &json!(id)));
    run(&["job", "list", "--job-type", "nothing"]).prints(&["(none)"]);

    run(&["job", "show", &id]).prints(&[&id, "resize", "low", "a.png", "Attempts"]);
    let shown = run(&["job", "show", &id, "--json"]).json();
    assert_eq!((&shown["maxRetries"], &shown["data"]["file"]), (&json!(5), &json!("a.png")), "{shown}");
    run(&["job", "why", &id]).prints(&["reason", "no_worker"]);
    assert_eq!(run(&["job", "why", &id, "--json"]).json()["reason"], "no_worker");
    run(&["job", "reprioritize", &id, "high"]).prints(&[&id]);
    run(&["job", "reprioritize", &id, "urgent"]).exits(2);
    assert_eq!(run(&["job", "show", &id, "--json"]).json()["priority"], "high");

    run(&["job", "cancel", &id]).prints(&["CANCELLED"]);
    assert_eq!(run(&["job", "show", &id, "--json"]).json()["status"], "CANCELLED");
    run(&["job", "cancel", &id]).exits(1);
    run(&["job", "show", "job_0193456789ab7def8123456789abcdef"]).exits(5);
}

async fn cli_files_of_jobs_are_enqueued(database: Database) {
    let server = Server::start(&database).await;
    let line = |n: usize| json!({"jobType": "many", "data": {"n": n}}).to_string();
    let lines = (0..2_500).map(line).collect::<Vec<_>>().join("\n");
    let file = server.directory().join("jobs.jsonl");
    std::fs::write(&file, lines).expect("the directory can be written");
    let path = file.to_str().expect("UTF-8");
    trunkline(&server, &["job", "enqueue", "--file", path]).prints(&["2500 enqueued, 0 refused"]);
    assert_eq!(server.client().all("/v1/jobs?jobType=many").await.len(), 2_500);

    std::fs::write(&file, "{\"jobType\": \"few\", \"data\": 1}\n\n{\"data\": 2}\n").expect("can be written");
    let output = trunkline(&server, &["--json", "job", "enqueue", "--file", path]).exits(4);
    assert!(output.stderr.contains("line 3") && output.stderr.contains("/jobType"), "{}", output.stderr);
    let counts: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(counts, json!({"enqueued": 1, "refused": 1}));
}

async fn cli_queues_are_paused_and_resumed(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    run(&["job", "enqueue", "waits"]).exits(0);
    run(&["queue", "list"]).prints(&[
        "QUEUE",
        "workflow-node",
        "workflow-execution",
        "high",
        "normal",
        "low",
    ]);
    let queues = run(&["queue", "list", "--json"]).json();
    assert_eq!(queues["items"].as_array().map(Vec::len), Some(4));
    run(&["queue", "pause", "workflow-node"]).prints(&["workflow-node", "paused"]);
    run(&["queue", "list"]).prints(&["paused"]);
    let client = server.client();
    let poll = json!({"workerId": "w", "jobTypes": ["waits"]});
    assert_eq!(
        client.post("/v1/jobs/poll", &poll).await["jobs"],
        json!([]),
        "a paused queue hands out nothing"
    );
    let job = id_of(&client.all("/v1/jobs?queue=workflow-node").await[0]);
    assert_eq!(run(&["job", "why", &job, "--json"]).json()["reason"], "queue_paused");
    run(&["queue", "drain", "workflow-node"]).prints(&["draining"]);
    run(&["job", "enqueue", "refused"]).exits(1);
    run(&["queue", "resume", "workflow-node"]).prints(&["workflow-node", "running"]);
    assert_eq!(client.post("/v1/jobs/poll", &poll).await["jobs"].as_array().map(Vec::len), Some(1));
    run(&["worker", "list", "--json"]).exits(0);
    run(&["worker", "drain", "w"]).exits(0);
    run(&["worker", "drain", "nobody"]).exits(5);
    let unknown = run(&["queue", "pause", "nope"]).exits(2);
    let queues = "must be one of workflow-execution, workflow-node, workflow-scheduled, workflow-webhook";
    assert!(unknown.stderr.contains(queues), "{}", unknown.stderr);
}

async fn cli_job_types_are_pinned_to_builds(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    run(&["build", "pin", "greet", "v2", "v3"]).prints(&["greet", "v2", "operator"]);
    run(&["build", "list"]).prints(&["JOB TYPE", "greet", "v3"]);
    let id = id_of(&run(&["job", "enqueue", "greet", "--json"]).json());
    assert_eq!(run(&["job", "why", &id, "--json"]).json()["reason"], "no_worker_of_build");
    let work = |build: &'static str| {
        ["work", "greet", "--build", build, "--max-jobs", "1", "--", "sh", "-c", "cat >/dev/null; echo 1"]
    };
    run(&work("v3")).exits(0);
    assert_eq!(run(&["job", "show", &id, "--json"]).json()["status"], "COMPLETED");
    run(&["build", "unpin", "greet"]).prints(&["unpinned"]);
    run(&["build", "unpin", "greet"]).exits(5);
    run(&["build", "list"]).prints(&["(none)"]);
}

async fn cli_keys_and_tenants_are_made_and_revoked(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    let made = run(&["key", "create", "ci", "--role", "operator", "--tenant", "ada", "--json"]).json();
    let (id, key) = (id_of(&made), made["key"].as_str().expect("shown once").to_owned());
    run(&["key", "create", "shown", "--role", "viewer"]).prints(&["key_", "tl_"]);
    let listed = run(&["key", "list"]).prints(&["ci", "operator", "ada", "shown"]);
    assert!(!listed.stdout.contains(&key));
    let client = server.client().with_key(Some(&key));
    assert!(client.try_get("/v1/jobs").await.is_success());
    run(&["key", "revoke", &id]).prints(&["revoked"]);
    crate::harness::until("the key is worth nothing", std::time::Duration::from_secs(5), || async {
        (client.try_get("/v1/jobs").await.status == 401).then_some(())
    })
    .await;
    let refused = run(&["key", "create", "odd", "--role", "king"]).exits(2);
    assert!(refused.stderr.contains("must be one of admin, operator"), "{}", refused.stderr);

    run(&["tenant", "create", "zoe"]).prints(&["zoe"]);
    run(&["tenant", "list"]).prints(&["zoe"]);
    run(&["tenant", "quotas", "zoe", "--open-jobs", "7", "--history-rows", "unlimited"])
        .prints(&["openJobs", "7"]);
    run(&["tenant", "usage", "zoe"]).prints(&["RESOURCE", "openJobs", "7", "unlimited"]);
    let usage = run(&["tenant", "usage", "zoe", "--json"]).json();
    assert_eq!((&usage["openJobs"]["quota"], &usage["openJobs"]["used"]), (&json!(7), &json!(0)), "{usage}");
    assert_eq!(usage["schedules"], json!({"used": 0, "exact": true, "quota": 100_000}), "{usage}");
    run(&["tenant", "quotas", "zoe", "--schedules", "9"]).prints(&["schedules", "9", "apiKeys"]);
    run(&["tenant", "quotas", "zoe", "--open-jobs", "default", "--json"]).exits(0);
    assert_eq!(run(&["tenant", "quotas", "zoe", "--json"]).json()["openJobs"], Value::Null);
    run(&["tenant", "quotas", "zoe", "--open-jobs", "many"]).exits(2);
}

async fn cli_limits_are_set_and_shown(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    run(&["limits", "show"]).prints(&["workflow-execution", "100", "10", "5", "settings"]);
    run(&["limits", "set", "workflow-execution", "42", "--tenant-default", "8"]).prints(&["42", "override"]);
    let shown = run(&["limits", "show", "--json"]).json();
    let limits = &shown["workflow-execution"];
    assert_eq!(
        (&limits["maxConcurrent"], &limits["tenantMaxConcurrent"]),
        (&json!(42), &json!(8)),
        "{shown}"
    );
    run(&["limits", "set", "--tenant", "ada", "workflow-execution", "3"]).prints(&["3"]);
    run(&["limits", "show", "--tenant", "ada"]).prints(&["workflow-execution", "3", "override"]);
    let all =
        run(&["limits", "show"]).prints(&["unlimited", "Set for single tenants, workflows and job types"]);
    let own = all.stdout.split("Set for").nth(1).unwrap_or_default();
    assert!(own.contains("TENANT") && own.contains("ada") && !own.contains("WORKFLOW"), "{own}");
    run(&["limits", "set", "workflow-execution", "default"]).exits(0);
    let shown = run(&["limits", "show", "--json"]).json();
    assert_eq!(shown["workflow-execution"]["maxConcurrent"], 100, "{shown}");
    run(&["limits", "set", "workflow-execution", "many"]).exits(2);
    run(&["limits", "set", "workflow-execution", "--rate", "fast"]).exits(2);
    run(&["limits", "set", "workflow-execution"]).exits(1);
}

async fn cli_failures_have_exit_codes_and_say_what_to_do(database: Database) {
    let server = Server::start(&database).await;
    let away = trunkline(&server, &["--url", "http://127.0.0.1:9", "job", "list"]).exits(7);
    assert!(away.stderr.contains("cannot reach http://127.0.0.1:9"), "{}", away.stderr);
    assert!(away.stderr.contains("trunkline serve"), "it says what to do: {}", away.stderr);
    trunkline(&server, &["job", "enqueue"]).exits(2);
    trunkline(&server, &["jobs"]).exits(2);
    let bad = trunkline(&server, &["job", "enqueue", "a", "--data", "{not json"]).exits(1);
    assert!(bad.stderr.contains("expected JSON"), "{}", bad.stderr);
    let refused = trunkline(&server, &["job", "enqueue", "a", "--delay", "30"]).exits(1);
    assert!(refused.stderr.contains("/delay"), "the pointer is shown: {}", refused.stderr);
    let unknown = &["--json", "job", "show", "job_0193456789ab7def8123456789abcdef"];
    let error: Value = serde_json::from_str(&trunkline(&server, unknown).exits(5).stderr).expect("JSON");
    assert_eq!((&error["exitCode"], &error["problem"]["status"]), (&json!(5), &json!(404)), "{error}");
    let error: Value =
        serde_json::from_str(&trunkline(&server, &["--json", "jobs"]).exits(2).stderr).expect("JSON");
    assert_eq!(error["exitCode"], 2, "{error}");
    let mut denied = bare_command();
    denied.args(["job", "list"]).env("TRUNKLINE_URL", server.url()).env("TRUNKLINE_API_KEY", "no key at all");
    tokio::task::block_in_place(|| Output::of(&mut denied)).exits(6);
}

async fn cli_an_id_of_another_kind_reaches_nothing(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    let id = id_of(&run(&["job", "enqueue", "kept", "--json"]).json());
    let schedule = "sch_0193456789ab7def8123456789abcdef";
    for id in [&format!("../schedules/{schedule}"), schedule, "..", "whk_1", &id] {
        let refused = run(&["webhook", "delete", id]).exits(2);
        assert!(refused.stderr.contains("whk_"), "{}", refused.stderr);
    }
    // Names are segments, too.
    for name in ["..", "../jobs", "a/b"] {
        run(&["workflow", "show", name]).exits(5);
        run(&["limits", "show", "--tenant", name]).exits(5);
    }
}

async fn cli_what_others_wrote_does_not_steer_the_terminal(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let id = id_of(&client.post("/v1/jobs", &json!({"jobType": "rude", "maxRetries": 0})).await);
    let polled = client.post("/v1/jobs/poll", &json!({"workerId": "w", "jobTypes": ["rude"]})).await;
    let failed = json!({"jobs": [{
        "id": id, "leaseToken": polled["jobs"][0]["leaseToken"], "error": "\u{1b}[2J\u{9b}31mgone\u{202e}"
    }]});
    client.post("/v1/jobs/fail", &failed).await;
    for arguments in [&["job", "show", &id][..], &["job", "show", &id, "--json"], &["dlq", "groups"]] {
        let output = trunkline(&server, arguments).exits(0);
        let is_rude = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!output.stdout.contains(is_rude), "{:?}", output.stdout);
        assert!(output.stdout.contains("gone"), "{:?}", output.stdout);
    }
    // Why jobs of a file are refused names their fields.
    let file = server.directory().join("rude.jsonl");
    std::fs::write(&file, "{\"jobType\": \"a\", \"x\\u001b[2J\": 1}\n").expect("can be written");
    let path = file.to_str().expect("UTF-8");
    let refused = trunkline(&server, &["job", "enqueue", "--file", path]).exits(4);
    assert!(refused.stderr.contains("line 1") && !refused.stderr.contains('\u{1b}'), "{:?}", refused.stderr);
}

async fn cli_a_reader_that_has_enough_ends_the_verb(database: Database) {
    let server = Server::start(&database).await;
    let jobs: Vec<Value> = (0..500).map(|n| json!({"jobType": format!("many-{n}")})).collect();
    server.client().post("/v1/jobs/batch", &json!({ "jobs": jobs })).await;
    // The first reader takes a line and goes; the second closes the pipe before anything is written.
    let script = "trunkline job list --limit 500 | head -1; trunkline job list --limit 500 | true; trunkline completion bash | true";
    let printed = bash(&server, server.directory(), script, &[], std::time::Duration::from_mins(1)).await;
    assert!(printed.contains("ID") && !printed.contains("panicked"), "{printed}");
}
