//! What fast paths of the store gain: the same load without one and with it, in turns.

use anyhow::Result;
use store_sql::FastPath;

use crate::arguments::Arguments;
use crate::measure::percentile;
use crate::report::{Report, Target};
use crate::scenarios::executions::{Chain, synchronous_runs};
use crate::scenarios::webhooks::server;
use crate::scenarios::workflow::{SLOTS, chains};

const EXPLANATION: &str = "The loads of `webhooks`, `workflow` and `executions` on PostgreSQL, by a store that takes the general path \
    (*reference*) and by one that takes the fast path, in turns. *Deliveries*: accepted by one statement. *Last step*: the \
    step that ends an execution, by one statement; in chains of four nodes in place, and in synchronous runs of one node, of \
    which smaller is better. A path that gains less than a tenth is deleted.";

/// How many connections deliver at once.
const CONNECTIONS: usize = 64;
/// What a path has to gain.
const RATE_RATIO_MIN: f64 = 1.1;
const TIME_RATIO_MAX: f64 = 0.91;

/// Runs it.
pub(crate) async fn fast_paths(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Fast paths", EXPLANATION);
    let mut deliveries = Pair::default();
    let mut nodes = Pair::default();
    let mut runs = Pair::default();
    for _ in 0..arguments.sizes.rounds {
        for (is_fast, path) in [(false, Some(FastPath::Deliveries)), (true, None)] {
            deliveries.push(is_fast, server(arguments, CONNECTIONS, path).await?.rate);
        }
        for (is_fast, path) in [(false, Some(FastPath::LastStep)), (true, None)] {
            nodes.push(is_fast, chains(arguments, Chain::InPlace, SLOTS, path).await?);
            runs.push(is_fast, percentile(&synchronous_runs(arguments, path).await?, 50.0));
        }
    }
    let gains = [
        (deliveries, "deliveries, 64 connections", "deliveries/s", Target::RatioMin(RATE_RATIO_MIN)),
        (nodes, "last step, 4-node chain in place", "nodes/s", Target::RatioMin(RATE_RATIO_MIN)),
        (runs, "last step, synchronous run", "ms p50", Target::RatioMax(TIME_RATIO_MAX)),
    ];
    for (pair, what, unit, target) in gains {
        report.add(what, unit, &pair.general, &pair.fast).aim(target);
    }
    Ok(report)
}

/// A figure of each round, of both ways.
#[derive(Debug, Default)]
struct Pair {
    general: Vec<f64>,
    fast: Vec<f64>,
}

impl Pair {
    fn push(&mut self, is_fast: bool, value: f64) {
        let values = if is_fast { &mut self.fast } else { &mut self.general };
        values.push(value);
    }
}
