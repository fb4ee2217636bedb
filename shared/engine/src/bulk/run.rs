//! Carry out a batch: list its objects, change them at its pace (`page.rs`), pause, judge, end, and follow what it started.

use std::time::Duration;

use domain::access::TenantScope;
use domain::bulk::{BatchCounts, BulkVerb, NextStep};
use domain::time::DurationMs;
use store::batches::{BatchRecord, BatchStatus, ItemOutcome};
use tokio::time::Instant;

use super::request::{BulkAction, StoredBulk};
use crate::engine::Engine;
use crate::erasure::ERASE_KIND;
use crate::error::EngineError;

/// How long progress is kept back at most; whoever aborts or pauses waits no longer than this.
pub(super) const REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// How often a batch that waits is looked at.
const IDLE_INTERVAL: Duration = Duration::from_secs(2);
/// A batch that has not moved for this long has lost its process.
const LOST_AFTER: DurationMs = DurationMs::from_secs(9);
/// How often a batch tries again when the store is unavailable, before it leaves the rest to upkeep.
const OUTAGES_MAX: u32 = 5;

/// A batch that this process carries out.
pub(super) struct Running {
    pub(super) batch: BatchRecord,
    pub(super) scope: TenantScope,
    pub(super) stored: StoredBulk,
    pub(super) action: BulkAction,
    /// As far as this process knows, which is written down from time to time.
    pub(super) counts: BatchCounts,
    /// Up to which position all have had their turn.
    pub(super) changed_to: i64,
    /// Up to which position outcomes of what was started were looked at.
    pub(super) looked_to: i64,
    pub(super) reported_at: Instant,
    pacer: Pacer,
    /// When the next object may be begun, once that is known.
    pub(super) turn: Option<Instant>,
    /// When the next objects that are changed together may be begun at the earliest.
    pub(super) together_at: Instant,
}

impl Engine {
    /// Takes over batches whose process is gone. Answers how many.
    pub async fn batches_tick(&self) -> Result<u32, EngineError> {
        let now = self.now();
        let lost = self.store().take_over_batches(now.minus(LOST_AFTER), self.process(), now).await?;
        let count = lost.len() as u32;
        for batch in lost {
            self.spawn_batch(batch);
        }
        Ok(count)
    }

    pub(crate) fn spawn_batch(&self, batch: BatchRecord) {
        let id = batch.id;
        if !self.memory().batches.lock().insert(id) {
            return;
        }
        let engine = self.clone();
        tokio::spawn(async move {
            let mut outages = 0;
            let mut batch = batch;
            while let Err(error) = engine.run_batch(batch).await {
                tracing::warn!(
                    batch.id = %id,
                    error = &error as &dyn std::error::Error,
                    "a bulk operation was interrupted and will continue"
                );
                outages += 1;
                if !error.is_retryable() || outages > OUTAGES_MAX || engine.shutdown_started() {
                    break;
                }
                tokio::time::sleep(REPORT_INTERVAL).await;
                match engine.store().batch(&TenantScope::All, id).await {
                    Ok(Some(kept)) => batch = kept,
                    _ => break,
                }
            }
            engine.memory().batches.lock().remove(&id);
        });
    }

    async fn run_batch(&self, batch: BatchRecord) -> Result<(), EngineError> {
        if batch.kind == ERASE_KIND {
            return self.run_erasure(batch).await;
        }
        let stored: Option<StoredBulk> = serde_json::from_str(&batch.request).ok();
        let Some((stored, action)) = stored.and_then(|stored| stored.action().map(|action| (stored, action)))
        else {
            if BulkVerb::parse(&batch.kind).is_none() {
                // Of a later version: one of its processes takes it over when it has not moved for a while.
                tracing::info!(batch.id = %batch.id, kind = batch.kind, "a bulk operation is left to processes of a later version");
                return Ok(());
            }
            let to = (BatchStatus::Failed, Some("error"));
            self.store().move_batch(batch.id, &BatchStatus::OPEN, to, self.now()).await?;
            return Ok(());
        };
        let Some(batch) = self.prepare_batch(batch, &stored).await? else {
            return Ok(());
        };
        let counts = self.store().count_items(batch.id).await?;
        let mut running = Running {
            scope: batch.tenant.clone().map_or(TenantScope::All, TenantScope::One),
            pacer: Pacer::new(stored.pace.rate_per_second),
            batch,
            stored,
            action,
            counts,
            changed_to: 0,
            looked_to: 0,
            reported_at: Instant::now(),
            turn: None,
            together_at: Instant::now(),
        };
        while self.go_on(&mut running).await? {}
        Ok(())
    }

    /// One step. Answers whether there is another.
    async fn go_on(&self, running: &mut Running) -> Result<bool, EngineError> {
        if self.shutdown_started() || !self.report_batch(running).await? {
            return Ok(false);
        }
        self.look_at_aftermath(running).await?;
        let pace = running.stored.pace;
        match running.batch.status {
            BatchStatus::Running => match pace.next_step(&running.counts, running.batch.is_past_canary) {
                NextStep::Change(most) => self.change_page(running, most).await?,
                NextStep::PauseForCanary => {
                    self.turn_to(running, BatchStatus::Paused, Some("canary")).await?;
                }
                NextStep::Fail => self.turn_to(running, BatchStatus::Failed, Some("failure_rate")).await?,
                NextStep::Complete => self.turn_to(running, BatchStatus::Completed, None).await?,
            },
            BatchStatus::Paused if running.batch.status_reason.as_deref() == Some("canary") => {
                match pace.after_canary(&running.counts) {
                    Some(NextStep::Fail) => {
                        self.turn_to(running, BatchStatus::Failed, Some("failure_rate")).await?;
                    }
                    Some(_) => self.turn_to(running, BatchStatus::Running, None).await?,
                    None => self.wait_idle().await,
                }
            }
            BatchStatus::Preparing | BatchStatus::Paused => self.wait_idle().await,
            _ if running.counts.pending > 0 => self.wait_idle().await,
            _ => return Ok(false),
        }
        Ok(true)
    }

    async fn wait_idle(&self) {
        tokio::select! {
            () = tokio::time::sleep(IDLE_INTERVAL) => {}
            () = self.shutdown().cancelled() => {}
        }
    }

    /// Moves the batch from where it is known to be. An operator may have been faster: then the next report says so.
    async fn turn_to(
        &self,
        running: &mut Running,
        to: BatchStatus,
        reason: Option<&str>,
    ) -> Result<(), EngineError> {
        let (id, from) = (running.batch.id, running.batch.status);
        // Whoever sees the new status sees the counts that led to it.
        if self.report_batch(running).await? {
            self.store().move_batch(id, &[from], (to, reason), self.now()).await?;
        }
        Ok(())
    }

    /// Writes down how far it is. Answers whether it is still this process' to carry out.
    async fn report_batch(&self, running: &mut Running) -> Result<bool, EngineError> {
        let known = (running.batch.id, self.process());
        let moved = self.store().report_batch(known, &running.counts, self.now()).await?;
        running.reported_at = Instant::now();
        let Some(batch) = moved else { return Ok(false) };
        running.batch = batch;
        Ok(true)
    }
}

impl Running {
    /// When the next object may be begun.
    pub(super) fn turn(&mut self, now: Instant) -> Instant {
        if let Some(turn) = self.turn {
            turn
        } else {
            let turn = self.pacer.take(now);
            self.turn = Some(turn);
            turn
        }
    }

    /// How long objects that are changed together have for themselves, before the next ones are begun.
    pub(super) fn spaced_by(&self) -> Duration {
        self.pacer.spaced_by(self.action.together_max(), self.gathered_for())
    }

    pub(super) fn count(&mut self, outcome: ItemOutcome) {
        match outcome {
            ItemOutcome::Done => {
                self.counts.done += 1;
                if self.stored.verb.has_aftermath() {
                    self.counts.pending += 1;
                }
            }
            ItemOutcome::Failed => self.counts.failed += 1,
            ItemOutcome::Skipped => self.counts.skipped += 1,
        }
    }
}

// When the next object may be changed.

/// How much of what was missed is caught up at most.
const CATCH_UP: Duration = Duration::from_millis(200);

/// A pace: so many in a second, evenly.
#[derive(Debug)]
pub(super) struct Pacer {
    step: Option<Duration>,
    next_at: Instant,
}

impl Pacer {
    /// Begins now: nothing is caught up that another process missed.
    pub(super) fn new(rate_per_second: Option<u32>) -> Self {
        let step = rate_per_second.map(|rate| Duration::from_secs(1) / rate.max(1));
        Self { step, next_at: Instant::now() }
    }

    /// When the next one may be changed, which it counts.
    pub(super) fn take(&mut self, now: Instant) -> Instant {
        let Some(step) = self.step else {
            return now;
        };
        let earliest = now.checked_sub(CATCH_UP).unwrap_or(now);
        let turn = self.next_at.max(earliest);
        self.next_at = turn + step;
        turn
    }

    /// How long groups of at most so many, whose turns are gathered for so long, are begun apart. What is caught up is spread as well:
    /// groups one upon the other, as after each report, would have the database for themselves. Three quarters of what the pace
    /// allows leave room to catch up.
    fn spaced_by(&self, together_max: usize, gathered_for: Duration) -> Duration {
        let Some(step) = self.step else {
            return Duration::ZERO;
        };
        let group = step.saturating_mul(u32::try_from(together_max).unwrap_or(u32::MAX));
        group.min(gathered_for) * 3 / 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_is_even_and_catches_up_little() {
        let mut pacer = Pacer::new(Some(100));
        let begin = pacer.next_at;
        let turns: Vec<Duration> = (0..3).map(|_| pacer.take(begin) - begin).collect();
        assert_eq!(turns, [0, 10, 20].map(Duration::from_millis));
        let later = begin + Duration::from_mins(1);
        let in_a_second = (0..1_000).filter(|_| pacer.take(later) < later + Duration::from_secs(1)).count();
        assert!((100..=121).contains(&in_a_second), "{in_a_second}");
        assert_eq!(Pacer::new(None).take(later), later);
    }

    #[test]
    fn groups_are_begun_apart_and_may_catch_up() {
        let gathered = Duration::from_millis(20);
        let spaced = |rate, most| Pacer::new(rate).spaced_by(most, gathered);
        assert_eq!(spaced(Some(5_000), 100), Duration::from_millis(15), "6,667 a second at most");
        assert_eq!(spaced(Some(20_000), 100), Duration::from_micros(3_750));
        assert_eq!(spaced(Some(10), 100), Duration::from_millis(15), "no longer than turns are gathered");
        assert_eq!(spaced(None, 100), Duration::ZERO);
        assert_eq!(Pacer::new(Some(10)).spaced_by(1, Duration::ZERO), Duration::ZERO);
    }
}
