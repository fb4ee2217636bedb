//! Golden databases: what each version left behind is opened, migrated and gone on with, for good.
//!
//! The files are in `shared/store-sql/tests/golden` and are never written again; `scripts/golden.py` makes those of a new
//! version.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};

use crate::harness::{Client, Database, Server, on_both_databases, repository, until};

on_both_databases!(every_golden_database_goes_on, a_database_of_a_later_version_is_refused);

const DEADLINE: Duration = Duration::from_mins(1);

/// The dumps for this kind of database, oldest version first.
fn dumps(database: &Database) -> Vec<PathBuf> {
    let end = if database.is_postgres() { ".postgres.sql.gz" } else { ".sqlite.sql.gz" };
    let folder = repository().join("shared/store-sql/tests/golden");
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let mut found: Vec<PathBuf> = paths.filter(|path| path.to_string_lossy().ends_with(end)).collect();
    found.sort();
    assert!(!found.is_empty(), "there are golden databases in {}", folder.display());
    found
}

async fn run(database: &Database, sql: &str) {
    let sql = AssertSqlSafe(sql.to_owned());
    if database.is_postgres() {
        let mut connection = PgConnection::connect(&database.url).await.expect("the server answers");
        connection.execute(sqlx::raw_sql(sql)).await.expect("the dump is valid");
    } else {
        let url = format!("{}?mode=rwc", database.url);
        let mut connection = SqliteConnection::connect(&url).await.expect("the file can be made");
        connection.execute(sqlx::raw_sql(sql)).await.expect("the dump is valid");
        connection.close().await.expect("it is closed");
    }
}

async fn restore(database: &Database, dump: &Path) {
    let bytes = std::fs::read(dump).expect("it can be read");
    let mut sql = String::new();
    GzDecoder::new(bytes.as_slice()).read_to_string(&mut sql).expect("it is text");
    run(database, &sql).await;
}

/// A database like this one, for one of several dumps.
async fn another(like: &Database) -> Database {
    if like.is_postgres() { Database::postgres().await } else { Database::sqlite() }
}

async fn one(client: &Client, path: &str) -> Value {
    let mut items = client.all(path).await;
    assert_eq!(items.len(), 1, "{path}: {items:?}");
    items.remove(0)
}

async fn every_golden_database_goes_on(like: Database) {
    for dump in dumps(&like) {
        let database = another(&like).await;
        restore(&database, &dump).await;
        let server = Server::start(&database).await;
        let client = server.client();
        what_ended_is_shown(&client).await;
        what_waits_goes_on(&client).await;
        let verified = client.get("/v1/audit/verify").await;
        assert_eq!(verified["ok"], true, "{}: {verified}", dump.display());
    }
}

async fn what_ended_is_shown(client: &Client) {
    let done = one(client, "/v1/jobs?jobType=done").await;
    assert_eq!(done["status"], "COMPLETED", "{done}");
    let done = client.get(&format!("/v1/jobs/{}", done["id"].as_str().expect("an id"))).await;
    assert_eq!((&done["result"], &done["data"]), (&json!({"answer": 42}), &json!({"kind": "done"})));
    assert_eq!(done["attempts"].as_array().map(Vec::len), Some(1), "{done}");
    for id in ["finished", "parked", "asks"] {
        let execution = one(client, &format!("/v1/executions?correlationId=golden-{id}")).await;
        let expected = if id == "finished" { "COMPLETED" } else { "WAITING" };
        assert_eq!(execution["status"], expected, "{execution}");
    }
    let finished = client.all("/v1/executions?workflow=finished").await;
    assert_eq!(finished.len(), 3, "by a call, a webhook and an event");
    let deliveries = client.all("/v1/deliveries").await;
    assert!(
        deliveries.len() == 2 && deliveries.iter().all(|one| one["status"] == "matched"),
        "{deliveries:?}"
    );
    let schedule = one(client, "/v1/schedules").await;
    assert!(schedule["nextRunAt"].is_string(), "{schedule}");
}

async fn what_waits_goes_on(client: &Client) {
    for (job_type, expected) in [("queued", json!({"kind": "queued"})), ("dead", json!({"kind": "dead"}))] {
        if job_type == "dead" {
            let letter = one(client, "/v1/dead-letters").await;
            assert_eq!(letter["error"]["code"], "card_declined", "{letter}");
            let path = format!("/v1/dead-letters/{}/requeue", letter["id"].as_str().expect("an id"));
            client.call(reqwest::Method::POST, &path).done().await;
        }
        assert_eq!(work(client, job_type).await, expected, "{job_type}");
    }
    let parked = one(client, "/v1/executions?correlationId=golden-parked").await;
    let id = parked["id"].as_str().expect("an id").to_owned();
    client.post(&format!("/v1/executions/{id}/signals/go"), &json!({"payload": {"go": 1}})).await;
    assert_eq!(work(client, "after").await, json!({"go": 1}));
    let ended = client.get(&format!("/v1/executions/{id}?wait=true")).await;
    assert_eq!((&ended["status"], &ended["output"]), (&json!("COMPLETED"), &json!("after")), "{ended}");
    let task = one(client, "/v1/user-tasks").await;
    assert_eq!((&task["nodeId"], &task["group"]), (&json!("approve"), &json!("finance")), "{task}");
    let later = one(client, "/v1/jobs?jobType=later").await;
    assert_eq!(later["status"], "SCHEDULED", "{later}");
}

/// Takes the one job of this type, and completes it with the name of its type. Answers its data.
async fn work(client: &Client, job_type: &str) -> Value {
    let poll = json!({"workerId": "w", "jobTypes": [job_type], "maxJobs": 5, "wait": "20s"});
    let polled = client.post("/v1/jobs/poll", &poll).await;
    let jobs = polled["jobs"].as_array().expect("a list");
    assert_eq!(jobs.len(), 1, "{polled}");
    let (id, token) = (&jobs[0]["id"], &jobs[0]["leaseToken"]);
    let report = json!({"jobs": [{"id": id, "leaseToken": token, "result": job_type}]});
    let answer = client.post("/v1/jobs/complete", &report).await;
    assert_eq!(answer["results"][0]["outcome"], "ok", "{answer}");
    jobs[0]["data"].clone()
}

async fn a_database_of_a_later_version_is_refused(database: Database) {
    restore(&database, dumps(&database).last().expect("there is one")).await;
    let later = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_later', 0)";
    run(&database, later).await;
    let mut server = Server::prepared(&database, &[]);
    server.spawn_doomed();
    let ended = until("it ends", DEADLINE, || {
        let has_ended = server.has_ended();
        async move { has_ended.then_some(()) }
    });
    ended.await;
    let log = server.log();
    assert!(log.contains("newer than this version") && log.contains("never downgraded"), "{log}");
}
