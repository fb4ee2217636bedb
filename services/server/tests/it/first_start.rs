//! The first start and what a running server shows of itself.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Client, Database, Record, Server, Worker, WorkerSetup, on_both_databases, until};

const DEADLINE: Duration = Duration::from_secs(30);

on_both_databases!(
    the_first_key_is_kept_in_a_private_file_whose_path_is_printed,
    health_metrics_and_documentation_are_there,
    a_start_with_a_broken_setting_says_which,
    a_start_on_a_schema_that_does_not_fit_says_what_to_do,
    depth_and_age_of_queues_are_measured,
);

async fn the_first_key_is_kept_in_a_private_file_whose_path_is_printed(database: Database) {
    let mut server = Server::start_with(&database, &[("TRUNKLINE_BOOTSTRAP_KEY", "")]).await;
    let file = if database.is_postgres() {
        server.directory().join("data/admin.key")
    } else {
        std::path::Path::new(database.file()).with_file_name("admin.key")
    };
    let key = std::fs::read_to_string(&file).expect("the key file is there").trim().to_owned();
    assert!(key.starts_with("tl_") && key.len() > 30, "{key}");
    let mode = std::fs::metadata(&file).expect("the key file is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "only its owner may read it");
    // The server is ready a moment before it says so.
    until("the path is printed", DEADLINE, || async { server.log().contains("admin.key").then_some(()) })
        .await;
    assert_eq!(server.log().matches(&key).count(), 0, "the key itself goes to a terminal only");
    if !database.is_postgres() {
        let mode = std::fs::metadata(database.file()).expect("the database is there").permissions().mode();
        assert_eq!(mode & 0o077, 0, "what the server writes is for its owner alone");
    }
    assert!(server.log().contains(&server.url()), "the address is printed");
    let log = server.log();
    let migrated: Vec<&str> = log.lines().filter(|line| line.contains("igrat")).collect();
    let [line] = migrated[..] else { panic!("one line is for all migrations: {migrated:?}") };
    assert!(line.contains("an empty database"), "{line}");

    let anybody = Client::new(&server.url(), None);
    anybody.try_get("/v1/queues").await.problem(401);
    let admin = anybody.with_key(Some(&key));
    let keys = admin.all("/v1/api-keys").await;
    assert_eq!((keys.len(), &keys[0]["role"]), (1, &json!("admin")), "{keys:?}");

    until("its path is printed", DEADLINE, || async { server.log().contains("set-up.link").then_some(()) })
        .await;
    let link_file = file.with_file_name("set-up.link");
    let link = std::fs::read_to_string(&link_file).expect("the link is there").trim().to_owned();
    let mode = std::fs::metadata(&link_file).expect("the link is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "only its owner may read it");
    assert!(!server.log().contains("#set-up="), "the link itself goes to a terminal only");
    let code =
        link.strip_prefix(&format!("{}/console/#set-up=", server.url())).expect("an address of the console");
    let browser = anybody.with_key(Some(code));
    let made = browser.call(Method::POST, "/auth/set-up").answer().await;
    assert_eq!(made.status, 201, "{}", made.text);
    browser.call(Method::POST, "/auth/set-up").answer().await.problem(401);
    let made: Value = serde_json::from_str(&made.text).expect("JSON");
    let own = anybody.with_key(made["key"].as_str());
    assert_eq!(own.all("/v1/api-keys").await.len(), 2, "it is an admin key");

    assert_eq!(server.terminate(DEADLINE).await.code(), Some(0));
    server.restart().await;
    until("the second start has told of itself", DEADLINE, || async {
        (server.log().matches("API key").count() == 2).then_some(())
    })
    .await;
    assert_eq!(server.log().matches(&key).count(), 0, "never printed");
    assert_eq!(admin.all("/v1/api-keys").await.len(), 2, "no other key is made");
    assert_eq!(std::fs::read_to_string(&file).expect("the key file is there").trim(), key);
}

async fn health_metrics_and_documentation_are_there(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let anybody = client.with_key(None);
    for path in ["/healthz", "/readyz", "/openapi.json", "/docs/"] {
        let answer = anybody.try_get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    }
    let openapi = anybody.get("/openapi.json").await;
    let paths = openapi["paths"].as_object().expect("OpenAPI has paths");
    for path in [
        "/v1/jobs",
        "/v1/jobs/batch",
        "/v1/jobs/{id}/why",
        "/v1/jobs/poll",
        "/v1/workflows",
        "/v1/executions",
        "/v1/executions/{id}/nodes",
        "/v1/dead-letters/requeue",
        "/v1/limits",
        "/v1/api-keys",
    ] {
        assert!(paths.contains_key(path), "{path} is not described: {:?}", paths.keys());
    }
    let metrics = Client::new(&server.metrics_url(), None);
    let at_first = metrics.try_get("/metrics").await.text;
    for name in
        ["trunkline_job_poll_latency_seconds", "trunkline_job_lock_conflicts_total", "trunkline_build_info"]
    {
        assert!(
            at_first.contains(&format!("# TYPE {name} ")),
            "{name} is not there from the start:\n{at_first}"
        );
    }
    let record = Record::new();
    let worker = Worker::start(client.clone(), WorkerSetup::echo("worker", &["measured"]), record.clone());
    client.post("/v1/jobs", &json!({"jobType": "measured", "data": {}})).await;
    until("the job is done", DEADLINE, || async { (record.ok_count() == 1).then_some(()) }).await;
    until("it is counted", DEADLINE, || async {
        let text = metrics.try_get("/metrics").await.text;
        let counted = |name: &str| {
            text.lines()
                .any(|line| line.starts_with(name) && line.contains("workflow-node") && line.ends_with(" 1"))
        };
        (counted("trunkline_job_poll_latency_seconds_count") && counted("trunkline_jobs_enqueued_total"))
            .then_some(())
    })
    .await;
    worker.stop().await;
}

async fn a_start_with_a_broken_setting_says_which(database: Database) {
    for (name, value, named) in [
        ("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "30", "queues.workflow-node.lease"),
        ("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEES", "30s", "queues.workflow-node.lees"),
        ("TRUNKLINE_HTTP__MAX_BODY", "many", "http.max_body"),
        ("TRUNKLINE_BOOTSTRAP_KEY", "only-31-characters-0123456789-x", "32 to 200"),
    ] {
        let mut server = Server::prepared(&database, &[(name, value)]);
        server.spawn_doomed();
        assert_ne!(server.ended(DEADLINE).await.code(), Some(0), "{name}={value}");
        let log = server.log();
        assert!(log.contains(named) || log.contains(name), "{name}={value} is not named: {log}");
        assert_eq!(log.matches("error: ").count(), 1, "said once: {log}");
    }
}

async fn a_start_on_a_schema_that_does_not_fit_says_what_to_do(database: Database) {
    let mut server = Server::prepared(&database, &[("TRUNKLINE_DATABASE__MIGRATE", "false")]);
    if database.is_postgres() {
        server.spawn_doomed();
        assert_eq!(server.ended(DEADLINE).await.code(), Some(1));
        assert!(server.log().contains("run `trunkline migrate`"), "{}", server.log());
    }
    let migrated = tokio::task::block_in_place(|| server.verb(&["migrate"]).status().expect("it runs"));
    assert!(migrated.success());
    execute(&database, "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_later', 0)").await;
    // A migration that a process of this version cannot work with says so.
    execute(&database, "UPDATE store_state SET needs = 'm9999_later'").await;
    for migrate in ["true", "false"] {
        server.spawn_doomed_with(&[("TRUNKLINE_DATABASE__MIGRATE", migrate)]);
        assert_eq!(server.ended(DEADLINE).await.code(), Some(1), "migrate = {migrate}");
    }
    let log = server.log();
    assert_eq!(log.matches("newer than this version").count(), 2, "{log}");
    let doctor = tokio::task::block_in_place(|| server.verb(&["doctor"]).output().expect("it runs"));
    let printed = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(!doctor.status.success() && printed.contains("FAIL schema"), "{printed}");
    assert!(!printed.contains("trunkline migrate"), "no migration makes it older: {printed}");
}

/// While an upgrade is under way a process of the former version that stops can start again: what a later migration has added
/// does not concern it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_of_the_former_version_starts_again_during_an_upgrade() {
    let database = Database::postgres().await;
    let mut server = Server::start(&database).await;
    execute(&database, "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_later', 0)").await;
    for migrate in ["true", "false"] {
        assert!(server.terminate(DEADLINE).await.success());
        server.restart_with(&[("TRUNKLINE_DATABASE__MIGRATE", migrate)]).await;
        let job = server.client().post("/v1/jobs", &json!({ "jobType": "a" })).await;
        assert_eq!(job["status"], "QUEUED", "{job}");
    }
    assert!(server.log().contains("migrated by a later version"), "{}", server.log());
    let examined = server.client().get("/v1/doctor").await;
    let checks = examined["checks"].as_array().expect("a list");
    let schema = checks.iter().find(|check| check["check"] == "schema").expect("the schema is looked at");
    assert_eq!(schema["status"], "warn", "{schema}");
    assert!(schema["detail"].as_str().is_some_and(|text| text.contains("m9999_later")), "{schema}");
    let doctor = tokio::task::block_in_place(|| server.verb(&["doctor"]).output().expect("it runs"));
    let printed = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(printed.contains("warn schema") && !printed.contains("FAIL schema"), "{printed}");
}

/// Runs a statement on a database that no server has open.
async fn execute(database: &Database, statement: &'static str) {
    use sqlx::{Connection, Executor};
    if database.is_postgres() {
        let mut connection = sqlx::PgConnection::connect(&database.url).await.expect("it answers");
        connection.execute(statement).await.expect("it is carried out");
    } else {
        let mut connection = sqlx::SqliteConnection::connect(&database.url).await.expect("it can be opened");
        connection.execute(statement).await.expect("it is carried out");
    }
}

async fn depth_and_age_of_queues_are_measured(database: Database) {
    let server = Server::start(&database).await;
    let body = json!({"jobType": "waits", "data": {}, "priority": "low"});
    server.client().post("/v1/jobs", &body).await;
    let metrics = Client::new(&server.metrics_url(), None);
    until("depth and age are there", DEADLINE, || async {
        let text = metrics.try_get("/metrics").await.text;
        let value = |name: &str| {
            let of_tier = |line: &&str| {
                line.starts_with(name) && line.contains("workflow-node") && line.contains("\"low\"")
            };
            text.lines().find(of_tier)?.rsplit(' ').next()?.parse::<f64>().ok()
        };
        let depth = value("trunkline_queue_depth")?;
        let age = value("trunkline_queue_oldest_age_seconds")?;
        (depth >= 1.0 && age > 0.0).then_some(())
    })
    .await;
    // A job with a unique key takes a transaction on both databases.
    let keyed = json!({"jobType": "waits", "uniqueKey": "once"});
    server.client().post("/v1/jobs", &keyed).await;
    until("the times of statements are there", DEADLINE, || async {
        let text = metrics.try_get("/metrics").await.text;
        let is_counted = |kind: &str| {
            let name = "trunkline_database_statement_seconds_count";
            let of_kind = |line: &&str| line.starts_with(name) && line.contains(kind);
            text.lines().find(of_kind).is_some_and(|line| !line.ends_with(" 0"))
        };
        (is_counted("\"statement\"") && is_counted("\"commit\"")).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_process_on_the_same_file_is_refused() {
    let database = Database::sqlite();
    let first = Server::start(&database).await;
    let mut second = Server::prepared(&database, &[]);
    second.spawn_doomed();
    assert_ne!(second.ended(DEADLINE).await.code(), Some(0));
    let log = second.log();
    assert!(log.contains(database.file()), "the message names the file: {log}");
    assert!(log.contains("another process") || log.contains("in use"), "the message says why: {log}");
    // The first is not disturbed, and when it is gone its file is free.
    let client = first.client();
    let job = client.post("/v1/jobs", &json!({"jobType": "kept", "data": {}})).await;
    drop(first);
    let heir = Server::start(&database).await;
    let kept = heir.client().get(&format!("/v1/jobs/{}", job["id"].as_str().expect("an id"))).await;
    assert_eq!(kept["status"], "QUEUED", "{kept}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_server_serves_this_machine_until_there_is_a_key() {
    let database = Database::sqlite();
    let settings = [("TRUNKLINE_BOOTSTRAP_KEY", ""), ("TRUNKLINE_HTTP__OPEN", "true")];
    let server = Server::start_with(&database, &settings).await;
    let file = std::path::Path::new(database.file()).with_file_name("admin.key");
    assert!(!file.exists(), "an open server makes no key");
    let open = server.client().with_key(None);
    let answer = open.try_get("/v1/queues").await.success();
    assert!(answer["items"].is_array());
    // A page of another site in a browser of this machine is kept out.
    for (name, value) in [("origin", "https://evil.example"), ("host", "evil.example")] {
        let answer = open.call(Method::GET, "/v1/queues").header(name, value).answer().await;
        answer.problem(401);
    }
    let made = open.post("/v1/api-keys", &json!({"name": "first", "role": "admin"})).await;
    until("the door is closed", DEADLINE, || async {
        Some(open.try_get("/v1/queues").await).filter(|answer| answer.status == 401)
    })
    .await;
    let admin = open.with_key(made["key"].as_str());
    let path = format!("/v1/api-keys/{}", made["id"].as_str().expect("an id"));
    let refused = admin.call(Method::DELETE, &path).answer().await.problem(409);
    assert_eq!(refused["code"], "last_admin_key");
}
