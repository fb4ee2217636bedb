//! Work that an application commits in SQL, with the real binary: it is taken at once, once, and in the order of commits.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};

use crate::harness::{Database, Server, bash, blocks_of_sh, repository, trunkline, until};

const DEADLINE: Duration = Duration::from_secs(30);

/// A role for each test: roles are shared by all databases of the server.
fn role_of(database: &Database) -> String {
    let name = database.url.rsplit_once('/').expect("the URL names a database").1;
    format!("shop_{}", name.rsplit_once('_').expect("its name ends with an id").1)
}

/// A connection of an application that may only call the functions.
async fn application(server: &Server, database: &Database) -> PgConnection {
    let role = role_of(database);
    let install = ["sql", "install", "--database-url", &database.url, "--role", &role, "--tenant", "acme"];
    trunkline(server, &install).prints(&[&role, "trunkline.enqueue", "acme"]);
    let mut connection = PgConnection::connect(&database.url).await.expect("the server answers");
    connection.execute(AssertSqlSafe(format!("SET ROLE {role}"))).await.expect("it is there");
    connection
}

async fn call(on: &mut PgConnection, sql: &str) -> String {
    let row = on.fetch_one(AssertSqlSafe(format!("SELECT trunkline.{sql}"))).await;
    row.unwrap_or_else(|error| panic!("{sql}: {error}")).try_get(0).expect("an id")
}

/// The jobs of a type that a worker gets, in its order, each completed.
async fn worked(server: &Server, job_type: &str, count: usize) -> Vec<Value> {
    let client = server.client();
    let mut jobs = Vec::new();
    while jobs.len() < count {
        let poll = json!({ "workerId": "w", "jobTypes": [job_type], "maxJobs": 10, "wait": "5s" });
        let answer = client.post("/v1/jobs/poll", &poll).await;
        let polled = answer["jobs"].as_array().expect("a list");
        let report =
            |job: &Value| json!({ "id": job["id"], "leaseToken": job["leaseToken"], "result": null });
        let reports: Vec<Value> = polled.iter().map(report).collect();
        if !reports.is_empty() {
            client.post("/v1/jobs/complete", &json!({ "jobs": reports })).await;
        }
        jobs.extend(polled.iter().cloned());
    }
    jobs
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tenant_that_a_role_gets_instead_of_another_one_is_said() {
    let database = Database::postgres().await;
    let server = Server::start(&database).await;
    let role = role_of(&database);
    let install = ["sql", "install", "--database-url", &database.url, "--role", &role];
    let run = |more: &[&str]| trunkline(&server, &[&install[..], more].concat());
    run(&["--tenant", "acme"]).prints(&["for the tenant acme"]);
    let again = run(&[]).prints(&["for the tenant acme"]);
    assert!(!again.stdout.contains("until now"), "{}", again.stdout);
    run(&["--tenant", "globex"]).prints(&["for the tenant globex", "was acme until now"]);
    let moved = run(&["--tenant", "acme", "--json"]).json();
    assert_eq!((&moved["tenant"], &moved["previousTenant"]), (&json!("acme"), &json!("globex")), "{moved}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_application_commits_runs_once_and_in_order() {
    let database = Database::postgres().await;
    let mut server = Server::start(&database).await;
    let mut shop = application(&server, &database).await;
    let mut ids = Vec::new();
    for number in 0..20 {
        ids.push(call(&mut shop, &format!("enqueue('mail', '{number}', key => 'mail-{number}')")).await);
    }
    // Killed with work in the intake, under way and done: nothing is lost and nothing comes twice.
    server.kill_nine();
    for number in 15..40 {
        let id = call(&mut shop, &format!("enqueue('mail', '{number}', key => 'mail-{number}')")).await;
        if number >= 20 {
            ids.push(id);
        }
    }
    server.restart().await;
    let jobs = worked(&server, "mail", 40).await;
    let found: Vec<&str> = jobs.iter().map(|job| job["id"].as_str().unwrap_or_default()).collect();
    assert_eq!(found, ids, "each once, in the order of commits, under the ids that the calls returned");
    let data: Vec<i64> = jobs.iter().map(|job| job["data"].as_i64().unwrap_or(-1)).collect();
    assert_eq!(data, (0..40).collect::<Vec<i64>>());
    assert!(jobs.iter().all(|job| job["tenant"] == "acme"), "{jobs:?}");
    let id = call(&mut shop, "enqueue('limited', rate_key => 'smtp:example.org')").await;
    let limited = worked(&server, "limited", 1).await;
    assert_eq!(limited[0]["id"], id);
    let with_key = server.client().all("/v1/jobs?rateKey=smtp:example.org").await;
    assert_eq!(with_key.iter().map(|job| job["id"].as_str()).collect::<Vec<_>>(), [Some(id.as_str())]);
    let status = trunkline(&server, &["--json", "sql", "status", "--database-url", &database.url]).json();
    assert_eq!((&status["waiting"], &status["refused"]), (&json!(0), &json!([])));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_execution_is_started_and_signalled_in_one_transaction() {
    let database = Database::postgres().await;
    let server = Server::start(&database).await;
    let client = server.client();
    let mut shop = application(&server, &database).await;
    let definition = json!({
        "name": "order", "version": 1, "input": { "type": "object", "required": ["item"] },
        "nodes": [{ "id": "paid", "type": "SIGNAL", "signal": "paid" }],
        "output": "${nodes.paid.output}",
    });
    client.post("/v1/workflows", &definition).await;
    shop.execute("BEGIN").await.expect("begins");
    let id = call(&mut shop, "start('order', '{\"item\": 7}', correlation_id => 'order-7')").await;
    let signal = format!("SELECT trunkline.signal('{id}', 'paid', '{{\"by\": \"card\"}}')");
    shop.execute(AssertSqlSafe(signal)).await.expect("it is known within the transaction");
    shop.execute("COMMIT").await.expect("commits");
    // The input does not fit its schema, which only the server can tell.
    let bad = call(&mut shop, "start('order', '{}')").await;
    let path = format!("/v1/executions/{id}");
    let execution = until("the execution ends", DEADLINE, || async {
        let answer = client.try_get(&path).await;
        (answer.status == 200 && answer.json()["status"] == "COMPLETED").then(|| answer.json())
    })
    .await;
    assert_eq!((&execution["tenant"], &execution["output"]), (&json!("acme"), &json!({ "by": "card" })));
    let status = || trunkline(&server, &["--json", "sql", "status", "--database-url", &database.url]).json();
    let status = until("the other is refused", DEADLINE, || async {
        let status = status();
        status["refused"][0]["id"].is_string().then_some(status)
    })
    .await;
    let refused: BTreeMap<&str, &Value> = ["id", "kind", "name", "tenant"]
        .iter()
        .map(|field| (*field, &status["refused"][0][*field]))
        .collect();
    let id = bad.strip_prefix("exe_").expect("its prefix");
    let expected =
        [("id", id), ("kind", "start"), ("name", "order"), ("tenant", "acme")].map(|(k, v)| (k, json!(v)));
    assert_eq!(refused, expected.iter().map(|(k, v)| (*k, v)).collect::<BTreeMap<_, _>>());
    let uninstall = ["sql", "uninstall", "--database-url", &database.url];
    trunkline(&server, &uninstall).prints(&["dropped"]);
    let again = trunkline(&server, &[&["--json"][..], &uninstall[..]].concat()).json();
    assert_eq!(again, json!({ "schema": "trunkline", "dropped": true }));
    let late = shop.execute("SELECT trunkline.enqueue('mail')").await;
    assert!(late.is_err());
}

/// An event starts what its triggers name, once for its id, and nothing where its transaction is rolled back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_is_sent_within_a_transaction() {
    let database = Database::postgres().await;
    let server = Server::start(&database).await;
    let client = server.client();
    let mut shop = application(&server, &database).await;
    let nodes = json!([{ "id": "wait", "type": "SIGNAL", "signal": "never" }]);
    client.post("/v1/workflows", &json!({ "name": "paid", "version": 1, "nodes": nodes })).await;
    let trigger =
        json!({ "name": "on-paid", "tenant": "acme", "events": ["order.paid"], "workflow": "paid" });
    client.post("/v1/triggers", &trigger).await;
    shop.execute("BEGIN").await.expect("begins");
    call(&mut shop, "send_event('order.paid', '{\"order\": 6}')").await;
    shop.execute("ROLLBACK").await.expect("rolls back");
    for order in [7, 7, 8] {
        let event = format!("send_event('order.paid', '{{\"order\": {order}}}', id => 'paid-{order}')");
        assert!(call(&mut shop, &event).await.starts_with("dlv_"));
    }
    // They are taken in their order: with the last one there, so are the ones before it.
    let started = until("the execution of the last event", DEADLINE, || async {
        let started = client.all("/v1/executions?workflow=paid").await;
        (started.len() >= 2).then_some(started)
    })
    .await;
    let mut orders = Vec::new();
    for execution in &started {
        let path = format!("/v1/executions/{}", execution["id"].as_str().expect("an id"));
        let execution = client.get(&path).await;
        assert_eq!(execution["tenant"], "acme");
        orders.push(execution["input"]["order"].as_i64());
    }
    orders.sort();
    assert_eq!(orders, [Some(7), Some(8)]);
}

/// Whoever waits for a commit to become a job waits for a notification, and not for the next look, which comes every second. How
/// long that is on a quiet machine is measured by the load tests (`sql-enqueue`).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_becomes_a_job_by_a_notification() {
    let database = Database::postgres().await;
    let server = Server::start(&database).await;
    let mut shop = application(&server, &database).await;
    let mut owner = PgConnection::connect(&database.url).await.expect("the server answers");
    let (mut waits, mut intervals, mut found_at) = (Vec::new(), Vec::new(), Instant::now());
    for number in 0..50 {
        call(&mut shop, &format!("enqueue('mail', '{number}')")).await;
        let (committed, queued) = (Instant::now(), "SELECT count(*) FROM job");
        while owner.fetch_one(queued).await.expect("it is read").get::<i64, _>(0) <= number {
            assert!(committed.elapsed() < DEADLINE, "job {number} is not there");
        }
        waits.push(committed.elapsed());
        intervals.push(found_at.elapsed());
        found_at = Instant::now();
    }
    waits.sort();
    intervals.sort();
    println!("commit to claimable: p50 {:?}, p90 {:?}", waits[25], waits[45]);
    // Looks without a notification are a second apart, and each of them finds one: so would be all of these, however busy the
    // machine is.
    assert!(intervals[10] < Duration::from_millis(900), "the intake is only looked at: {intervals:?}");
}

/// Every command of docs/sql.md, in order, as a reader would run them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_the_page_work() {
    let database = Database::postgres().await;
    let server = Server::start(&database).await;
    let page = std::fs::read_to_string(repository().join("docs/sql.md")).expect("there is docs/sql.md");
    let blocks = blocks_of_sh(&page, "<!-- sql:begin -->", "<!-- sql:end -->");
    assert!(blocks.len() > 4, "{blocks:?}");
    let variables = [("DATABASE_URL", database.url.as_str())];
    bash(&server, server.directory(), &blocks.join("\n"), &variables, DEADLINE * 2).await;
    let client = server.client();
    until("the job of the page", DEADLINE, || async {
        let jobs = client.get("/v1/jobs?jobType=send-receipt").await;
        (jobs["items"][0]["tenant"] == "acme").then_some(())
    })
    .await;
    until("the execution of the page", DEADLINE, || async {
        let executions = client.get("/v1/executions?status=COMPLETED").await;
        (executions["items"][0]["correlationId"] == "order-7").then_some(())
    })
    .await;
}
