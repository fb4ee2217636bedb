//! What rates cost the claim: the same drain with rates that are never used up, and without any.

use anyhow::Result;
use domain::names::CallerKey;
use domain::queue::QueueName;
use domain::rate::{KeyRate, Rate, RateScope};
use store::limits::RateChange;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs;
use crate::lanes::{LaneOf, Lanes};
use crate::node::Node;
use crate::report::{Report, Target};

const EXPLANATION: &str = "Drain of workflow-node on PostgreSQL, two claimers on one node, batch 500. Reference: no rate is set. \
    With rates: of the queue, of each tenant, of each job type, or of each of many rate keys, 1,000,000 a second each, so \
    that they count every start and hold none back. Both have the same lanes.";

const QUEUE: QueueName = QueueName::Node;
const BATCH: u32 = 500;
const CLAIMERS: usize = 2;
/// Lanes where jobs have no rate key.
const LANES: usize = 500;
/// How many keys there are where they have one.
const KEYS: usize = 500;

/// What is set.
#[derive(Debug, Clone, Copy)]
enum Rates {
    /// Of the queue.
    Queue,
    /// Of the queue, each tenant and each job type.
    Everything,
    /// Of each rate key.
    Keys,
}

/// Runs it.
pub(crate) async fn rates(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("What rates cost", EXPLANATION);
    for (of, what) in [
        (Rates::Queue, "a rate of the queue"),
        (Rates::Everything, "rates of the queue, tenants and job types"),
        (Rates::Keys, "rates of 500 keys"),
    ] {
        let (mut reference, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..arguments.sizes.rounds {
            reference.push(drain(arguments, of, false).await?);
            ours.push(drain(arguments, of, true).await?);
        }
        report
            .add(format!("drain, {what}, batch {BATCH}"), "jobs/s", &reference, &ours)
            .aim(Target::RatioMin(0.9));
    }
    Ok(report)
}

async fn drain(arguments: &Arguments, of: Rates, is_set: bool) -> Result<f64> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let count = arguments.sizes.jobs;
    let lane_of = |number: usize| match of {
        Rates::Queue | Rates::Everything => Lanes(LANES).of(number),
        Rates::Keys => LaneOf {
            rate_key: Some(CallerKey::trusted(format!("key-{}", number % KEYS))),
            ..LaneOf::new("tenant-0", 0)
        },
    };
    jobs::put_by(&node.engine, QUEUE, count, lane_of).await?;
    if is_set {
        set(&node, of).await?;
    }
    node.vacuum().await?;
    let rate = jobs::drain(&node.engine, QUEUE, count, (CLAIMERS, BATCH)).await?;
    node.end().await?;
    Ok(rate)
}

async fn set(node: &Node, of: Rates) -> Result<()> {
    let (store, now) = (node.engine.store(), node.engine.now());
    let rate = Rate::parse("1000000/1s")?;
    let scopes = match of {
        Rates::Queue => vec![RateScope::Global],
        Rates::Everything => vec![RateScope::Global, RateScope::TenantDefault, RateScope::JobTypeDefault],
        Rates::Keys => {
            let tenant = LaneOf::new("tenant-0", 0).tenant;
            let keys = KeyRate { tenant, pattern: "key-*".to_owned(), rate, max_concurrent: None };
            anyhow::ensure!(store.set_key_rate(&keys, 1, now).await?, "the rate is not set");
            return Ok(());
        }
    };
    let changes: Vec<RateChange> =
        scopes.into_iter().map(|scope| RateChange { queue: QUEUE, scope, rate: Some(rate) }).collect();
    Ok(store.change_limits_and_rates(&[], &changes, now).await?)
}
