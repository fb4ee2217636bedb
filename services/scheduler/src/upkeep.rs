//! The duties: which step of the engine each one is, and how often it runs.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use domain::time::DurationMs;
use engine::{CalibratedClock, Engine, EngineError};
use futures::TryFutureExt as _;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::ticker::{Next, Ticker};
use crate::{intake, minute};

/// How long ticks under way may take to end. One that is cut off does no harm: every duty is repeated anyway.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// The wait after which the minute clock is tried again at first when it failed; it sets all others itself.
const MINUTE: DurationMs = DurationMs(250);

/// How far figures are behind at most.
const STATS_EVERY: DurationMs = DurationMs::from_secs(15);

/// How far changes of dead letters are added up at most.
const DEAD_LETTERS_EVERY: DurationMs = DurationMs::from_secs(2);

/// How often figures of large queues are looked at.
const FIGURES_EVERY: DurationMs = DurationMs::from_secs(5);

/// Running tickers.
#[derive(Debug)]
pub struct Upkeep {
    engine: Engine,
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
}

/// Starts all duties that the nodes of a deployment share. Any number of nodes may run them. Must be called within a
/// tokio runtime.
pub fn start(engine: &Engine, options: UpkeepOptions) -> Upkeep {
    let mut upkeep = Upkeep::new(engine);
    upkeep.in_steps("promote", options.promote_every, async |engine| engine.promote_tick().await);
    upkeep.once("reap", options.reap_every, async |engine| {
        let reaped = engine.reap_tick().await?;
        if reaped > 0 {
            tracing::info!(jobs = reaped, "leases expired; their jobs are settled as worker lost, or returned to their lanes if they were only offered");
        }
        Ok(())
    });
    upkeep.in_steps("expire", options.expire_every, async |engine| engine.expire_tick().await);
    upkeep.once("nodes", options.nodes_every, async |engine| engine.nodes_tick().await);
    upkeep.in_steps("wake_parked", options.wake_parked_every, async |engine| engine.wake_parked_tick().await);
    upkeep.in_steps("release_held", options.release_held_every, async |engine| {
        engine.release_held_tick().await
    });
    upkeep.in_steps("put_off_starts", options.put_off_starts_every, async |engine| {
        engine.put_off_starts_tick().await
    });
    upkeep.in_steps("apply_unowned", options.apply_unowned_every, async |engine| {
        engine.apply_unowned_tick().await
    });
    upkeep.in_steps("prune", options.prune_every, async |engine| engine.prune_tick().await);
    upkeep.in_steps("dead_letter_counts", DEAD_LETTERS_EVERY, async |engine| {
        engine.add_up_dead_letters_tick().await
    });
    upkeep.once("queue_figures", FIGURES_EVERY, async |engine| engine.queue_figures_tick().await);
    upkeep.in_steps("idle_lanes", options.idle_lanes_every, async |engine| engine.idle_lanes_tick().await);
    upkeep.once("batches", options.batches_every, async |engine| engine.batches_tick().await);
    // Where time skips, whoever moves it on fires them.
    if engine.time_skip().is_none() {
        let announced = minute::Announced::default();
        upkeep.add("minute", MINUTE, move |engine| minute::minute(engine, announced.clone()));
        upkeep.once("overdue", options.overdue_every, async |engine| engine.announce_overdue().await);
        upkeep.once("intervals", options.intervals_every, async |engine| engine.announce_intervals().await);
    }
    upkeep.in_steps("zones", options.zones_every, async |engine| engine.zones_tick().await);
    upkeep.in_steps("compact_file", options.tend_file_every, async |engine| engine.tend_file_tick().await);
    upkeep.in_steps("seal_audit", options.seal_audit_every, async |engine| engine.seal_audit_tick().await);
    upkeep.once("alerts", options.alerts_every, async |engine| engine.alerts_tick().await);
    upkeep.in_steps("notifications", options.notifications_every, async |engine| {
        engine.notifications_tick().await
    });
    upkeep.once("stat_levels", STATS_EVERY, async |engine| engine.stats_tick().await);
    upkeep.in_steps("reseal", options.reseal_every, async |engine| engine.reseal_tick().await);
    if engine.has_intake() {
        let (every, stop) = (options.intake_every.to_std(), upkeep.stop.clone());
        upkeep.tasks.push(tokio::spawn(intake::take_intake(engine.clone(), every, stop)));
        upkeep.once("reopen_intakes", options.intake_every, async |engine| engine.reopen_intakes().await);
    }
    upkeep
}

/// Starts the duties that every process has for itself, whatever its roles are: its clock is calibrated, and its workers,
/// figures and its own row are written.
pub fn start_own(engine: &Engine, clock: Arc<CalibratedClock>, workers_every: DurationMs) -> Upkeep {
    let mut upkeep = Upkeep::new(engine);
    upkeep.once("workers", workers_every, async |engine| engine.flush_workers().await);
    upkeep.once("stats", STATS_EVERY, async |engine| engine.flush_stats().await);
    upkeep.once("server", STATS_EVERY, async |engine| engine.record_server().await);
    upkeep.add("calibrate", CalibratedClock::INTERVAL, move |engine| calibrate(engine, Arc::clone(&clock)));
    upkeep
}

/// Calibrates the clock of this process. After a failure, or where the database answered too slowly to tell the time by or
/// shows a time that has yet to be confirmed, it goes on by its last calibration, and tries again soon.
async fn calibrate(engine: Engine, clock: Arc<CalibratedClock>) -> Result<Next, EngineError> {
    let is_calibrated = clock.recalibrate(engine.store().as_ref()).await?;
    Ok(if is_calibrated { Next::Later } else { Next::After(CalibratedClock::INTERVAL_UNTIL_DONE.to_std()) })
}

impl Upkeep {
    fn new(engine: &Engine) -> Self {
        Self { engine: engine.clone(), stop: CancellationToken::new(), tasks: Vec::new() }
    }

    /// A duty that does all there is in one tick.
    fn once<Duty, Done, T>(&mut self, name: &'static str, every: DurationMs, duty: Duty)
    where
        Duty: Fn(Engine) -> Done + Send + Sync + 'static,
        Done: Future<Output = Result<T, EngineError>> + Send,
    {
        self.add(name, every, move |engine| duty(engine).map_ok(|_| Next::Later));
    }

    /// A duty in bounded steps that answer whether there is more: the next one then follows at once, so that a crowd that is
    /// due together does not wait for the clock.
    fn in_steps<Duty, Done>(&mut self, name: &'static str, every: DurationMs, duty: Duty)
    where
        Duty: Fn(Engine) -> Done + Send + Sync + 'static,
        Done: Future<Output = Result<bool, EngineError>> + Send,
    {
        let next = |more| if more { Next::AtOnce } else { Next::Later };
        self.add(name, every, move |engine| duty(engine).map_ok(next));
    }

    fn add<Duty, Done, E>(&mut self, name: &'static str, every: DurationMs, duty: Duty)
    where
        Duty: Fn(Engine) -> Done + Send + Sync + 'static,
        Done: Future<Output = Result<Next, E>> + Send,
        E: Error + Send + 'static,
    {
        let engine = self.engine.clone();
        let ticker = Ticker {
            duty: name,
            every: every.to_std(),
            entropy: Arc::clone(engine.entropy()),
            stop: self.stop.clone(),
        };
        self.tasks.push(ticker.start(move || duty(engine.clone())));
    }

    /// Ends the tickers after the ticks under way.
    pub async fn stop(self) {
        self.stop.cancel();
        let all = futures::future::join_all(self.tasks);
        if tokio::time::timeout(STOP_TIMEOUT, all).await.is_err() {
            tracing::warn!("an upkeep duty was still running at shutdown");
        }
    }
}

// How often the duties run.

/// How often the duties run. Each wait is cut by up to a half, at random, so
/// that the nodes of a deployment do not run in step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpkeepOptions {
    /// Due jobs become claimable.
    pub promote_every: DurationMs,
    /// Jobs whose lease has ended are tried again or die.
    pub reap_every: DurationMs,
    /// What nobody started in time ends.
    pub expire_every: DurationMs,
    /// How often processes that ended without withdrawing their row are looked for.
    pub nodes_every: DurationMs,
    /// Parked executions that have something in their inbox are taken up.
    pub wake_parked_every: DurationMs,
    /// Deliveries that were held are matched, as many as their endpoints' rates allow.
    pub release_held_every: DurationMs,
    /// Starts of triggers that were debounced, batched or throttled are looked at.
    pub put_off_starts_every: DurationMs,
    /// What came for executions that wait for a slot is applied without one.
    pub apply_unowned_every: DurationMs,
    /// What retention no longer keeps is removed.
    pub prune_every: DurationMs,
    /// The next step towards removing lanes that nobody uses.
    pub idle_lanes_every: DurationMs,
    /// Bulk operations whose process is gone are taken up.
    pub batches_every: DurationMs,
    /// The workers that showed themselves are written down.
    pub workers_every: DurationMs,
    /// Schedules are looked at between two minutes: for slots that waited, and for checks that were lost.
    pub overdue_every: DurationMs,
    /// Schedules by interval are looked at, whose slots lie between the minutes.
    pub intervals_every: DurationMs,
    /// Schedules that were computed with other time zone data are computed again.
    pub zones_every: DurationMs,
    /// The database's file gives free space back, and its log is kept short.
    pub tend_file_every: DurationMs,
    /// Secrets of webhooks that rest under an old key are sealed again.
    pub reseal_every: DurationMs,
    /// Rows of the audit log become rows of its chain.
    pub seal_audit_every: DurationMs,
    /// The intake is looked at without a notification, and tenants over a quota are let in again.
    pub intake_every: DurationMs,
    /// Alert rules are evaluated.
    pub alerts_every: DurationMs,
    /// Notifications about alerts are sent.
    pub notifications_every: DurationMs,
}

impl Default for UpkeepOptions {
    fn default() -> Self {
        Self {
            promote_every: DurationMs(250),
            reap_every: DurationMs(500),
            expire_every: DurationMs::from_secs(1),
            nodes_every: DurationMs::from_secs(1),
            wake_parked_every: DurationMs::from_secs(1),
            release_held_every: DurationMs::from_secs(1),
            put_off_starts_every: DurationMs(500),
            apply_unowned_every: DurationMs(250),
            prune_every: DurationMs::from_secs(60),
            idle_lanes_every: DurationMs::from_secs(10),
            batches_every: DurationMs::from_secs(5),
            workers_every: DurationMs::from_secs(5),
            overdue_every: DurationMs::from_secs(5),
            intervals_every: DurationMs::from_secs(1),
            zones_every: DurationMs::from_secs(3_600),
            tend_file_every: DurationMs::from_secs(10),
            reseal_every: DurationMs::from_secs(3_600),
            seal_audit_every: DurationMs::from_secs(2),
            intake_every: DurationMs::from_secs(1),
            alerts_every: DurationMs::from_secs(15),
            notifications_every: DurationMs::from_secs(1),
        }
    }
}
