//! The process ends while deliveries arrive: before and after their commit, and between their executions and the record
//! of them. Providers that send again until they get a success lose no event and start none twice.

use std::time::Duration;

use serde_json::json;

use super::endpoint::{create_github, register_workflow};
use super::sender::Sender;
use super::traffic::{self, Traffic};
use crate::harness::{Database, Draw, Server, on_both_databases, until};

const KILLS: u32 = 8;

/// Where the process ends: around the commit of deliveries, and around that of their executions.
const POINTS: [&str; 3] = ["accept-before", "accept-after", "match-started"];

/// How many commits of the kind pass before.
const PASSES: [u32; 3] = [0, 3, 10];

const SETTINGS: [(&str, &str); 3] = [
    ("TRUNKLINE_QUEUES__WORKFLOW_WEBHOOK__LEASE", "1s"),
    ("TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LEASE", "1s"),
    ("TRUNKLINE_UPKEEP__REAP_EVERY", "100ms"),
];

const REACHED_IN: Duration = Duration::from_mins(1);

on_both_databases!(
    i01_i07_deliveries_survive_an_end_at_every_commit,
    i01_i07_deliveries_survive_kill_nine_under_load,
);

async fn i01_i07_deliveries_survive_an_end_at_every_commit(database: Database) {
    let mut server = Server::start_with(&database, &SETTINGS).await;
    let client = server.client();
    register_workflow(&client).await;
    let endpoint = create_github(&client, "mortal", json!({})).await;
    let traffic = Traffic::start(&[Sender::to(&server)], &endpoint, "mortal", 3);
    for point in POINTS {
        for passes in PASSES {
            traffic.more(3).await;
            server.kill_nine();
            let armed = format!("{point}={passes}*off->return");
            // It may end while it is still starting, as soon as a provider reaches it.
            server.spawn_doomed_with(&[("FAILPOINTS", &armed)]);
            until(&format!("{armed} is reached"), REACHED_IN, || {
                let ended = server.has_ended();
                async move { ended.then_some(()) }
            })
            .await;
            server.restart_with(&[("FAILPOINTS", "")]).await;
        }
    }
    let promised = traffic.finish().await;
    assert!(promised.len() > 3 * POINTS.len() * PASSES.len());
    traffic::check(&client, &endpoint, &promised).await;
}

async fn i01_i07_deliveries_survive_kill_nine_under_load(database: Database) {
    let seed = std::env::var("TRUNKLINE_TEST_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(11);
    println!("seed {seed} (TRUNKLINE_TEST_SEED chooses another)");
    let mut server = Server::start_with(&database, &SETTINGS).await;
    let client = server.client();
    register_workflow(&client).await;
    let endpoint = create_github(&client, "killed", json!({})).await;
    let traffic = Traffic::start(&[Sender::to(&server)], &endpoint, "killed", seed);
    let mut draw = Draw::new(seed);
    for _ in 0..KILLS {
        traffic.more(usize::try_from(1 + draw.below(40)).expect("small")).await;
        server.kill_nine();
        server.restart().await;
    }
    traffic.more(10).await;
    let promised = traffic.finish().await;
    traffic::check(&client, &endpoint, &promised).await;
}
