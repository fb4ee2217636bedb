//! A server that has nothing to do: how soon it is ready, and what it uses.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::arguments::Arguments;
use crate::report::{Report, Target};
use crate::server::{Server, binary_of};

const EXPLANATION: &str = "The server's binary on a new SQLite file with all its defaults: from its start to the first \
    200 of `/readyz`, then what it uses while nobody calls. There is nothing to compare with; the reference column \
    holds the targets.";

const START_MS: f64 = 300.0;
const RESIDENT_MIB: f64 = 64.0;
const CORE_PERCENT: f64 = 1.0;

/// How long it settles before it is watched.
const SETTLE: Duration = Duration::from_secs(2);

/// Runs it.
pub(crate) async fn idle(arguments: &Arguments) -> Result<Report> {
    let binary = binary_of(arguments)?;
    let mut report = Report::new("Idle server", EXPLANATION);
    let (mut ready, mut resident, mut percent) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..arguments.sizes.rounds {
        let mut server = Server::start(&binary, &[]).await?;
        ready.push(server.ready_ms);
        tokio::time::sleep(SETTLE).await;
        let (before, watched_at) = (server.processor_seconds()?, Instant::now());
        tokio::time::sleep(Duration::from_secs(arguments.sizes.seconds.max(5))).await;
        let used = server.processor_seconds()? - before;
        percent.push(used / watched_at.elapsed().as_secs_f64() * 100.0);
        resident.push(server.resident_mib()?);
        server.kill().await?;
    }
    report.add("start to ready", "ms", &[START_MS], &ready).aim(Target::ValueMax(START_MS));
    report.add("resident memory", "MiB", &[RESIDENT_MIB], &resident).aim(Target::ValueMax(RESIDENT_MIB));
    report.add("processor", "% of a core", &[CORE_PERCENT], &percent).aim(Target::ValueMax(CORE_PERCENT));
    Ok(report)
}
