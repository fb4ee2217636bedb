//! Executions of very many nodes: they end, and the process does not grow with each of them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::harness::{Client, Database, Server, on_both_databases};

/// How long one execution may take on a busy machine with an unoptimized build.
const DEADLINE: Duration = Duration::from_mins(4);

const MIB: f64 = 1_048_576.0;

/// By how much the process may grow at all, in MiB: an owner holds the states and outputs of its nodes, and the
/// allocator keeps what it had once.
const GROWTH_MAX: f64 = 96.0;

/// By how much it may grow with each further execution of the same size, in MiB: the noise of the allocator.
const FURTHER_GROWTH_MAX: f64 = 16.0;

/// How many further executions are looked at: a process that grows with each of them is above the bound after all of them, while
/// the noise of the allocator (18 MiB once in dozens of runs) passes.
const FURTHER: usize = 3;

/// How many jobs a worker takes at once.
const JOBS: usize = 500;

on_both_databases!(large_executions_end_with_flat_memory);

async fn large_executions_end_with_flat_memory(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    for (name, at_once) in [("all-at-once", 10_000), ("in-turns", 500)] {
        client.post("/v1/workflows", &wide(name, at_once)).await;
    }
    let (stop, stopped) = watch::channel(false);
    let mut workers = JoinSet::new();
    for number in 0..2 {
        workers.spawn(work(client.clone(), number, stopped.clone()));
    }
    run(&server, &client, "in-turns", 500).await;
    let before = resident_mib(&server).await;
    let at_once = run(&server, &client, "all-at-once", 5_000).await;
    let in_turns = run(&server, &client, "in-turns", 10_000).await;
    let first = at_once.max(in_turns);
    let mut further = Vec::new();
    while further.len() < FURTHER && further.last().is_none_or(|peak| peak - first >= FURTHER_GROWTH_MAX) {
        further.push(run(&server, &client, "in-turns", 10_000).await);
    }
    stop.send_replace(true);
    workers.join_all().await;
    let figures =
        format!("{before:.0} MiB before, then at most {at_once:.0}, {in_turns:.0} and {further:.0?}");
    println!("{figures}");
    let last = *further.last().expect("one further execution at least");
    assert!(further.iter().copied().fold(first, f64::max) - before < GROWTH_MAX, "{figures}");
    assert!(last - first < FURTHER_GROWTH_MAX, "it grows with each execution: {figures}");
}

fn wide(name: &str, at_once: usize) -> Value {
    json!({"name": name, "version": 1, "output": "${size(nodes.each.output)}", "nodes": [
        {"id": "each", "type": "MAP", "items": "${input.list}", "concurrency": at_once,
         "node": {"type": "SERVICE_TASK", "jobType": "echo", "input": {"n": "${item}"}}}]})
}

/// Runs an execution of so many nodes to its end. Answers the most memory that the process had meanwhile, in MiB.
async fn run(server: &Server, client: &Client, name: &str, nodes: usize) -> f64 {
    let input = json!({ "list": (0..nodes).collect::<Vec<_>>() });
    let created = client.post("/v1/executions", &json!({"workflow": name, "input": input})).await;
    // Each look waits a little for the end.
    let path = format!("/v1/executions/{}?wait=true&timeout=100ms", created["id"].as_str().expect("an id"));
    let (begun, mut peak) = (Instant::now(), 0.0_f64);
    let ended = loop {
        let execution = client.get(&path).await;
        peak = peak.max(resident_mib(server).await);
        if execution["completedAt"].is_string() {
            break execution;
        }
        assert!(begun.elapsed() < DEADLINE, "{nodes} nodes do not end: {}", execution["status"]);
    };
    assert_eq!((&ended["status"], &ended["output"]), (&json!("COMPLETED"), &json!(nodes)), "{ended}");
    peak
}

/// Works off whatever there is, many jobs with each call.
async fn work(client: Client, number: usize, stopped: watch::Receiver<bool>) {
    let poll = json!({
        "workerId": format!("large-{number}"), "jobTypes": ["echo"], "maxJobs": JOBS, "wait": "1s",
    });
    while !*stopped.borrow() {
        let mut polled = client.post("/v1/jobs/poll", &poll).await;
        let Value::Array(jobs) = polled["jobs"].take() else { panic!("a poll answers jobs") };
        let done: Vec<Value> = jobs
            .iter()
            .map(|job| json!({"id": job["id"], "leaseToken": job["leaseToken"], "result": job["data"]["n"]}))
            .collect();
        if !done.is_empty() {
            client.post("/v1/jobs/complete", &json!({ "jobs": done })).await;
        }
    }
}

/// What the process says of its memory.
async fn resident_mib(server: &Server) -> f64 {
    let bytes = server.metric("process_resident_memory_bytes", &[]).await;
    bytes.expect("the process measures itself") / MIB
}
