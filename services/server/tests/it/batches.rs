//! Bulk operations and erasures whose process is killed in the middle: another goes on from what stands in the database.

use std::collections::HashSet;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Client, Database, Server, on_both_databases, until};

/// How many dead letters are requeued, and at which rate.
const LETTERS: usize = 3_000;
const RATE: usize = 400;

const DEADLINE: Duration = Duration::from_mins(3);

on_both_databases!(
    dead_letters_are_requeued_once_each_whatever_is_killed,
    an_erasure_goes_on_whatever_is_killed,
);

async fn dead_letters_are_requeued_once_each_whatever_is_killed(database: Database) {
    let mut server = Server::start(&database).await;
    let client = server.client();
    let dead = kill_jobs(&client).await;
    let body = json!({"filter": {"jobType": ["many"]}, "ratePerSecond": RATE, "reason": "a test"});
    let batch = client.post("/v1/dead-letters/requeue", &body).await;
    let path = format!("/v1/batches/{}", batch["id"].as_str().expect("an id"));
    for share in [3, 2] {
        done(&client, &path, LETTERS / (2 * share)).await;
        server.kill_nine();
        server.restart().await;
    }
    let ended = ended(&client, &path).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    let counts = [&ended["total"], &ended["done"], &ended["failed"], &ended["skipped"]];
    assert_eq!(counts, [&json!(LETTERS), &json!(LETTERS), &json!(0), &json!(0)], "{ended}");

    let items = client.all(&format!("{path}/items")).await;
    let ids: HashSet<&str> = items.iter().filter_map(|item| item["id"].as_str()).collect();
    assert_eq!((items.len(), ids.len()), (LETTERS, LETTERS), "each has one entry");
    keeps_the_rate(&items);
    // Each came back once: every job is there to be run, one time.
    let mut back = Vec::new();
    loop {
        let jobs = poll(&client).await;
        if jobs.is_empty() {
            break;
        }
        back.extend(jobs.iter().map(|job| job["id"].as_str().expect("an id").to_owned()));
        let reports: Vec<Value> =
            jobs.iter().map(|job| json!({"id": job["id"], "leaseToken": job["leaseToken"]})).collect();
        client.post("/v1/jobs/complete", &json!({ "jobs": reports })).await;
    }
    assert_eq!(back.len(), LETTERS);
    assert_eq!(back.into_iter().collect::<HashSet<_>>(), dead);
}

/// Makes dead letters; answers their jobs.
async fn kill_jobs(client: &Client) -> HashSet<String> {
    let jobs = vec![json!({"jobType": "many", "data": {}}); 500];
    for _ in 0..LETTERS / jobs.len() {
        client.post("/v1/jobs/batch", &json!({ "jobs": jobs })).await;
    }
    let mut dead = HashSet::new();
    while dead.len() < LETTERS {
        let jobs = poll(client).await;
        assert!(!jobs.is_empty(), "only {} of {LETTERS} jobs were there", dead.len());
        let failures: Vec<Value> = jobs
            .iter()
            .map(|job| {
                json!({"id": job["id"], "leaseToken": job["leaseToken"], "retryable": false,
                       "error": {"message": "broken"}})
            })
            .collect();
        client.post("/v1/jobs/fail", &json!({ "jobs": failures })).await;
        dead.extend(jobs.iter().map(|job| job["id"].as_str().expect("an id").to_owned()));
    }
    dead
}

/// What a worker gets; nothing once there has been nothing for a while.
async fn poll(client: &Client) -> Vec<Value> {
    let body = json!({"workerId": "w", "jobTypes": ["many"], "maxJobs": 500, "wait": "5s"});
    client.post("/v1/jobs/poll", &body).await["jobs"].as_array().expect("jobs").clone()
}

/// Waits until so many objects have had their turn.
async fn done(client: &Client, path: &str, count: usize) {
    until(&format!("{count} are done"), DEADLINE, || async {
        let batch = client.get(path).await;
        (batch["done"].as_u64().is_some_and(|done| done >= count as u64)).then_some(())
    })
    .await;
}

async fn ended(client: &Client, path: &str) -> Value {
    until("the batch ends", DEADLINE, || async {
        let batch = client.get(path).await;
        (!["preparing", "running"].contains(&batch["status"].as_str().expect("a status"))).then_some(batch)
    })
    .await
}

/// No five seconds have more than a fifth above the rate, whoever took over and when.
fn keeps_the_rate(items: &[Value]) {
    let mut at: Vec<i64> = items
        .iter()
        .map(|item| {
            let at = item["at"].as_str().expect("an instant");
            domain::time::Timestamp::parse(at).expect("RFC 3339").0
        })
        .collect();
    at.sort_unstable();
    let most = at
        .iter()
        .enumerate()
        .map(|(index, begin)| at[index..].iter().take_while(|instant| **instant < begin + 5_000).count());
    let most = most.max().unwrap_or_default();
    assert!(most <= RATE * 6, "{most} in five seconds at {RATE} a second");
}

async fn an_erasure_goes_on_whatever_is_killed(database: Database) {
    // Small steps, so that there are many between which it may be killed.
    let settings = [("TRUNKLINE_UPKEEP__BATCH", "5"), ("FAILPOINTS", "erase-step-after=2*off->return")];
    let mut server = Server::start_with(&database, &settings).await;
    let client = server.client();
    fill(&client, "acme").await;
    fill(&client, "umbrella").await;
    let body = json!({"confirm": "acme", "cancelOpen": true});
    // The answer may be cut off by the end of the process; a second call names the same batch.
    let _ = client.call(Method::POST, "/v1/tenants/acme/erase").json(&body).send().await;
    let points = ["erase-step-before=4*off->return", "erase-step-after=6*off->return", ""];
    for point in points {
        let gone = Duration::from_mins(1);
        server.ended(gone).await;
        server.restart_with(&[("FAILPOINTS", point)]).await;
    }
    let batches = client.all("/v1/batches?kind=tenants.erase").await;
    assert_eq!(batches.len(), 1, "{batches:?}");
    let path = format!("/v1/batches/{}", batches[0]["id"].as_str().expect("an id"));
    let ended = ended(&client, &path).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    assert!(ended["total"].as_u64().is_some_and(|total| total > 30), "{ended}");
    assert_eq!(ended["total"], ended["done"], "{ended}");
    for list in ["jobs", "executions", "dead-letters", "schedules"] {
        let left = client.all(&format!("/v1/{list}?tenant=acme")).await;
        assert_eq!(left, [] as [Value; 0], "{list}");
        let others = client.all(&format!("/v1/{list}?tenant=umbrella")).await;
        assert!(!others.is_empty(), "{list} of the other tenant");
    }
    let lines = client.all("/v1/audit?tenant=acme&action=tenant.erased").await;
    assert_eq!(lines.len(), 1, "{lines:?}");
}

/// Work of a tenant: under way, done and dead.
async fn fill(client: &Client, tenant: &str) {
    let workflow =
        json!({"name": "w", "version": 1, "nodes": [{"id": "n", "type": "SIGNAL", "signal": "s"}]});
    client.post("/v1/workflows", &workflow).await;
    for _ in 0..10 {
        client.post("/v1/executions", &json!({"workflow": "w", "tenant": tenant})).await;
    }
    let schedule = json!({"name": "s", "tenant": tenant, "workflow": "w", "cron": "0 0 1 1 *"});
    client.post("/v1/schedules", &schedule).await;
    let job = json!({"jobType": "many", "data": {}, "tenant": tenant});
    client.post("/v1/jobs/batch", &json!({ "jobs": vec![job; 40] })).await;
    let jobs = poll(client).await;
    let lease = |job: &Value| json!({"id": job["id"], "leaseToken": job["leaseToken"]});
    let (some, others) = jobs.split_at(10);
    client.post("/v1/jobs/complete", &json!({ "jobs": some.iter().map(lease).collect::<Vec<_>>() })).await;
    let failures: Vec<Value> = others
        .iter()
        .take(10)
        .map(|job| {
            let mut failure = lease(job);
            failure["error"] = json!({"message": "broken"});
            failure["retryable"] = json!(false);
            failure
        })
        .collect();
    client.post("/v1/jobs/fail", &json!({ "jobs": failures })).await;
}
