//! Starts the tickers and ends them.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use domain::time::DurationMs;
use engine::{CalibratedClock, Engine};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::duties;
use crate::options::UpkeepOptions;
use crate::ticker::{Next, Ticker};

/// How long ticks under way may take to end. One that is cut off does no harm: every duty is repeated anyway.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// The wait after which the minute clock is tried again at first when it failed; it sets all others itself.
const MINUTE: DurationMs = DurationMs(250);

/// Running tickers.
#[derive(Debug)]
pub struct Upkeep {
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
}

/// Starts all duties that the nodes of a deployment share. Any number of nodes may run them. Must be called within a
/// tokio runtime.
pub fn start(engine: &Engine, options: UpkeepOptions) -> Upkeep {
    let mut upkeep = Upkeep::new();
    upkeep.add("promote", options.promote_every, engine, duties::promote);
    upkeep.add("reap", options.reap_every, engine, duties::reap);
    upkeep.add("expire", options.expire_every, engine, duties::expire);
    upkeep.add("nodes", options.nodes_every, engine, duties::nodes);
    upkeep.add("wake_parked", options.wake_parked_every, engine, duties::wake_parked);
    upkeep.add("release_held", options.release_held_every, engine, duties::release_held);
    upkeep.add("apply_unowned", options.apply_unowned_every, engine, duties::apply_unowned);
    upkeep.add("prune", options.prune_every, engine, duties::prune);
    upkeep.add("idle_lanes", options.idle_lanes_every, engine, duties::idle_lanes);
    upkeep.add("batches", options.batches_every, engine, duties::batches);
    let announced = duties::Announced::default();
    upkeep.add("minute", MINUTE, engine, move |engine| duties::minute(engine, announced.clone()));
    upkeep.add("overdue", options.overdue_every, engine, duties::overdue);
    upkeep.add("intervals", options.intervals_every, engine, duties::intervals);
    upkeep.add("zones", options.zones_every, engine, duties::zones);
    upkeep.add("compact_file", options.tend_file_every, engine, duties::compact_file);
    upkeep.add("seal_audit", options.seal_audit_every, engine, duties::seal_audit);
    upkeep.add("alerts", options.alerts_every, engine, duties::alerts);
    upkeep.add("notifications", options.notifications_every, engine, duties::notifications);
    upkeep.add("stat_levels", duties::STATS_EVERY, engine, duties::stat_levels);
    upkeep.add("reseal", options.reseal_every, engine, duties::reseal);
    if engine.has_intake() {
        let (every, stop) = (options.intake_every.to_std(), upkeep.stop.clone());
        upkeep.tasks.push(tokio::spawn(duties::take_intake(engine.clone(), every, stop)));
        upkeep.add("reopen_intakes", options.intake_every, engine, duties::reopen_intakes);
    }
    upkeep
}

/// Starts the duties that every process has for itself, whatever its roles are: its clock is calibrated, and the workers
/// that showed themselves to it are written down.
pub fn start_own(engine: &Engine, clock: Arc<CalibratedClock>, workers_every: DurationMs) -> Upkeep {
    let mut upkeep = Upkeep::new();
    upkeep.add("workers", workers_every, engine, duties::workers);
    upkeep.add("stats", duties::STATS_EVERY, engine, duties::stats);
    upkeep.add("server", duties::STATS_EVERY, engine, duties::server);
    upkeep.add("calibrate", CalibratedClock::INTERVAL, engine, move |engine| {
        duties::calibrate(engine, Arc::clone(&clock))
    });
    upkeep
}

impl Upkeep {
    fn new() -> Self {
        Self { stop: CancellationToken::new(), tasks: Vec::new() }
    }

    fn add<Duty, Done, E>(&mut self, name: &'static str, every: DurationMs, engine: &Engine, duty: Duty)
    where
        Duty: Fn(Engine) -> Done + Send + Sync + 'static,
        Done: Future<Output = Result<Next, E>> + Send,
        E: Error + Send + 'static,
    {
        let ticker = Ticker {
            duty: name,
            every: every.to_std(),
            entropy: Arc::clone(engine.entropy()),
            stop: self.stop.clone(),
        };
        let engine = engine.clone();
        self.tasks.push(ticker.start(move || duty(engine.clone())));
    }

    /// Ends the tickers after the ticks under way.
    pub async fn stop(self) {
        self.stop.cancel();
        let all = futures::future::join_all(self.tasks);
        if tokio::time::timeout(STOP_TIMEOUT, all).await.is_err() {
            tracing::warn!("a duty was still under way at the end");
        }
    }
}
