//! A process that is killed is noticed long before its leases end: by its next start on a SQLite file, by the processes beside
//! it on PostgreSQL. Workers that polled through it keep what they have.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Client, Database, STEPS, Server, Target, beside_calls, until};

const DEADLINE: Duration = Duration::from_mins(1);

/// No lease ends while a test runs.
const SETTINGS: [(&str, &str); 2] = [
    ("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "10m"),
    ("TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LEASE", "10m"),
];

/// What is under way when the process dies: a call that its pool makes, and a job of a worker that polled through it.
struct UnderWay {
    target: Target,
    execution: String,
    job: Value,
}

impl UnderWay {
    async fn on(client: &Client, target: Target) -> Self {
        let request = json!({"method": "GET", "url": format!("{}/slow", target.url())});
        let workflow = json!({
            "name": "caller", "version": 1,
            "nodes": [{"id": "call", "type": "HTTP", "request": request, "timeout": "1m"}],
            "output": {"status": "${nodes.call.output.status}"},
        });
        client.post("/v1/workflows", &workflow).await;
        let execution = client.post("/v1/executions", &json!({"workflow": "caller"})).await["id"].clone();
        until("the target is called", DEADLINE, || async { (target.calls() == 1).then_some(()) }).await;
        client.post("/v1/jobs", &json!({"jobType": "outside", "data": {}})).await;
        let poll = json!({"workerId": "outside", "jobTypes": ["outside"], "maxJobs": 1, "wait": "10s"});
        let job = client.post("/v1/jobs/poll", &poll).await["jobs"][0].clone();
        assert!(job["leaseToken"].is_string(), "{job}");
        Self { target, execution: execution.as_str().expect("an id").to_owned(), job }
    }

    /// Waits until another process has gone on with all of it. Answers when the call came again.
    async fn goes_on(self, client: &Client) -> Instant {
        until("the target is called again", DEADLINE, || async { (self.target.calls() == 2).then_some(()) })
            .await;
        let again_at = Instant::now();
        self.target.answer();
        let path = format!("/v1/executions/{}?wait=true&timeout=30s", self.execution);
        assert_eq!(client.get(&path).await["status"], "COMPLETED");
        let report =
            json!({"jobs": [{"id": self.job["id"], "leaseToken": self.job["leaseToken"], "result": 1}]});
        let answer = client.post("/v1/jobs/complete", &report).await;
        assert_eq!(answer["results"][0]["outcome"], "ok", "the worker outside has kept its lease: {answer}");
        let nodes = client.get(&format!("/v1/executions/{}/nodes", self.execution)).await;
        assert_eq!(nodes["items"][0]["status"], "COMPLETED", "{nodes}");
        again_at
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_killed_server_held_comes_back_with_its_next_start_on_sqlite() {
    let database = Database::sqlite();
    let target = Target::hanging().await;
    let settings = [SETTINGS[0], SETTINGS[1], ("TRUNKLINE_EGRESS__ALLOW", &target.allow())];
    let mut server = Server::start_with(&database, &settings).await;
    let client = server.client();
    let under_way = UnderWay::on(&client, target).await;
    server.kill_nine();
    server.restart().await;
    let ready_at = Instant::now();
    let (again_at, longest) = beside_calls(&client, under_way.goes_on(&client)).await;
    let waited = again_at.saturating_duration_since(ready_at);
    assert!(waited < Duration::from_secs(5) + STEPS * longest, "ran again {waited:?} after the start");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_killed_node_held_comes_back_by_another_on_postgres() {
    let database = Database::postgres().await;
    let target = Target::hanging().await;
    let settings = [SETTINGS[0], SETTINGS[1], ("TRUNKLINE_EGRESS__ALLOW", &target.allow())];
    let mut first = Server::start_with(&database, &settings).await;
    let under_way = UnderWay::on(&first.client(), target).await;
    let second = Server::start_with(&database, &settings).await;
    first.kill_nine();
    let killed_at = Instant::now();
    let client = second.client();
    let (again_at, longest) = beside_calls(&client, under_way.goes_on(&client)).await;
    let waited = again_at.saturating_duration_since(killed_at);
    assert!(waited >= Duration::from_secs(2), "a broken session might have come back: {waited:?}");
    let due = Duration::from_secs(20) + STEPS * longest;
    assert!(waited < due, "ran again {waited:?} after the end of the first");
}

/// One that is stopped for longer than a broken session may be away has a session, and keeps what it has.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_stands_still_keeps_its_leases_on_postgres() {
    let database = Database::postgres().await;
    let target = Target::hanging().await;
    let settings = [SETTINGS[0], SETTINGS[1], ("TRUNKLINE_EGRESS__ALLOW", &target.allow())];
    let first = Server::start_with(&database, &settings).await;
    let under_way = UnderWay::on(&first.client(), target).await;
    let second = Server::start_with(&database, &settings).await;
    first.signal("STOP");
    let stopped_at = Instant::now();
    until("longer than a session may be away", DEADLINE, || async {
        let path = format!("/v1/executions/{}/nodes", under_way.execution);
        let nodes = second.client().get(&path).await;
        assert_eq!(under_way.target.calls(), 1, "the other node has taken it: {nodes}");
        (stopped_at.elapsed() > Duration::from_secs(6)).then_some(())
    })
    .await;
    first.signal("CONT");
    under_way.target.answer();
    let path = format!("/v1/executions/{}?wait=true&timeout=30s", under_way.execution);
    assert_eq!(second.client().get(&path).await["status"], "COMPLETED");
}
