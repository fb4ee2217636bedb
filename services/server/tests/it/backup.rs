//! Backups with the real binary: taken while the server works, restored, and made safe to start on.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use crate::harness::{Database, Output, Server, TEST_KEY, bash, blocks_of_sh, repository, trunkline, until};

const DEADLINE: Duration = Duration::from_secs(30);

/// What was acknowledged before the backup began is in it, whatever is written meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i01_a_backup_of_a_running_server_has_what_was_acknowledged() {
    let database = Database::sqlite();
    let mut server = Server::start(&database).await;
    let client = server.client();
    let enqueue = async || client.post("/v1/jobs", &json!({ "jobType": "a" })).await["id"].clone();
    let mut before = Vec::new();
    for _ in 0..30 {
        before.push(enqueue().await);
    }
    // Writers go on while the copy is made.
    let (writer, stop) = (server.client(), tokio_util::sync::CancellationToken::new());
    let stopped = stop.clone();
    let (wrote, mut written) = tokio::sync::watch::channel(0);
    let writing = tokio::spawn(async move {
        while !stopped.is_cancelled() {
            writer.post("/v1/jobs", &json!({ "jobType": "b" })).await;
            wrote.send_modify(|count| *count += 1);
        }
    });
    written.wait_for(|count| *count > 0).await.expect("they do not end by themselves");
    trunkline(&server, &["backup", "copy.db"]).prints(&["copy.db", "bytes"]);
    stop.cancel();
    writing.await.expect("no panic");
    let refused = trunkline(&server, &["backup", "copy.db"]).exits(1);
    assert!(refused.stderr.contains("already exists"), "{}", refused.stderr);
    let audit = client.all("/v1/audit?action=backup.create").await;
    assert_eq!(audit.len(), 1, "{audit:?}");
    let left: Vec<_> = std::fs::read_dir(server.directory())
        .into_iter()
        .chain(std::fs::read_dir(std::path::Path::new(database.file()).parent().expect("a directory")))
        .flat_map(|entries| entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()))
        .filter(|name| name.contains("trunkline-backup-") || name.ends_with(".partial"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(server.terminate(DEADLINE).await.success());
    // Without a server the file itself is copied.
    let arguments = ["backup", "second.db", "--database-url", &database.url];
    trunkline(&server, &arguments).prints(&["second.db"]);
    for copy in ["copy.db", "second.db"] {
        let copy = Database::at(&server.directory().join(copy));
        let other = Server::start(&copy).await;
        for id in &before {
            let path = format!("/v1/jobs/{}", id.as_str().unwrap_or_default());
            assert_eq!(other.client().try_get(&path).await.status, 200, "{id}");
        }
    }
}

/// A command that is killed leaves nothing that looks like a backup, whether a server made the copy or the command itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_backup_has_another_name() {
    let database = Database::sqlite();
    let mut server = Server::start(&database).await;
    let (copy, partial) = (server.directory().join("copy.db"), server.directory().join("copy.db.partial"));
    let backup = |server: &Server, fail_points: &str| {
        let mut command = server.verb(&["backup", "copy.db", "--database-url", &database.url]);
        command.env("FAILPOINTS", fail_points).env("TRUNKLINE_URL", server.url());
        command.env("TRUNKLINE_API_KEY", TEST_KEY);
        tokio::task::block_in_place(|| Output::of(&mut command))
    };
    for is_running in [true, false] {
        if !is_running {
            assert!(server.terminate(DEADLINE).await.success());
        }
        let killed = backup(&server, "backup-copied=return");
        assert!(![0, 1].contains(&killed.code), "it is not armed: {}{}", killed.stdout, killed.stderr);
        assert!(!copy.exists() && partial.exists());
        let refused = backup(&server, "").exits(1);
        assert!(refused.stderr.contains("copy.db.partial already exists"), "{}", refused.stderr);
        std::fs::remove_file(&partial).expect("it can be removed");
        backup(&server, "").prints(&["copy.db"]);
        assert!(copy.exists() && !partial.exists());
        std::fs::remove_file(&copy).expect("it can be removed");
    }
}

/// Restored to an earlier moment, nothing runs and nothing fires by itself; each is listed and can be run again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::disallowed_methods, reason = "a schedule of this very day is far from now")]
async fn i07_a_restored_database_does_nothing_twice_by_itself() {
    let database = Database::sqlite();
    let mut server = Server::start(&database).await;
    let client = server.client();
    client.post("/v1/workflows", &json!({ "name": "tick", "version": 1, "nodes": [{ "id": "a", "type": "TIMER", "duration": "1ms" }] })).await;
    // Its slots are twelve hours away from now on both sides.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    let minute = (now.as_secs() / 60 + 12 * 60) % (24 * 60);
    let cron = format!("{} {} * * *", minute % 60, minute / 60);
    let schedule = json!({ "name": "daily", "workflow": "tick", "cron": cron, "timezone": "UTC" });
    let schedule = client.post("/v1/schedules", &schedule).await["id"].as_str().expect("an id").to_owned();
    let job = client.post("/v1/jobs", &json!({ "jobType": "charge" })).await["id"].clone();
    let polled = poll(&server).await;
    assert_eq!(polled[0]["id"], job);
    trunkline(&server, &["backup", "copy.db"]).prints(&["copy.db"]);
    // The world sees the end of it, and the copy does not know.
    let report = json!({ "id": job, "leaseToken": polled[0]["leaseToken"], "result": null });
    client.post("/v1/jobs/complete", &json!({ "jobs": [report] })).await;
    assert!(server.terminate(DEADLINE).await.success());

    let file = server.directory().join("copy.db");
    // A slot passed between the backup and now: the schedule had fired for it.
    let mut copy = SqliteConnectOptions::new().filename(&file).connect().await.expect("it can be opened");
    let passed = "UPDATE schedule SET cursor_at = $1 - 30 * 3600000, next_run_at = $1 - 12 * 3600000";
    let now = i64::try_from(now.as_millis()).expect("a few");
    sqlx::query(passed).bind(now).execute(&mut copy).await.expect("there is one");
    copy.close().await.expect("it closes");

    let copy = Database::at(&file);
    let doctor = |more: &[&str]| {
        let mut arguments = vec!["--json", "doctor", "--after-restore", "--database-url", &copy.url];
        arguments.extend(more);
        trunkline(&server, &arguments)
    };
    let listed: Value = serde_json::from_str(&doctor(&[]).exits(1).stdout).expect("JSON");
    assert_eq!((&listed["ok"], &listed["leases"][0]["jobId"]), (&json!(false), &job), "{listed}");
    assert_eq!(listed["schedules"][0]["name"], "daily");
    assert_eq!(listed["runningQueues"].as_array().map(Vec::len), Some(4));
    let fixed = doctor(&["--fix"]).json();
    assert_eq!(
        (&fixed["ok"], &fixed["fixed"]),
        (&json!(true), &json!({ "queuesPaused": 4, "leasesEnded": 1, "schedulesAdvanced": 1 }))
    );
    let again = doctor(&[]).json();
    assert_eq!((&again["leases"], &again["schedules"]), (&json!([]), &json!([])));

    let restored = Server::start(&copy).await;
    let client = restored.client();
    assert!(poll(&restored).await.is_empty(), "the queue is paused");
    assert_eq!(client.get("/v1/executions").await["items"], json!([]), "the slot did not fire again");
    let running = doctor(&[]).exits(1);
    assert!(running.stderr.contains("stop all servers"), "{}", running.stderr);
    client.call(reqwest::Method::POST, "/v1/queues/workflow-node/resume").done().await;
    let polled = until("the job comes again", DEADLINE, || async {
        let polled = poll(&restored).await;
        (!polled.is_empty()).then_some(polled)
    })
    .await;
    assert_eq!((&polled[0]["id"], &polled[0]["attempt"]), (&job, &json!(1)), "as if it had not been started");
    let runs = client.get(&format!("/v1/schedules/{schedule}/runs")).await;
    assert_eq!(runs["items"][0]["status"], "skipped", "{runs}");
    assert!(runs.to_string().contains("restored"), "{runs}");
}

/// A delivery that was accepted and not matched at the moment of the copy has started an execution since: it is listed, and
/// starts another one only when its queue is let go.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i07_a_delivery_of_a_restored_database_waits_to_be_looked_at() {
    let database = Database::sqlite();
    // Nobody matches what is accepted.
    let mut server = Server::start_with(&database, &[("TRUNKLINE_ROLES", "api,webhooks")]).await;
    let client = server.client();
    let nodes = json!([{ "id": "wait", "type": "SIGNAL", "signal": "never" }]);
    client.post("/v1/workflows", &json!({ "name": "paid", "version": 1, "nodes": nodes })).await;
    client.post("/v1/triggers", &json!({ "name": "paid", "events": ["paid"], "workflow": "paid" })).await;
    client.post("/v1/events", &json!({ "name": "paid", "data": 7, "id": "order-7" })).await;
    let delivery = client.all("/v1/deliveries").await.remove(0)["id"].clone();
    trunkline(&server, &["backup", "copy.db"]).prints(&["copy.db"]);
    assert!(server.terminate(DEADLINE).await.success());
    // The world sees its execution.
    let roles = "api,webhooks,scheduler,execution,node,scheduled,webhook";
    server.restart_with(&[("TRUNKLINE_ROLES", roles)]).await;
    has_started(&server).await;
    assert!(server.terminate(DEADLINE).await.success());

    let copy = Database::at(&server.directory().join("copy.db"));
    let doctor = |more: &[&str]| {
        let mut arguments = vec!["--json", "doctor", "--after-restore", "--database-url", &copy.url];
        arguments.extend(more);
        trunkline(&server, &arguments)
    };
    let listed: Value = serde_json::from_str(&doctor(&[]).exits(1).stdout).expect("JSON");
    assert_eq!(listed["deliveries"][0]["id"], delivery, "{listed}");
    assert_eq!(doctor(&["--fix"]).json()["fixed"]["queuesPaused"], 4);
    let restored = Server::start(&copy).await;
    // As long as a worker waits for something that does not come.
    assert!(poll(&restored).await.is_empty());
    assert!(restored.client().all("/v1/executions").await.is_empty(), "it waits");
    for queue in ["workflow-webhook", "workflow-execution"] {
        restored.client().call(reqwest::Method::POST, &format!("/v1/queues/{queue}/resume")).done().await;
    }
    has_started(&restored).await;
}

/// A database that servers use was not restored a moment ago: a mistake in the address neither pauses a deployment nor ends its
/// leases.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_in_use_is_not_made_safe() {
    let database = Database::postgres().await;
    let mut server = Server::start(&database).await;
    let doctor = |server: &Server, more: &[&str]| {
        let arguments = ["--json", "doctor", "--after-restore", "--database-url", &database.url];
        trunkline(server, &[&arguments[..], more].concat())
    };
    // A process registers soon after it is ready.
    until("the server is seen", DEADLINE, || async {
        doctor(&server, &[]).exits(1).stderr.contains("stop all servers").then_some(())
    })
    .await;
    let refused = doctor(&server, &["--fix"]).exits(1);
    assert!(refused.stderr.contains("stop all servers"), "{}", refused.stderr);
    let queues = server.client().get("/v1/queues").await;
    let modes = queues["items"].as_array().expect("a list").iter().map(|queue| &queue["mode"]);
    assert_eq!(modes.collect::<Vec<_>>(), ["running"; 4], "{queues}");
    assert!(server.terminate(DEADLINE).await.success());
    // The database sees the end of its session a moment later.
    let fixed = until("the server is gone", DEADLINE, || async {
        let fixed = doctor(&server, &["--fix"]);
        (fixed.code == 0).then(|| fixed.json())
    })
    .await;
    assert_eq!(fixed["fixed"], json!({ "queuesPaused": 4, "leasesEnded": 0, "schedulesAdvanced": 0 }));
    assert_eq!(doctor(&server, &[]).json()["runningQueues"], json!([]));
}

/// Waits for the execution of a delivery.
async fn has_started(server: &Server) {
    let client = server.client();
    until("an execution", DEADLINE, || async {
        (client.all("/v1/executions").await.len() == 1).then_some(())
    })
    .await;
}

/// What a worker gets within a moment.
async fn poll(server: &Server) -> Vec<Value> {
    let body = json!({ "workerId": "w", "jobTypes": ["charge"], "maxJobs": 1, "wait": "1s" });
    server.client().post("/v1/jobs/poll", &body).await["jobs"].as_array().cloned().unwrap_or_default()
}

/// Every command of docs/backup.md that is for SQLite. Those for PostgreSQL are run by scripts/test-restore.sh.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_the_page_work() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let page = std::fs::read_to_string(repository().join("docs/backup.md")).expect("there is docs/backup.md");
    let mut blocks = blocks_of_sh(&page, "<!-- backup:begin -->", "<!-- backup:end -->");
    blocks.extend(blocks_of_sh(&page, "<!-- after-restore:begin -->", "<!-- after-restore:end -->"));
    assert_eq!(blocks.len(), 4, "{blocks:?}");
    let printed = bash(&server, server.directory(), &blocks.join("\n"), &[], DEADLINE).await;
    assert!(printed.contains("A server can be started"), "{printed}");
    // Those that let the queues go are for a server on what was restored.
    let restored = Server::start(&Database::at(&server.directory().join("restored/trunkline.db"))).await;
    let resume = blocks_of_sh(&page, "<!-- resume:begin -->", "<!-- resume:end -->");
    assert_eq!(resume.len(), 1, "{resume:?}");
    bash(&restored, restored.directory(), &resume.join("\n"), &[], DEADLINE).await;
    let queues = restored.client().get("/v1/queues").await;
    let modes = queues["items"].as_array().expect("a list").iter().map(|queue| &queue["mode"]);
    assert_eq!(modes.collect::<Vec<_>>(), ["running"; 4], "{queues}");
}
