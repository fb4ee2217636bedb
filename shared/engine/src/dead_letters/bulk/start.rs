//! Start a bulk operation, or only count what it would touch.

use domain::access::{Permission, TenantScope};
use domain::id::BatchId;
use store::operations::BatchRecord;

use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::dead_letters::bulk::request::{BulkAnswer, BulkKind, BulkRequest, StoredBulk};
use crate::dead_letters::resolve::check_reason;
use crate::engine::Engine;
use crate::error::EngineError;

/// The fastest pace that can be asked for; without one there is no pace.
const RATE_MAX: u32 = 100_000;

impl Engine {
    /// Counts, or begins and answers the batch. The work goes on after the answer; upkeep of any node takes it up
    /// again should this process die.
    pub async fn bulk_dead_letters(
        &self,
        caller: &Caller,
        request: BulkRequest,
    ) -> Result<BulkAnswer, EngineError> {
        caller.require(Permission::Operate)?;
        self.check_bulk(&request)?;
        let now = self.now();
        let stored = StoredBulk::of(&request);
        let matching = self.store().count_dead_letters(&caller.scope, &stored.filter(now)).await?;
        let total = request.limit.map_or(matching, |limit| matching.min(limit));
        if request.dry_run {
            return Ok(BulkAnswer::Count(total));
        }
        let batch = BatchRecord {
            id: self.make_id::<domain::id::BatchKind>(caller, &["batch"], now),
            tenant: caller.scope.tenant().cloned(),
            kind: request.kind.as_str().to_owned(),
            request: serde_json::to_string(&stored).map_err(|source| EngineError::Encoding {
                what: "a bulk request",
                source: Box::new(source),
            })?,
            status: "running".to_owned(),
            total,
            done: 0,
            failed: 0,
            created_at: now,
            updated_at: now,
        };
        let id: BatchId = batch.id;
        self.store().create_batch(&batch).await?;
        let kept = self.store().batch(&TenantScope::All, id).await?;
        if let Some(kept) = kept.filter(|kept| kept.created_at != batch.created_at) {
            // A repeated request: the first one's batch is under way or done.
            return Ok(BulkAnswer::Batch(kept));
        }
        let detail = serde_json::json!({ "batch": id.to_string(), "total": total });
        self.audit(caller, AuditedAction::new(request.kind.as_str(), "dead letters").with(detail)).await;
        self.spawn_batch(batch.clone());
        Ok(BulkAnswer::Batch(batch))
    }

    fn check_bulk(&self, request: &BulkRequest) -> Result<(), EngineError> {
        match &request.kind {
            BulkKind::Requeue(edit) => self.check_requeue(edit)?,
            BulkKind::Archive { reason } => check_reason(reason)?,
        }
        let mut faults = Faults::default();
        if request.filter.is_empty() && !request.all {
            faults.add("/filter", "expected a filter, or \"all\": true for every dead letter");
        }
        if request.limit == Some(0) {
            faults.add("/limit", "expected at least 1");
        }
        if request.rate_per_second.is_some_and(|rate| rate == 0 || rate > RATE_MAX) {
            faults.add("/ratePerSecond", format!("expected 1 to {RATE_MAX}"));
        }
        if request.stop_on_failure_rate.is_some_and(|rate| !(0.0..=1.0).contains(&rate)) {
            faults.add("/stopOnFailureRate", "expected a part from 0 to 1");
        }
        faults.check()
    }
}
