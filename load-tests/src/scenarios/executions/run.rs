//! What is reported of executions.

use anyhow::Result;

use crate::arguments::Arguments;
use crate::measure::percentile;
use crate::report::{Report, Target};
use crate::scenarios::executions::{advance, synchronous};

const EXPLANATION: &str = "*Advance*: so many executions of a chain of four SERVICE_TASK nodes are under way at once, on \
    PostgreSQL, each with one node claimed by a worker in this process; the worker completes them at a steady pace. The \
    time from the commit of a result (the answer of complete) to the claim of the next node by a waiting poll: it holds \
    the advance and the claim. Reference: the same chains, pace and counts in raw SQL: a result with an inbox row and \
    `NOTIFY`, an owner that inserts the next step with `NOTIFY`, a claim; three commits, no state. *Synchronous*: start \
    an execution of one TRANSFORM node and wait for its end, one after another. Reference: raw SQL of an insert with \
    `NOTIFY`, a claim, and a completion with `NOTIFY` that the caller waits for. The first 50 of each do not count: a \
    statement is planned where a connection uses it for the first time. Smaller is better.";

/// Runs it.
pub(crate) async fn executions(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Executions", EXPLANATION);
    let (mut waits, mut raw_waits) = (Vec::new(), Vec::new());
    for _ in 0..arguments.sizes.rounds {
        raw_waits.push(synchronous::raw(arguments).await?);
        waits.push(synchronous::engine(arguments, None).await?);
    }
    for percent in [50.0, 99.0] {
        let of = |runs: &[Vec<f64>]| runs.iter().map(|run| percentile(run, percent)).collect::<Vec<_>>();
        let line = report.add(format!("synchronous run, p{percent}"), "ms", &of(&raw_waits), &of(&waits));
        line.aim(if percent < 60.0 { Target::RatioMax(1.5) } else { Target::ValueMax(6.0) });
    }
    // Thousands of measurements make one run: a second one tells nothing new.
    let (raw, ours) = (advance::raw(arguments).await?, advance::engine(arguments).await?);
    let (at_once, pace) = (arguments.sizes.concurrent, arguments.sizes.results_rate);
    for percent in [50.0, 99.0] {
        let what = format!("advance, {at_once} executions at once, {pace} results/s, p{percent}");
        let line = report.add(what, "ms", &[percentile(&raw, percent)], &[percentile(&ours, percent)]);
        if percent > 60.0 {
            line.aim(Target::ValueMax(20.0));
        }
    }
    Ok(report)
}
