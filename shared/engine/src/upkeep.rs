//! Upkeep: what has to be done again and again whoever calls. The scheduler decides when.

mod reap;

use domain::names::WorkerId;
use domain::queue::QueueName;
use domain::sqlite_maintenance::FileBounds;
use domain::time::DurationMs;
use store::operations::{LaneRemovalPace, LogState, LostNodes, NodeRecord};
use store::wakeup::Hint;
use uuid::Uuid;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

// Promote: due jobs become claimable, aged ones are promoted, freed concurrency keys admit the next.

impl Engine {
    /// One bounded step. Answers whether there may be more.
    pub async fn promote_tick(&self) -> Result<bool, EngineError> {
        let policy = self.policy();
        let age_after: Vec<_> = QueueName::ALL
            .into_iter()
            .filter_map(|queue| policy.queue(queue).age_after.map(|age| (queue, age)))
            .collect();
        let promoted = self.store().promote_due(&age_after, self.now(), policy.upkeep_batch).await?;
        metrics::promoted(self.store().as_ref(), &promoted);
        let hints: Vec<Hint> = promoted
            .by_queue
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(queue, _)| Hint::Freed(*queue))
            .collect();
        self.wake(&hints);
        Ok(promoted.more)
    }
}

// Expire: what nobody started in time ends.

impl Engine {
    /// One bounded step. Answers whether there may be more.
    pub async fn expire_tick(&self) -> Result<bool, EngineError> {
        let limit = self.policy().upkeep_batch;
        let expired = self.store().expire_unstarted(self.now(), limit).await?;
        metrics::expired(self.store().as_ref(), &expired);
        let mut hints: Vec<Hint> = expired.inboxes.iter().map(|&id| Hint::Inbox(id)).collect();
        hints.extend(expired.executions.iter().map(|&id| Hint::Finished(id)));
        // A job that waited for the concurrency key of one of these can start, and a parent can go on.
        if !expired.jobs.is_empty() {
            hints.push(Hint::Freed(QueueName::Node));
        }
        if !hints.is_empty() {
            hints.push(Hint::Freed(QueueName::Execution));
        }
        self.wake(&hints);
        Ok(expired.more)
    }
}

// Processes that end without withdrawing their row: their pools' leases end at once, where the database notices it.

impl Engine {
    /// Says that this process begins, which is distinguished from others by `nonce` and leases under the names of its
    /// pools. On a SQLite file the leases of the process before end now, to be reaped at the next tick.
    pub async fn begin_node(&self, nonce: Uuid, pools: Vec<WorkerId>) -> Result<(), EngineError> {
        let lost = self.store().begin_node(&NodeRecord { nonce, pools }, self.now()).await?;
        if lost.leases > 0 {
            metrics::nodes_lost(lost.nodes);
            tracing::info!(leases = lost.leases, "the previous process left leases; they expire now");
        }
        Ok(())
    }

    /// One look at the other processes. Answers what became of those that have ended.
    pub async fn nodes_tick(&self) -> Result<LostNodes, EngineError> {
        let lost = self.store().end_lost_nodes(self.now()).await?;
        // One that gave everything back before it ended was stopped in order.
        if lost.leases > 0 {
            metrics::nodes_lost(lost.nodes);
            tracing::warn!(
                nodes = lost.nodes,
                leases = lost.leases,
                "processes have ended; their leases expire now"
            );
        }
        Ok(lost)
    }
}

// Wake parked executions that have something in their inbox: the net under appends that crossed with a parking, and
// under events that crossed with a wait for them.

impl Engine {
    /// One bounded step. Answers whether there may be more.
    pub async fn wake_parked_tick(&self) -> Result<bool, EngineError> {
        let limit = self.policy().upkeep_batch;
        let woken = self.store().wake_parked(limit, self.now()).await?;
        if woken > 0 {
            tracing::debug!(executions = woken, "parked executions with inbox entries were woken");
            self.wake(&[Hint::Freed(QueueName::Execution)]);
        }
        // Of an event and a wait that crossed, likewise.
        let has_more = self.look_back_tick().await?;
        // And of an end and a start with the same unique key.
        let has_more = self.admit_left_tick().await? || has_more;
        Ok(woken >= limit || has_more)
    }
}

// Prune: what retention no longer keeps is removed, a bounded step at a time.

/// For how long bulk operations are kept after their end, with what became of each object.
const BATCHES_KEPT_FOR: DurationMs = DurationMs::from_secs(30 * 24 * 3_600);

impl Engine {
    /// One bounded step. Answers whether there is more to do at once.
    pub async fn prune_tick(&self) -> Result<bool, EngineError> {
        let now = self.now();
        let retention = self.retention_now(now).await?;
        let batch = self.policy().upkeep_batch;
        let mut rows = self.store().prune(&retention, batch).await?;
        rows += self.store().prune_webhooks(self.policy().webhooks.rejected_max, batch, now).await?;
        rows += self.store().prune_batches(now.minus(BATCHES_KEPT_FOR), batch).await?;
        metrics::pruned(rows);
        let lags = self.store().retention_lag();
        metrics::retention_lag(&lags);
        Ok(rows >= u64::from(batch) || lags.iter().any(|lag| lag.lag > DurationMs::ZERO))
    }
}

// Counts of dead letters are added up.

/// A day, and the hour that is under way.
const TREND_SPAN: DurationMs = DurationMs::from_secs(25 * 3_600);

/// How many changes are added up at a time.
const CHANGES_MAX: u32 = 5_000;

impl Engine {
    /// One bounded step. Answers whether there may be more.
    pub async fn add_up_dead_letters_tick(&self) -> Result<bool, EngineError> {
        let hours_from = self.now().minus(TREND_SPAN);
        let added = self.store().add_up_dead_letters(hours_from, CHANGES_MAX).await?;
        Ok(added >= u64::from(CHANGES_MAX))
    }
}

// Figures of large queues are counted before somebody asks for them.

impl Engine {
    /// Counts those that are about to be old.
    pub async fn queue_figures_tick(&self) -> Result<(), EngineError> {
        for queue in QueueName::ALL {
            self.store().renew_queue_figures(queue, self.now()).await?;
        }
        Ok(())
    }
}

// Lanes that nobody uses any more go.

/// A lane goes when it held no job, finished or not, for ten minutes; they are looked at each hour.
const PACE: LaneRemovalPace =
    LaneRemovalPace { idle_for: DurationMs::from_secs(600), every: DurationMs::from_secs(3_600) };

impl Engine {
    /// One bounded step. Answers whether the next one can follow at once.
    pub async fn idle_lanes_tick(&self) -> Result<bool, EngineError> {
        let step = self.store().remove_idle_lanes(&PACE, self.now()).await?;
        if step.removed > 0 {
            tracing::debug!(removed = step.removed, "unused lanes were removed");
        }
        Ok(step.has_more)
    }
}

// Care for the database's file, where it is ours to look after: space is given back and the log kept short, a bounded
// step at a time.

impl Engine {
    /// One bounded step. Answers whether there is more to do at once.
    pub async fn tend_file_tick(&self) -> Result<bool, EngineError> {
        let Some(report) = self.store().compact_file(&FileBounds::default()).await? else {
            return Ok(false);
        };
        metrics::file(&report.figures);
        match report.log {
            LogState::Within => {}
            LogState::Emptied => {
                tracing::debug!(bytes = report.figures.log_bytes, "the write-ahead log was truncated");
            }
            LogState::Held => tracing::warn!(
                bytes = report.figures.log_bytes,
                "the write-ahead log grows and cannot be truncated: a reader holds it"
            ),
        }
        Ok(report.has_more)
    }
}
