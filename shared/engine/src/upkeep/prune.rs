//! Prune: what retention no longer keeps is removed, a bounded step at a time.

use domain::time::DurationMs;
use store::operations::Retention;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

/// How long finished things are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// COMPLETED jobs.
    pub completed: DurationMs,
    /// FAILED jobs, and the jobs of requeued or archived dead letters.
    pub failed: DurationMs,
    /// CANCELLED jobs.
    pub cancelled: DurationMs,
    /// Archived dead letters.
    pub archive: DurationMs,
    /// Executions that ended.
    pub executions: DurationMs,
    /// What became of slots of schedules.
    pub schedule_runs: DurationMs,
    /// Idempotency keys.
    pub idempotency: DurationMs,
    /// Webhook deliveries, with their bodies.
    pub deliveries: DurationMs,
    /// Audit lines.
    pub audit: DurationMs,
    /// Lines that handlers logged.
    pub logs: DurationMs,
    /// Workers that were not seen.
    pub workers: DurationMs,
}

impl Default for RetentionPolicy {
    fn default() -> Self {
        let days = |count: i64| DurationMs::from_secs(count * 24 * 3600);
        Self {
            completed: days(3),
            failed: days(30),
            cancelled: days(3),
            archive: days(365),
            executions: days(30),
            schedule_runs: days(90),
            idempotency: days(1),
            deliveries: days(30),
            audit: days(365),
            logs: days(7),
            workers: days(1),
        }
    }
}

/// For how long bulk operations are kept after their end, with what became of each object.
const BATCHES_KEPT_FOR: DurationMs = DurationMs::from_secs(30 * 24 * 3_600);

impl Engine {
    /// One bounded step. Answers how many rows went.
    pub async fn prune_tick(&self, policy: &RetentionPolicy) -> Result<u64, EngineError> {
        let now = self.now();
        let retention = Retention {
            completed_before: now.minus(policy.completed),
            failed_before: now.minus(policy.failed),
            cancelled_before: now.minus(policy.cancelled),
            archive_before: now.minus(policy.archive),
            executions_before: now.minus(policy.executions),
            schedule_runs_before: now.minus(policy.schedule_runs),
            idempotency_before: now.minus(policy.idempotency),
            deliveries_before: now.minus(policy.deliveries),
            audit_before: now.minus(policy.audit),
            logs_before: now.minus(policy.logs),
            workers_before: now.minus(policy.workers),
        };
        let batch = self.policy().upkeep_batch;
        let mut rows = self.store().prune(&retention, batch).await?;
        rows += self.store().prune_webhooks(self.policy().webhooks.rejected_max, batch, now).await?;
        rows += self.store().prune_batches(now.minus(BATCHES_KEPT_FOR), batch).await?;
        metrics::pruned(rows);
        Ok(rows)
    }
}
