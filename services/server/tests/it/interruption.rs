//! What becomes of a job whose worker is gone: it runs again within its lease and one second, and whatever the first
//! worker still says is worth nothing.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{
    Client, Database, Record, Report, STEPS, Server, Target, Worker, WorkerSetup, beside_calls,
    on_both_databases, until,
};

const LEASE: Duration = Duration::from_secs(2);
const SECOND: Duration = Duration::from_secs(1);
const DEADLINE: Duration = Duration::from_secs(30);

/// A lease that is renewed: longer than a busy machine takes from one heartbeat to the next.
const KEPT: &str = "5s";
const KEPT_FOR: Duration = Duration::from_secs(5);

const SETTINGS: [(&str, &str); 2] =
    [("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "2s"), ("TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LEASE", "2s")];

on_both_databases!(
    an_interrupted_job_runs_again_within_lease_plus_one_second,
    a_job_of_a_killed_server_runs_again_within_lease_plus_one_second,
    i02_stale_and_forged_tokens_write_nothing,
    a_heartbeat_keeps_the_lease,
);

async fn an_interrupted_job_runs_again_within_lease_plus_one_second(database: Database) {
    let server = Server::start_with(&database, &SETTINGS).await;
    let client = server.client();
    let id = client.post("/v1/jobs", &json!({"jobType": "fragile", "data": {}})).await["id"].clone();
    let asked = Instant::now();
    let jobs = poll(&client, "the-dying", "fragile").await;
    let leased = Instant::now();
    assert_eq!(jobs[0]["id"], id);
    // The worker dies here; another waits.
    let (again, longest) = beside_calls(&client, poll(&client, "the-heir", "fragile")).await;
    let (held, waited) = (asked.elapsed(), leased.elapsed());
    assert_eq!((&again[0]["id"], &again[0]["attempt"]), (&id, &json!(2)));
    let due = LEASE + SECOND + STEPS * longest;
    assert!(waited <= due, "ran again after {waited:?}, was due after {due:?}");
    assert!(held + Duration::from_millis(200) >= LEASE, "was taken from a live worker after {held:?}");
    let job = client.get(&format!("/v1/jobs/{}", id.as_str().expect("an id"))).await;
    assert_eq!(job["attempts"][0]["status"], "WORKER_LOST", "{job}");
    assert_eq!(job["attempts"][0]["workerId"], "the-dying", "{job}");
}

async fn a_job_of_a_killed_server_runs_again_within_lease_plus_one_second(database: Database) {
    let target = Target::hanging().await;
    let settings = [SETTINGS[0], SETTINGS[1], ("TRUNKLINE_EGRESS__ALLOW", &target.allow())];
    let mut server = Server::start_with(&database, &settings).await;
    let client = server.client();
    client.post("/v1/workflows", &call_of(&target)).await;
    let id = client.post("/v1/executions", &json!({"workflow": "caller"})).await["id"].clone();
    until("the target is called", DEADLINE, || async { (target.calls() == 1).then_some(()) }).await;
    server.kill_nine();
    let killed = Instant::now();
    server.restart().await;
    let due = LEASE.max(killed.elapsed()) + SECOND;
    let again =
        until("the target is called again", DEADLINE, || async { (target.calls() == 2).then_some(()) });
    let ((), longest) = beside_calls(&client, again).await;
    let (waited, due) = (killed.elapsed(), due + STEPS * longest);
    assert!(waited <= due, "ran again after {waited:?}, was due after {due:?}");
    target.answer();
    let path = format!("/v1/executions/{}?wait=true&timeout=20s", id.as_str().expect("an id"));
    assert_eq!(client.get(&path).await["status"], "COMPLETED");
    assert_eq!(target.calls(), 2);
}

fn call_of(target: &Target) -> Value {
    let request = json!({"method": "GET", "url": format!("{}/slow", target.url())});
    json!({
        "name": "caller", "version": 1,
        "nodes": [{"id": "call", "type": "HTTP", "request": request, "timeout": "25s"}],
        "output": {"status": "${nodes.call.output.status}"},
    })
}

async fn i02_stale_and_forged_tokens_write_nothing(database: Database) {
    let server = Server::start_with(&database, &SETTINGS).await;
    let client = server.client();
    let id = client.post("/v1/jobs", &json!({"jobType": "fenced", "data": {}})).await["id"].clone();
    let first = poll(&client, "the-zombie", "fenced").await[0].clone();
    // It holds the job for as long as the reports of the other one take.
    let second = poll_for(&client, "the-heir", "fenced", "5m").await[0].clone();
    assert_eq!((&first["id"], &second["id"]), (&id, &id));
    let forged = json!("00000000-0000-4000-8000-000000000000");

    for token in [&first["leaseToken"], &forged] {
        let lease = json!({"id": id, "leaseToken": token});
        assert_eq!(report(&client, "complete", with(&lease, "result", json!("stolen"))).await, "lease_lost");
        assert_eq!(report(&client, "fail", with(&lease, "error", json!("stolen"))).await, "lease_lost");
        assert_eq!(report(&client, "heartbeat", lease).await, "lease_lost");
    }
    let lease = json!({"id": id, "leaseToken": second["leaseToken"]});
    let completion = with(&lease, "result", json!("genuine"));
    assert_eq!(report(&client, "complete", completion.clone()).await, "ok");
    assert_eq!(report(&client, "complete", completion).await, "already_done");
    let stolen = json!({"id": id, "leaseToken": first["leaseToken"], "result": "stolen"});
    assert_eq!(report(&client, "complete", stolen).await, "lease_lost");

    let job = client.get(&format!("/v1/jobs/{}", id.as_str().expect("an id"))).await;
    assert_eq!((&job["status"], &job["result"]), (&json!("COMPLETED"), &json!("genuine")), "{job}");
    let attempts: Vec<&Value> =
        job["attempts"].as_array().expect("attempts").iter().map(|attempt| &attempt["status"]).collect();
    assert_eq!(attempts, ["WORKER_LOST", "COMPLETED"]);
}

async fn a_heartbeat_keeps_the_lease(database: Database) {
    let server = Server::start_with(&database, &SETTINGS).await;
    let client = server.client();
    client.post("/v1/jobs", &json!({"jobType": "long", "data": {}})).await;
    let job = poll_for(&client, "the-diligent", "long", KEPT).await[0].clone();
    let lease = json!({
        "id": job["id"], "leaseToken": job["leaseToken"], "progress": {"percent": 40}, "extend": KEPT,
    });
    let started = Instant::now();
    until("two leases passed", DEADLINE, || async {
        assert_eq!(report(&client, "heartbeat", lease.clone()).await, "ok");
        (started.elapsed() > 2 * KEPT_FOR).then_some(())
    })
    .await;
    let record = client.get(&format!("/v1/jobs/{}", job["id"].as_str().expect("an id"))).await;
    assert_eq!(
        (&record["status"], &record["progress"]["percent"]),
        (&json!("PROCESSING"), &json!(40)),
        "{record}"
    );

    // Failing with what a retry may mend brings it back; what no retry can mend kills it at once.
    let worker_record = Record::new();
    let handler = |_| async { Report::Fail { message: "no use".to_owned(), retryable: false } };
    let failure = json!({"id": job["id"], "leaseToken": job["leaseToken"], "error": {"message": "later"},
                         "retryAfter": "100ms"});
    assert_eq!(report(&client, "fail", failure).await, "ok");
    let worker = Worker::start(client.clone(), WorkerSetup::new("second", &["long"], handler), worker_record);
    let path = format!("/v1/jobs/{}", job["id"].as_str().expect("an id"));
    let dead = until("the job dies", DEADLINE, || async {
        Some(client.get(&path).await).filter(|job| job["status"] == "DEAD_LETTER")
    })
    .await;
    assert_eq!(dead["attempts"].as_array().map(Vec::len), Some(2), "{dead}");
    worker.stop().await;
}

/// Polls until there is a job, under the lease that the settings say.
async fn poll(client: &Client, worker: &str, job_type: &str) -> Vec<Value> {
    poll_for(client, worker, job_type, "2s").await
}

/// Polls until there is a job, under a lease of its own.
async fn poll_for(client: &Client, worker: &str, job_type: &str, lease: &str) -> Vec<Value> {
    let body =
        json!({"workerId": worker, "jobTypes": [job_type], "maxJobs": 1, "wait": "30s", "lease": lease});
    let answer = client.post("/v1/jobs/poll", &body).await;
    let jobs = answer["jobs"].as_array().expect("a poll answers jobs").clone();
    assert_eq!(jobs.len(), 1, "{worker} got no job");
    jobs
}

async fn report(client: &Client, verb: &str, item: Value) -> String {
    let answer = client.post(&format!("/v1/jobs/{verb}"), &json!({ "jobs": [item] })).await;
    answer["results"][0]["outcome"].as_str().expect("an outcome").to_owned()
}

fn with(lease: &Value, field: &str, value: Value) -> Value {
    let mut item = lease.clone();
    item[field] = value;
    item
}
