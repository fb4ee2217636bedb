//! Erase a tenant: a batch that removes all that belongs to it, goes on after a crash, and is remembered by the audit log.

use std::time::Duration;

use domain::access::Permission;
use domain::bulk::BatchCounts;
use domain::id::{BatchId, BatchKind};
use domain::names::TenantName;
use domain::problem::ProblemCode;
use domain::time::DurationMs;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::batches::{BatchRecord, BatchStatus};
use store::erasure::{Erasure, ErasureBegun};
use store::wakeup::Hint;
use tokio::time::Instant;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::fail_points;

/// What batches that erase a tenant are called.
pub(crate) const ERASE_KIND: &str = "tenants.erase";

/// How long after its beginning an erasure ends at the earliest: by then every node refuses new work of the tenant, and what
/// was let in before is there to be removed.
const SETTLES_WITHIN: DurationMs = DurationMs::from_secs(10);

/// How often progress is written down, and the batch is looked at while nothing is to be done.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// What a batch was asked, as it is stored.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredErasure {
    tenant: TenantName,
    cancel_open: bool,
}

impl Engine {
    /// Begins to erase a tenant and answers the batch. New work of it is refused from then on; what is open is cancelled with
    /// `cancels_open`, and otherwise refuses the erasure. `confirm` has to be the tenant's name.
    pub async fn erase_tenant(
        &self,
        caller: &Caller,
        tenant: &TenantName,
        confirm: &str,
        cancels_open: bool,
    ) -> Result<BatchRecord, EngineError> {
        caller.require(Permission::Administer)?;
        caller.require_unscoped()?;
        if confirm != tenant.as_str() {
            return Err(EngineError::invalid("/confirm", "expected the name of the tenant"));
        }
        let now = self.now();
        let stored = StoredErasure { tenant: tenant.clone(), cancel_open: cancels_open };
        let batch = BatchRecord {
            id: self.make_id::<BatchKind>(caller, &["erase", tenant.as_str()], now),
            tenant: None,
            kind: ERASE_KIND.to_owned(),
            request: json!(stored).to_string(),
            status: BatchStatus::Running,
            status_reason: None,
            is_past_canary: false,
            counts: BatchCounts::default(),
            reason: None,
            actor: caller.actor.clone(),
            cursor: None,
            created_at: now,
            updated_at: now,
            finished_at: None,
        };
        let erasure = Erasure { tenant: tenant.clone(), batch: batch.id, begun_at: now, ended_at: None };
        let audited = AuditedAction::new("tenant.erase", &tenant).of(Some(tenant.clone()));
        let audited = audited.with(json!({ "batch": batch.id, "cancelOpen": cancels_open }));
        let lines = [self.audit_line(caller, audited)];
        let begun =
            self.store().begin_erasure(&erasure, (&batch, self.process()), cancels_open, &lines).await?;
        match begun {
            ErasureBegun::Begun => {
                self.memory().keys.clear();
                self.memory().quotas.clear();
                self.wake(&[Hint::Settings]);
                self.spawn_batch(batch.clone());
                Ok(batch)
            }
            ErasureBegun::UnderWay(id) => self.batch(caller, id).await,
            ErasureBegun::Unknown => Err(EngineError::not_found("tenant", tenant)),
            ErasureBegun::InUse { jobs, executions } => Err(in_use(tenant, jobs, executions)),
        }
    }

    /// Carries a batch out that erases a tenant, from wherever it is.
    pub(crate) async fn run_erasure(&self, mut batch: BatchRecord) -> Result<(), EngineError> {
        let Ok(stored) = serde_json::from_str::<StoredErasure>(&batch.request) else {
            let to = (BatchStatus::Failed, Some("error"));
            self.store().move_batch(batch.id, &BatchStatus::OPEN, to, self.now()).await?;
            return Ok(());
        };
        let mut counts = batch.counts;
        while !self.shutdown_started() {
            let known = (batch.id, self.process());
            let Some(kept) = self.store().report_batch(known, &counts, self.now()).await? else {
                return Ok(());
            };
            batch = kept;
            if batch.status.is_ended() {
                return Ok(());
            }
            let mut is_clear = false;
            if batch.status == BatchStatus::Running {
                let (gone, is_empty) = self.erase_for((&stored.tenant, batch.id), REPORT_INTERVAL).await?;
                counts.done += gone;
                is_clear = is_empty;
                if is_clear && self.now() >= batch.created_at.plus(SETTLES_WITHIN) {
                    return self.end_erasure(&stored.tenant, &batch, counts).await;
                }
            }
            if is_clear || batch.status != BatchStatus::Running {
                tokio::select! {
                    () = tokio::time::sleep(REPORT_INTERVAL) => {}
                    () = self.shutdown().cancelled() => {}
                }
            }
        }
        Ok(())
    }

    /// Removes what there is for a while. Answers how many rows went, and whether nothing is left.
    async fn erase_for(
        &self,
        erasure: (&TenantName, BatchId),
        span: Duration,
    ) -> Result<(u64, bool), EngineError> {
        let until = Instant::now() + span;
        let mut removed = 0;
        while !self.shutdown_started() {
            fail_points::reach("erase-step-before");
            let gone = self.store().erase_step(erasure, self.policy().upkeep_batch, self.now()).await?;
            fail_points::reach("erase-step-after");
            removed += gone;
            if gone == 0 {
                return Ok((removed, true));
            }
            if Instant::now() >= until {
                break;
            }
        }
        Ok((removed, false))
    }

    async fn end_erasure(
        &self,
        tenant: &TenantName,
        batch: &BatchRecord,
        counts: BatchCounts,
    ) -> Result<(), EngineError> {
        let audited = AuditedAction::new("tenant.erased", &tenant).of(Some(tenant.clone()));
        let audited = audited.with(json!({ "batch": batch.id, "rows": counts.done }));
        let line = self.audit_line(&Caller::system(), audited);
        // Where another process has ended it, only the batch is left.
        self.store().end_erasure((tenant, batch.id), &[line], self.now()).await?;
        self.store().report_batch((batch.id, self.process()), &counts, self.now()).await?;
        let to = (BatchStatus::Completed, None);
        self.store().move_batch(batch.id, &BatchStatus::OPEN, to, self.now()).await?;
        self.memory().quotas.clear();
        self.wake(&[Hint::Settings]);
        Ok(())
    }
}

fn in_use(tenant: &TenantName, jobs: bool, executions: bool) -> EngineError {
    let what = match (jobs, executions) {
        (true, true) => "jobs and executions",
        (true, false) => "jobs",
        _ => "executions",
    };
    EngineError::Conflict {
        code: ProblemCode::TenantInUse,
        message: format!(
            "The tenant {tenant} has {what} that have not ended: wait for them, or erase the tenant with cancelOpen."
        ),
    }
}

/// The refusal of work of a tenant that is being erased.
pub(crate) fn refusal(tenant: &TenantName) -> EngineError {
    EngineError::Conflict {
        code: ProblemCode::TenantErasing,
        message: format!(
            "The tenant {tenant} is being erased and accepts no new work until the erasure has ended."
        ),
    }
}
