//! I8 with the real binary: it is ended at every point before and after a commit of a run, once at each, and started
//! again. The outcome is the same, and no node runs again once its completion was stored.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{
    Client, Database, PolledJob, Record, Report, Server, Worker, WorkerSetup, found, on_both_databases, until,
};

/// Before and after the commits of owners, of those that park, and of reports of workers.
const POINTS: [&str; 6] = [
    "owner-commit-before",
    "owner-commit-after",
    "park-before",
    "park-after",
    "settle-before",
    "settle-after",
];

/// More points than a run ever passes.
const PASSES_MAX: usize = 80;

const DEADLINE: Duration = Duration::from_mins(1);

/// Leases that end soon after their owner was killed.
const SETTINGS: [(&str, &str); 4] = [
    ("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "1s"),
    ("TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LEASE", "1s"),
    ("TRUNKLINE_UPKEEP__REAP_EVERY", "100ms"),
    ("TRUNKLINE_UPKEEP__PROMOTE_EVERY", "100ms"),
];

on_both_databases!(i08_killed_at_every_commit_nothing_runs_again);

async fn i08_killed_at_every_commit_nothing_runs_again(database: Database) {
    let mut server = Server::start_with(&database, &SETTINGS).await;
    let kills = killed_at_all(&mut server, &POINTS).await;
    assert!(kills >= 20, "only {kills} kills: the points are not armed");
}

/// The process that is ended leases jobs and takes reports; the owners are in another one, and get results
/// through the inbox.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i08_killed_at_every_report_beside_the_owners_nothing_runs_again() {
    let database = Database::postgres().await;
    let with_roles = |roles| [&SETTINGS[..], &[("TRUNKLINE_ROLES", roles)]].concat();
    let _owners = Server::start_with(&database, &with_roles("scheduler,execution")).await;
    let mut server = Server::start_with(&database, &with_roles("api")).await;
    let kills = killed_at_all(&mut server, &["settle-before", "settle-after"]).await;
    assert!(kills >= 8, "only {kills} kills: the points are not armed");
}

/// Runs the workflows on a server that is ended at each of these points, once at each pass of it. Answers how often it
/// was.
async fn killed_at_all(server: &mut Server, points: &[&str]) -> usize {
    let client = server.client();
    for workflow in [child(), good(), bad()] {
        client.post("/v1/workflows", &workflow).await;
    }
    let record = Record::new();
    let types = ["fp-first", "fp-each", "fp-child", "fp-undo", "fp-break", "fp-tell"];
    let worker = Worker::start(client.clone(), WorkerSetup::new("w", &types, work), record.clone());
    let mut kills = 0;
    for point in points {
        for passes in 0.. {
            assert!(passes < PASSES_MAX, "{point} has no end");
            let was_killed = run_once(server, &client, &record, point, passes).await;
            kills += usize::from(was_killed);
            if !was_killed {
                break;
            }
        }
    }
    worker.stop().await;
    println!("{kills} kills, {} runs of handlers", record.runs().len());
    kills
}

/// Runs both workflows on a server that is ended when it has passed a point so many times. Answers whether it was.
async fn run_once(server: &mut Server, client: &Client, record: &Record, point: &str, passes: usize) -> bool {
    let name = format!("{point} after {passes}");
    server.kill_nine();
    server.restart_with(&[("FAILPOINTS", &format!("{point}={passes}*off->return"))]).await;
    let mut ids = Vec::new();
    let mut was_killed = false;
    for workflow in ["fp-good", "fp-bad"] {
        let key = format!("{name} {workflow}");
        let start = json!({ "workflow": workflow });
        let created = insist(server, client, "/v1/executions", &key, &start, &mut was_killed).await;
        let id = created["id"].as_str().expect("an id").to_owned();
        let signal = format!("/v1/executions/{id}/signals/go");
        let key = format!("{key} signal");
        insist(server, client, &signal, &key, &json!({"payload": "went"}), &mut was_killed).await;
        ids.push(id);
    }
    let mut ended = Vec::new();
    for id in &ids {
        let path = format!("/v1/executions/{id}");
        ended.push(end_of(server, client, &path, &name, &mut was_killed).await);
    }
    check(&name, &ended[0], &ended[1]);
    check_runs(&name, record, &ids).await;
    was_killed
}

/// Starts the server again, without points, if it was ended.
async fn revive(server: &mut Server, was_killed: &mut bool) {
    if server.has_ended() {
        assert!(!*was_killed, "it was ended twice");
        *was_killed = true;
        server.restart_with(&[("FAILPOINTS", "")]).await;
    }
}

/// Posts until it is answered. The key makes a repeat the same request.
async fn insist(
    server: &mut Server,
    client: &Client,
    path: &str,
    key: &str,
    body: &Value,
    was_killed: &mut bool,
) -> Value {
    loop {
        let sent = client.call(Method::POST, path).json(body).idempotent(key).send().await;
        match sent {
            Ok(answer) if answer.is_success() => return answer.json(),
            // The process was ended between the commit of a signal and its answer, and the execution went on with it.
            Ok(answer) if *was_killed && answer.text.contains("execution_finished") => return answer.json(),
            Ok(answer) => assert!([409, 503].contains(&answer.status), "{}: {}", answer.status, answer.text),
            // An answer that is cut off says that the process is about to be gone.
            Err(_) => {
                found(Duration::from_secs(1), || async { server_is_gone(client).await.then_some(()) }).await;
            }
        }
        revive(server, was_killed).await;
    }
}

async fn server_is_gone(client: &Client) -> bool {
    client.call(Method::GET, "/healthz").send().await.is_err()
}

async fn end_of(
    server: &mut Server,
    client: &Client,
    path: &str,
    name: &str,
    was_killed: &mut bool,
) -> Value {
    let started = std::time::Instant::now();
    loop {
        let asked = client.call(Method::GET, &format!("{path}?wait=true&timeout=1s")).send().await;
        if let Ok(answer) = asked
            && answer.is_success()
        {
            let execution = answer.json();
            if ["COMPLETED", "FAILED"].contains(&execution["status"].as_str().expect("a status")) {
                return execution;
            }
        } else {
            revive(server, was_killed).await;
        }
        assert!(started.elapsed() < DEADLINE, "{name}: {path} does not end");
    }
}

fn check(name: &str, good: &Value, bad: &Value) {
    assert_eq!(good["status"], "COMPLETED", "{name}: {good}");
    let output = json!({"first": 1, "go": "went", "each": [10, 20], "child": "grown"});
    assert_eq!(good["output"], output, "{name}");
    assert_eq!(bad["status"], "FAILED", "{name}: {bad}");
    assert_eq!(
        (&bad["error"]["node"], &bad["error"]["message"]),
        (&json!("break"), &json!("broken")),
        "{name}"
    );
}

/// Every node of these executions was done by one run of its handler, and no run began after that.
async fn check_runs(name: &str, record: &Record, ids: &[String]) {
    let of_these = || {
        let runs = record.runs().into_iter();
        runs.filter(|run| ids.contains(run.job.execution_id.as_ref().expect("a node's job")))
            .collect::<Vec<_>>()
    };
    // A report whose answer was cut off is sent again.
    until(&format!("{name}: all reports are answered"), DEADLINE, || async {
        of_these().iter().all(|run| run.outcome.is_some()).then_some(())
    })
    .await;
    let mut done: HashMap<(String, String), Vec<String>> = HashMap::new();
    for run in of_these() {
        let node = (run.job.execution_id.expect("a node's job"), run.job.node_id.expect("a node's job"));
        let outcomes = done.entry(node).or_default();
        let is_done = |outcome: &String| ["ok", "already_done"].contains(&outcome.as_str());
        assert!(!outcomes.iter().any(is_done), "{name}: a completed node ran again: {outcomes:?}");
        outcomes.push(run.outcome.expect("all are answered"));
    }
    let nodes = |id: &String| done.keys().filter(|(execution, _)| execution == id).count();
    assert_eq!((nodes(&ids[0]), nodes(&ids[1])), (3, 4), "{name}: {done:?}");
}

async fn work(job: PolledJob) -> Report {
    Report::Complete(match job.job_type.as_str() {
        "fp-first" => json!(1),
        "fp-each" => json!(job.data["n"].as_i64().expect("a number") * 10),
        "fp-child" => json!("grown"),
        "fp-break" => return Report::Fail { message: "broken".to_owned(), retryable: false },
        _ => Value::Null,
    })
}

fn child() -> Value {
    json!({"name": "fp-nested", "version": 1, "output": "${nodes.grow.output}", "nodes": [
        {"id": "grow", "type": "SERVICE_TASK", "jobType": "fp-child"}]})
}

fn good() -> Value {
    json!({"name": "fp-good", "version": 1, "nodes": [
        {"id": "first", "type": "SERVICE_TASK", "jobType": "fp-first"},
        {"id": "go", "type": "SIGNAL", "signal": "go", "dependsOn": ["first"]},
        {"id": "pause", "type": "TIMER", "duration": "300ms", "dependsOn": ["go"]},
        {"id": "each", "type": "MAP", "items": [1, 2], "dependsOn": ["pause"],
         "node": {"type": "SERVICE_TASK", "jobType": "fp-each", "input": {"n": "${item}"}}},
        {"id": "child", "type": "WORKFLOW", "workflow": "fp-nested", "dependsOn": ["pause"]},
        {"id": "all", "type": "TRANSFORM", "dependsOn": ["each", "child"], "output": {
            "first": "${nodes.first.output}", "go": "${nodes.go.output}", "each": "${nodes.each.output}",
            "child": "${nodes.child.output}"}},
    ], "output": "${nodes.all.output}"})
}

// Its failure is final by itself. Retries are left for claims whose answer was lost with the server.
fn bad() -> Value {
    json!({"name": "fp-bad", "version": 1, "nodes": [
        {"id": "first", "type": "SERVICE_TASK", "jobType": "fp-first",
         "compensate": {"type": "SERVICE_TASK", "jobType": "fp-undo"}},
        {"id": "go", "type": "SIGNAL", "signal": "go", "dependsOn": ["first"]},
        {"id": "break", "type": "SERVICE_TASK", "jobType": "fp-break", "dependsOn": ["go"]},
    ], "onFailure": [{"id": "tell", "type": "SERVICE_TASK", "jobType": "fp-tell"}]})
}
