//! Prune: what retention no longer keeps is removed, a bounded step at a time.

use domain::time::DurationMs;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

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
