//! What must be true at the end, whatever was killed when.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::accounts::{Accounts, Made, Promise};
use super::load::{BATCHED, SINGLE};
use crate::harness::{Client, Run, found};

/// Each promised thing at its end, by mark.
pub(super) type Ends = BTreeMap<String, Value>;

/// Waits until every job and execution that was acknowledged ended.
///
/// A job whose worker's lease was lost three times in a row because of the kills dies of it, which is a promise too:
/// it is put back by hand, as an operator would.
pub(super) async fn wait_for_ends(client: &Client, accounts: &Accounts, deadline: Duration) -> Ends {
    let started = Instant::now();
    let mut ends = Ends::new();
    for (mark, promise) in accounts.promises() {
        let left = deadline.saturating_sub(started.elapsed());
        let end = found(left, || async {
            let thing = look(client, &promise).await;
            if is_ended(&thing) {
                return Some(thing);
            }
            requeue_worker_lost(client).await;
            None
        })
        .await;
        let Some(end) = end else { panic!("{mark} does not end: {}", explain(client, &promise).await) };
        ends.insert(mark, end);
    }
    ends
}

/// All that the server says about something, for a failed test.
async fn explain(client: &Client, promise: &Promise) -> String {
    let mut lines = vec![look(client, promise).await.to_string()];
    let mut jobs = vec![promise.id.clone()];
    if promise.made == Made::Execution {
        for part in ["nodes", "events"] {
            let path = format!("/v1/executions/{}/{part}", promise.id);
            lines.extend(client.all(&path).await.iter().map(ToString::to_string));
        }
        let path = format!("/v1/jobs?executionId={}", promise.id);
        jobs = client.all(&path).await.iter().map(|job| text(&job["id"])).collect();
    }
    for job in jobs {
        lines.push(client.get(&format!("/v1/jobs/{job}")).await.to_string());
        lines.push(client.get(&format!("/v1/jobs/{job}/why")).await.to_string());
    }
    lines.join("\n")
}

async fn look(client: &Client, promise: &Promise) -> Value {
    let path = match promise.made {
        Made::Job | Made::BatchedJob => format!("/v1/jobs/{}", promise.id),
        Made::Execution => format!("/v1/executions/{}", promise.id),
    };
    // Here an acknowledged thing that is lost would be a 404.
    client.get(&path).await
}

fn is_ended(thing: &Value) -> bool {
    thing["status"] == "COMPLETED" || thing["status"] == "CANCELLED"
}

async fn requeue_worker_lost(client: &Client) {
    for letter in client.all("/v1/dead-letters?status=open").await {
        assert_eq!(
            letter["reason"], "worker_lost",
            "only a lost worker explains a dead letter here: {letter}"
        );
        let id = letter["id"].as_str().expect("a dead letter has an id");
        client.post(&format!("/v1/dead-letters/{id}/requeue"), &json!({})).await;
    }
}

/// Every mark has the id that was promised, ended well with its own data, and was made once.
pub(super) async fn everything_acknowledged_is_there(client: &Client, accounts: &Accounts, ends: &Ends) {
    let promises = accounts.promises();
    assert_eq!(promises.len(), ends.len());
    for (mark, end) in ends {
        assert_eq!(end["status"], "COMPLETED", "{mark}: {end}");
        let carried = match promises[mark].made {
            Made::Job | Made::BatchedJob => &end["result"]["mark"],
            Made::Execution => &end["output"]["mark"],
        };
        assert_eq!(carried, mark, "{end}");
    }
    // The other way round: nothing was made that was not promised, so no repeat made a second one.
    let mut there: Vec<(String, String)> = Vec::new();
    for job_type in [SINGLE, BATCHED] {
        for job in client.all(&format!("/v1/jobs?jobType={job_type}")).await {
            there.push((text(&job["data"]["mark"]), text(&job["id"])));
        }
    }
    let promised_jobs = promises.iter().filter(|(_, promise)| promise.made != Made::Execution);
    let mut promised: Vec<(String, String)> =
        promised_jobs.map(|(mark, promise)| (mark.clone(), promise.id.clone())).collect();
    there.sort();
    promised.sort();
    assert_eq!(there, promised, "jobs and acknowledgements are the same");
    let executions: BTreeSet<String> =
        client.all("/v1/executions?workflow=three-steps").await.iter().map(|one| text(&one["id"])).collect();
    let promised: BTreeSet<String> = promises
        .values()
        .filter(|promise| promise.made == Made::Execution)
        .map(|promise| promise.id.clone())
        .collect();
    assert_eq!(executions, promised, "executions and acknowledgements are the same");
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("expected text, got {value}")).to_owned()
}

/// I2: of all leases of a job, one report at most was taken, and no lease was given out after it.
pub(super) fn nothing_was_done_twice(runs: &[Run]) {
    let mut done: HashMap<&str, &Run> = HashMap::new();
    for run in runs.iter().filter(|run| run.outcome.as_deref() == Some("ok")) {
        let before = done.insert(&run.job.id, run);
        assert!(before.is_none(), "two leases completed {}: {before:?} and {run:?}", run.job.id);
    }
    let mut tokens = BTreeSet::new();
    for run in runs {
        assert!(tokens.insert(&run.job.lease_token), "a lease token was given out twice: {run:?}");
        if let Some(first) = done.get(run.job.id.as_str()) {
            assert!(
                run.job.attempt <= first.job.attempt,
                "{} was leased {:?} after the start although it was done: {run:?}",
                run.job.id,
                run.began_at
            );
        }
    }
}

/// I8: a node whose completion was acknowledged to its worker was not given to a worker again, neither as another
/// attempt nor as another job; and its execution recorded its completion once.
pub(super) async fn no_node_ran_after_it_was_done(client: &Client, accounts: &Accounts, runs: &[Run]) {
    let mut jobs: HashMap<(&str, &str), BTreeSet<&str>> = HashMap::new();
    for run in runs {
        if let (Some(execution), Some(node)) = (&run.job.execution_id, &run.job.node_id) {
            jobs.entry((execution, node)).or_default().insert(&run.job.id);
        }
    }
    for ((execution, node), ids) in jobs {
        assert_eq!(ids.len(), 1, "{node} of {execution} became several jobs: {ids:?}");
    }
    for promise in accounts.promises().into_values().filter(|promise| promise.made == Made::Execution) {
        let events = client.all(&format!("/v1/executions/{}/events", promise.id)).await;
        for node in ["first", "middle", "last"] {
            let completed = events
                .iter()
                .filter(|event| event["kind"] == "node_completed" && event["nodeId"] == node)
                .count();
            assert_eq!(completed, 1, "{node} of {}: {events:#?}", promise.id);
        }
    }
}
