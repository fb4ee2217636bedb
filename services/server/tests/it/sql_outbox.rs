//! Calls that an application commits in a database of its own, and the relay that sends them: in the order of commits, once, by one
//! relay at a time, past calls that the server refuses.

use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};

use crate::harness::{
    Database, Server, TEST_KEY, bare_command, bash, blocks_of_sh, repository, trunkline, until,
};

/// Longer than the lease of a relay that was killed.
const DEADLINE: Duration = Duration::from_mins(1);

/// An application's database with an outbox, and a connection that may only call its functions.
struct Application {
    database: Database,
    calls: PgConnection,
}

impl Application {
    async fn of(server: &Server) -> Self {
        let database = Database::postgres().await;
        let name = database.url.rsplit_once('_').expect("the name of the database ends with an id").1;
        let role = format!("outbox_{name}");
        let install = ["outbox", "install", "--outbox-url", &database.url, "--role", &role];
        // Made again, they are the same, with the same rights.
        for _ in 0..2 {
            trunkline(server, &install).prints(&[&role, "trunkline.send_event"]);
        }
        let mut calls = PgConnection::connect(&database.url).await.expect("the server answers");
        calls.execute(AssertSqlSafe(format!("SET ROLE {role}"))).await.expect("it is there");
        Self { database, calls }
    }

    async fn call(&mut self, sql: &str) -> String {
        let row = self.calls.fetch_one(AssertSqlSafe(format!("SELECT trunkline.{sql}"))).await;
        row.unwrap_or_else(|error| panic!("{sql}: {error}")).try_get(0).expect("a key")
    }

    async fn run(&mut self, sql: &str) {
        self.calls
            .execute(AssertSqlSafe(sql.to_owned()))
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    fn relay(&self, server: &Server, key: &str) -> Relay {
        let mut command = bare_command();
        command
            .args(["outbox", "relay"])
            .env("TRUNKLINE_URL", server.url())
            .env("TRUNKLINE_API_KEY", key)
            .env("TRUNKLINE_OUTBOX_URL", &self.database.url)
            .stdin(Stdio::null());
        Relay(command.spawn().expect("it starts"))
    }

    /// What is in the outbox, once nothing waits.
    async fn settled(&self, server: &Server) -> Value {
        let status = ["--json", "outbox", "status", "--outbox-url", &self.database.url];
        until("nothing waits", DEADLINE, || async {
            let status = trunkline(server, &status).json();
            (status["waiting"] == 0).then_some(status)
        })
        .await
    }
}

/// A relay that is killed with this.
struct Relay(Child);

impl Drop for Relay {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The payloads of all jobs of a type, in the order in which workers get them.
async fn polled(server: &Server, job_type: &str) -> Vec<i64> {
    let client = server.client();
    let poll =
        json!({ "workerId": "w", "jobTypes": [job_type], "maxJobs": 100, "lease": "10m", "wait": "3s" });
    let mut payloads = Vec::new();
    loop {
        let answer = client.post("/v1/jobs/poll", &poll).await;
        let jobs = answer["jobs"].as_array().expect("a list");
        if jobs.is_empty() {
            return payloads;
        }
        assert!(jobs.iter().all(|job| job["tenant"] == "acme"), "{jobs:?}");
        payloads.extend(jobs.iter().map(|job| job["data"].as_i64().unwrap_or(-1)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_application_commits_elsewhere_is_sent_once_and_in_order() {
    let database = Database::postgres().await;
    let server = Server::start(&database).await;
    let client = server.client();
    client.post("/v1/tenants", &json!({ "name": "acme" })).await;
    let made = json!({ "name": "relay", "role": "client", "tenant": "acme" });
    let made = client.post("/v1/api-keys", &made).await;
    let key = made["key"].as_str().expect("a key").to_owned();
    let mut application = Application::of(&server).await;
    application.run("BEGIN").await;
    application.call("enqueue('mail', '-1')").await;
    application.run("ROLLBACK").await;
    let mut first = application.relay(&server, &key);
    for number in 0..40 {
        application.call(&format!("enqueue('mail', '{number}', key => 'mail-{number}')")).await;
    }
    // Killed with calls that wait, are under way and were sent; another one goes on.
    until("it has sent some", DEADLINE, || async {
        let jobs = client.get("/v1/jobs?jobType=mail").await;
        jobs["items"].as_array().is_some_and(|jobs| !jobs.is_empty()).then_some(())
    })
    .await;
    first.0.kill().expect("it runs");
    let _relays = [application.relay(&server, &key), application.relay(&server, &key)];
    // A key that was used before makes no second job.
    for number in 30..60 {
        application.call(&format!("enqueue('mail', '{number}', key => 'mail-{number}')")).await;
    }
    assert_eq!(application.settled(&server).await["refused"], json!([]));
    assert_eq!(polled(&server, "mail").await, (0..60).collect::<Vec<i64>>());
    let read = application.calls.execute("SELECT * FROM trunkline.outbox").await;
    assert!(read.is_err(), "the role may call the functions only");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_the_server_refuses_is_kept_and_holds_nobody_up() {
    let database = Database::postgres().await;
    let mut server = Server::start(&database).await;
    let client = server.client();
    let nodes = json!([{ "id": "paid", "type": "SIGNAL", "signal": "paid" }]);
    client.post("/v1/workflows", &json!({ "name": "order", "version": 1, "nodes": nodes })).await;
    let started = client.post("/v1/executions", &json!({ "workflow": "order", "tenant": "default" })).await;
    let mut application = Application::of(&server).await;
    // Committed while there is no server.
    server.kill_nine();
    let _relay = application.relay(&server, TEST_KEY);
    application.call("start('ordr', key => 'typo')").await;
    application
        .call(&format!(
            "signal('{}', 'paid', '{{\"by\": \"card\"}}')",
            started["id"].as_str().expect("an id")
        ))
        .await;
    application.call("start('order', '{\"item\": 7}', correlation_id => 'order-7', tags => '{sql}')").await;
    application.call("send_event('order.paid', '{\"order\": 7}', id => 'paid-7')").await;
    for faulty in [
        "SELECT trunkline.enqueue('no type')",
        "SELECT trunkline.enqueue('mail', key => 'ü')",
        "SELECT trunkline.enqueue('mail', delay => '-1s')",
        "SELECT trunkline.send_event('order paid')",
        "SELECT trunkline.start('')",
    ] {
        let error = application.calls.execute(faulty).await.expect_err("it is refused at once");
        let code = error.as_database_error().and_then(|error| error.code().map(|code| code.to_string()));
        assert_eq!(code.as_deref(), Some("22023"), "{faulty}");
    }
    server.restart().await;
    let client = server.client();
    let status = application.settled(&server).await;
    let refused = status["refused"].as_array().expect("a list");
    assert_eq!(refused.len(), 1, "{status}");
    assert_eq!((&refused[0]["kind"], &refused[0]["key"]), (&json!("start"), &json!("start:typo")));
    assert!(refused[0]["reason"].as_str().is_some_and(|reason| reason.contains("ordr")), "{status}");
    let path = format!("/v1/executions/{}", started["id"].as_str().expect("an id"));
    until("the signal arrives", DEADLINE, || async {
        (client.get(&path).await["status"] == "COMPLETED").then_some(())
    })
    .await;
    let found = client.all("/v1/executions?correlationId=order-7").await;
    assert_eq!(found.len(), 1, "{found:?}");
    let uninstall = ["outbox", "uninstall", "--outbox-url", &application.database.url];
    let dropped = trunkline(&server, &[&["--json"][..], &uninstall[..]].concat()).json();
    assert_eq!(dropped, json!({ "schema": "trunkline", "dropped": true }));
    assert!(application.calls.execute("SELECT trunkline.enqueue('late')").await.is_err());
}

/// Every command of that part of docs/sql.md, as a reader would run them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_the_page_work() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let application = Database::postgres().await;
    let page = std::fs::read_to_string(repository().join("docs/sql.md")).expect("there is docs/sql.md");
    let blocks = blocks_of_sh(&page, "<!-- outbox:begin -->", "<!-- outbox:end -->");
    assert!(blocks.len() > 2, "{blocks:?}");
    let variables = [("TRUNKLINE_OUTBOX_URL", application.url.as_str())];
    bash(&server, server.directory(), &blocks.join("\n"), &variables, DEADLINE).await;
    let jobs = server.client().get("/v1/jobs?jobType=send-receipt").await;
    assert_eq!(jobs["items"][0]["data"], json!({ "order": 8 }), "{jobs}");
}
