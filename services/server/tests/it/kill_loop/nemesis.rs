//! The killings: twenty, each at a moment that the seed draws from how far clients and workers are.

use std::time::Duration;

use serde_json::json;

use super::load::{self, Load};
use super::verdict;
use crate::harness::{Client, Database, Draw, Record, Server, Worker, WorkerSetup, on_both_databases, until};

const KILLS: u32 = 20;

/// How long the rest may take once nobody kills the server any more.
pub(super) const SETTLE_DEADLINE: Duration = Duration::from_secs(90);

/// How long a server may take to acknowledge a few requests.
pub(super) const PROGRESS_DEADLINE: Duration = Duration::from_mins(1);

pub(super) const SETTINGS: [(&str, &str); 5] = [
    ("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "2s"),
    ("TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LEASE", "2s"),
    ("TRUNKLINE_UPKEEP__REAP_EVERY", "100ms"),
    ("TRUNKLINE_UPKEEP__PROMOTE_EVERY", "100ms"),
    ("TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__POLL_EVERY", "200ms"),
];

on_both_databases!(i01_i02_kill_nine_twenty_times_loses_nothing);

async fn i01_i02_kill_nine_twenty_times_loses_nothing(database: Database) {
    let seed = std::env::var("TRUNKLINE_TEST_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(7);
    println!("seed {seed} (TRUNKLINE_TEST_SEED chooses another)");
    let mut server = Server::start_with(&database, &SETTINGS).await;
    let client = server.client();
    prepare(&client).await;

    let record = Record::new();
    let workers: Vec<Worker> = (0..3)
        .map(|number| {
            let setup =
                WorkerSetup::echo(&format!("worker-{number}"), &[load::SINGLE, load::BATCHED, load::STEP]);
            Worker::start(client.clone(), setup, record.clone())
        })
        .collect();
    let load = Load::start(&client, seed);
    let mut draw = Draw::new(seed);
    for kill in 1..=KILLS {
        wait_for_progress(kill, &load, &record, &mut draw).await;
        server.kill_nine();
        server.restart().await;
    }

    let accounts = load.finish(SETTLE_DEADLINE).await;
    let ends = verdict::wait_for_ends(&client, &accounts, SETTLE_DEADLINE).await;
    for worker in workers {
        worker.stop().await;
    }
    verdict::everything_acknowledged_is_there(&client, &accounts, &ends).await;
    verdict::nothing_was_done_twice(&record.runs());
    verdict::no_node_ran_after_it_was_done(&client, &accounts, &record.runs()).await;
    println!("{} requests, {} runs of handlers", accounts.requests(), record.runs().len());
}

/// Registers the workflow, and lifts the limits so that many executions are under way at every kill.
pub(super) async fn prepare(client: &Client) {
    client.post("/v1/workflows", &load::workflow()).await;
    let high = json!({"maxConcurrent": 1000, "tenantMaxConcurrent": 1000, "workflowMaxConcurrent": 1000});
    client.put("/v1/limits", &json!({ "workflow-execution": high })).await;
}

/// Waits for a drawn number of acknowledgements to clients, or of completions by workers.
async fn wait_for_progress(kill: u32, load: &Load, record: &Record, draw: &mut Draw) {
    let more = usize::try_from(3 + draw.below(20)).expect("small");
    let by_workers = draw.below(2) == 0;
    let count = || {
        if by_workers { record.ok_count() } else { load.acknowledged() }
    };
    let goal = count() + more;
    until(&format!("progress before kill {kill}"), PROGRESS_DEADLINE, || async {
        (count() >= goal).then_some(())
    })
    .await;
}
