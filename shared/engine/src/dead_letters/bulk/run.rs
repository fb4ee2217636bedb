//! Carry out a bulk operation: one dead letter at a time, at the pace asked for, newest first.

use std::time::Duration;

use domain::access::TenantScope;
use domain::id::BatchId;
use domain::time::DurationMs;
use store::dead_letters::DeadLetterChange;
use store::operations::BatchRecord;
use store::{PageRequest, StoreError};
use tokio::time::Instant;
use uuid::Uuid;

use crate::dead_letters::bulk::request::StoredBulk;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::webhooks::KIND_REPLAY;

/// How many dead letters are read at once.
const PAGE: u32 = 100;
/// How long progress is kept back at most; whoever aborts waits no longer than this.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// How many are done before a failure rate means anything.
const RATE_SAMPLE_MIN: u64 = 20;
/// A running batch that has not moved for this long has lost its process.
const LOST_AFTER: DurationMs = DurationMs::from_secs(30);
/// How often a batch tries again when the store is unavailable, before it leaves the rest to upkeep.
const OUTAGES_MAX: u32 = 5;

/// How far a run is.
struct Progress {
    batch: BatchRecord,
    /// Done and failed since the last report.
    done: u64,
    failed: u64,
    reported_at: Instant,
    /// When the next may be done.
    next_at: Instant,
    after: Option<Uuid>,
}

impl Progress {
    fn done_total(&self) -> u64 {
        self.batch.done + self.done
    }

    fn failed_total(&self) -> u64 {
        self.batch.failed + self.failed
    }
}

/// What ends a run.
enum End {
    /// Everything is done.
    Completed,
    /// Too much failed.
    Failed,
    /// Somebody aborted it, or the process is going down and upkeep will take it up again.
    Left,
}

impl Engine {
    /// Takes up bulk operations whose process is gone. Answers how many.
    pub async fn batches_tick(&self) -> Result<u32, EngineError> {
        let now = self.now();
        let lost = self.store().take_up_batches(now.minus(LOST_AFTER), now).await?;
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
            if let Err(error) = engine.run_batch(batch).await {
                tracing::warn!(
                    batch.id = %id,
                    error = &error as &dyn std::error::Error,
                    "a bulk operation stopped; it resumes"
                );
            }
            engine.memory().batches.lock().remove(&id);
        });
    }

    async fn run_batch(&self, batch: BatchRecord) -> Result<(), EngineError> {
        if batch.kind == KIND_REPLAY {
            return self.run_replay_batch(batch).await;
        }
        let id = batch.id;
        let stored: StoredBulk = serde_json::from_str(&batch.request).map_err(|_error| {
            StoreError::Corrupt { table: "batches", column: "request", row: id.to_string() }
        })?;
        let now = Instant::now();
        let mut progress =
            Progress { batch, done: 0, failed: 0, reported_at: now, next_at: now, after: None };
        let mut outages = 0;
        let end = loop {
            match self.run_page(&stored, &mut progress).await {
                Ok(Some(end)) => break end,
                Ok(None) => outages = 0,
                Err(error) if error.is_retryable() && outages < OUTAGES_MAX => {
                    outages += 1;
                    tokio::time::sleep(REPORT_INTERVAL).await;
                }
                Err(error) => return Err(error),
            }
        };
        let is_running = self.report(&mut progress).await?;
        let status = match end {
            End::Completed => "completed",
            End::Failed => "failed",
            End::Left => return Ok(()),
        };
        if is_running {
            self.store().end_batch(id, status, self.now()).await?;
        }
        Ok(())
    }

    /// One page. Answers how the run ended, if it did.
    async fn run_page(
        &self,
        stored: &StoredBulk,
        progress: &mut Progress,
    ) -> Result<Option<End>, EngineError> {
        let scope = progress.batch.tenant.clone().map_or(TenantScope::All, TenantScope::One);
        let filter = stored.filter(progress.batch.created_at);
        let page = PageRequest { limit: PAGE, after: progress.after };
        let page = self.store().list_dead_letters(&scope, &filter, page).await?;
        let kind = stored.kind();
        for letter in &page.items {
            if self.shutdown_started() {
                return Ok(Some(End::Left));
            }
            if stored.limit.is_some_and(|limit| progress.done_total() + progress.failed_total() >= limit) {
                return Ok(Some(End::Completed));
            }
            if !self.keep_pace(stored, progress).await? {
                return Ok(Some(End::Left));
            }
            match self.change_dead_letter(&scope, letter.id, &kind).await? {
                DeadLetterChange::Changed { .. } | DeadLetterChange::AlreadyDone { .. } => progress.done += 1,
                DeadLetterChange::Refused { .. } => progress.failed += 1,
                // Gone since the page was read: nothing to do and nothing failed.
                DeadLetterChange::NotFound => {}
            }
            progress.after = Some(letter.id.uuid());
            if is_failing(stored, progress) {
                return Ok(Some(End::Failed));
            }
        }
        // Once a page at least, so that an abort is seen.
        if !self.report(progress).await? {
            return Ok(Some(End::Left));
        }
        progress.after = page.next;
        Ok(page.next.is_none().then_some(End::Completed))
    }

    /// Waits for the next one's turn and reports meanwhile. Answers whether to go on.
    async fn keep_pace(&self, stored: &StoredBulk, progress: &mut Progress) -> Result<bool, EngineError> {
        loop {
            let report_at = progress.reported_at + REPORT_INTERVAL;
            if Instant::now() >= report_at && !self.report(progress).await? {
                return Ok(false);
            }
            if Instant::now() >= progress.next_at {
                break;
            }
            tokio::select! {
                () = tokio::time::sleep_until(progress.next_at.min(progress.reported_at + REPORT_INTERVAL)) => {}
                () = self.shutdown().cancelled() => return Ok(false),
            }
        }
        if let Some(rate) = stored.rate_per_second {
            progress.next_at = Instant::now() + Duration::from_secs(1) / rate;
        }
        Ok(true)
    }

    /// Writes progress down. Answers whether the batch is still to be carried out.
    async fn report(&self, progress: &mut Progress) -> Result<bool, EngineError> {
        let id: BatchId = progress.batch.id;
        let moved = self.store().advance_batch(id, progress.done, progress.failed, self.now()).await?;
        progress.reported_at = Instant::now();
        let Some(batch) = moved else { return Ok(false) };
        progress.batch = batch;
        (progress.done, progress.failed) = (0, 0);
        Ok(progress.batch.status == "running")
    }
}

fn is_failing(stored: &StoredBulk, progress: &Progress) -> bool {
    let (done, failed) = (progress.done_total(), progress.failed_total());
    stored.stop_on_failure_rate.is_some_and(|rate| {
        done + failed >= RATE_SAMPLE_MIN.min(progress.batch.total.max(1))
            && failed as f64 > rate * (done + failed) as f64
    })
}
