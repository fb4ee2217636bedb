//! The port's trait on jobs: each operation is a file of its own.

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::{ExecutionId, JobId};
use domain::names::{JobType, TenantName};
use domain::queue::{LaneId, LaneKey, QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use store::jobs::{
    ClaimRequest, ClaimedJob, EagerlyEnqueued, EarlierAttempts, Enqueued, ExpiredLease, ExpiredStarts,
    GiveBack, JobChange, JobRecord, JobStore, LeaseAnswer, LeaseExtension, LeaseRef, LeasedJob, NewJob,
    Promoted, SettleResult, Settlement, WaitFacts,
};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::expiry::{DUE, end_jobs};
use super::{claim, eager, end, enqueue, leases, promote, read, reprioritize, retry, settle};
use crate::executions::expire_execution;
use crate::lanes;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::store::SqlStore;

#[async_trait]
impl JobStore for SqlStore {
    async fn enqueue(&self, jobs: &[NewJob], now: Timestamp) -> StoreResult<Vec<Enqueued>> {
        let jobs = &*self.sealed(jobs).await?;
        lanes::with_current(self, || enqueue::enqueue(self, jobs, now)).await
    }

    async fn enqueue_eagerly(&self, jobs: &[NewJob], claim: &ClaimRequest) -> StoreResult<EagerlyEnqueued> {
        let jobs = &*self.sealed(jobs).await?;
        let mut made = lanes::with_current(self, || eager::enqueue(self, jobs, claim)).await?;
        made.leased = self.opened_jobs(made.leased, claim.now).await?;
        Ok(made)
    }

    async fn claim(&self, request: &ClaimRequest) -> StoreResult<Vec<ClaimedJob>> {
        let jobs = claim::claim(self, request).await?;
        self.opened_jobs(jobs, request.now).await
    }

    fn may_hold(&self, queue: QueueName, tenant: Option<&TenantName>, job_types: &[JobType]) -> bool {
        self.memory().queue(queue).lanes().may_hold(tenant, Some(job_types))
    }

    fn lane_key(&self, queue: QueueName, lane: LaneId) -> Option<LaneKey> {
        self.memory().queue(queue).lanes().lanes.get(lane).cloned()
    }

    fn next_start(&self, queue: QueueName, now: Timestamp) -> Option<Timestamp> {
        self.memory().queue(queue).next_start(now)
    }

    fn is_known_without(&self, queue: QueueName, tenant: Option<&TenantName>, job_types: &[JobType]) -> bool {
        self.memory().queue(queue).lanes().is_known_without(tenant, Some(job_types))
    }

    async fn extend_leases(
        &self,
        held: &[LeaseExtension],
        now: Timestamp,
    ) -> StoreResult<Vec<LeaseAnswer<Timestamp>>> {
        let held = &*self.sealed_renewals(held).await?;
        leases::extend(self, held, now).await
    }

    async fn leased_jobs(&self, held: &[LeaseRef]) -> StoreResult<Vec<Option<LeasedJob>>> {
        leases::leased_jobs(self, held).await
    }

    async fn settle(
        &self,
        batch: &[Settlement],
        now: Timestamp,
    ) -> StoreResult<Vec<LeaseAnswer<SettleResult>>> {
        let batch = &*self.sealed_reports(batch).await?;
        settle::settle(self, batch, now).await
    }

    async fn give_back(&self, held: &[GiveBack], now: Timestamp) -> StoreResult<Vec<LeaseAnswer>> {
        retry::give_back(self, held, now).await
    }

    async fn earlier_attempts(&self, ids: &[JobId]) -> StoreResult<Vec<EarlierAttempts>> {
        let mut earlier = read::earlier_attempts(self, ids).await?;
        let progress = ids.iter().copied().zip(earlier.iter_mut().map(|earlier| &mut earlier.progress));
        self.open_progress(progress.collect()).await?;
        self.opened_list(earlier.iter_mut().filter_map(|earlier| earlier.error.as_mut()).collect()).await?;
        Ok(earlier)
    }

    async fn ended_jobs(&self, ids: &[JobId]) -> StoreResult<Vec<JobId>> {
        read::ended_jobs(self, ids).await
    }

    async fn promote_due(
        &self,
        age_after: &[(QueueName, DurationMs)],
        now: Timestamp,
        limit: u32,
    ) -> StoreResult<Promoted> {
        lanes::with_current(self, || promote::promote_due(self, age_after, now, limit)).await
    }

    async fn expire_unstarted(&self, now: Timestamp, limit: u32) -> StoreResult<ExpiredStarts> {
        expire(self, now, limit).await
    }

    async fn expired_leases(&self, now: Timestamp, limit: u32) -> StoreResult<Vec<ExpiredLease>> {
        leases::expired(self, now, limit).await
    }

    async fn reap(
        &self,
        batch: &[Settlement],
        now: Timestamp,
    ) -> StoreResult<Vec<LeaseAnswer<SettleResult>>> {
        settle::reap(self, batch, now).await
    }

    async fn job(&self, scope: &TenantScope, id: JobId) -> StoreResult<Option<JobRecord>> {
        self.opened(read::job(self, scope, id).await?).await
    }

    async fn tenants_of_jobs(&self, ids: &[JobId]) -> StoreResult<Vec<(JobId, TenantName)>> {
        read::tenants(self, ids).await
    }

    async fn cancel_job(&self, scope: &TenantScope, id: JobId, now: Timestamp) -> StoreResult<JobChange> {
        let is_unsure = AtomicBool::new(false);
        with_retry(RetryBudget::repeatable(), || async {
            let change = end::cancel_one(self, scope, id, (now, is_unsure.load(Ordering::Relaxed))).await;
            if matches!(change, Err(StoreError::Unknown { .. } | StoreError::Unavailable { .. })) {
                is_unsure.store(true, Ordering::Relaxed);
            }
            change
        })
        .await
    }

    async fn run_job_now(&self, scope: &TenantScope, id: JobId, now: Timestamp) -> StoreResult<JobChange> {
        with_retry(RetryBudget::once(), || reprioritize::run_now(self, scope, id, now)).await
    }

    async fn reprioritize_job(
        &self,
        scope: &TenantScope,
        id: JobId,
        tier: Tier,
        _now: Timestamp,
    ) -> StoreResult<JobChange> {
        lanes::with_current(self, || reprioritize::reprioritize(self, scope, id, tier)).await
    }

    async fn wait_facts(&self, id: JobId) -> StoreResult<Option<WaitFacts>> {
        reprioritize::wait_facts(self, id).await
    }
}

/// `JobStore::expire_unstarted`. May be repeated: what has ended is not found again.
async fn expire(store: &SqlStore, now: Timestamp, limit: u32) -> StoreResult<ExpiredStarts> {
    let rows = DUE.all(store.pool().read(), vec![now.0.into(), i64::from(limit).into()]).await?;
    let mut expired = ExpiredStarts { more: rows.len() >= limit as usize, ..ExpiredStarts::default() };
    let mut jobs: Vec<Uuid> = Vec::with_capacity(rows.len());
    let mut executions: Vec<ExecutionId> = Vec::new();
    for row in &rows {
        let row = Row::new("job", row);
        match (row.queue("queue")?, row.uuid_or_null("execution_id")?) {
            (QueueName::Execution, Some(id)) => executions.push(ExecutionId::from_uuid(id)),
            _ => jobs.push(row.uuid("id")?),
        }
    }
    if !jobs.is_empty() {
        end_jobs(store, &jobs, now, &mut expired).await?;
    }
    for id in executions {
        if let Some(parent) = expire_execution(store, id, now).await? {
            expired.executions.push(id);
            expired.inboxes.extend(parent);
        }
    }
    // Where somebody else was at work on all of them, the next call is soon enough.
    expired.more &= !expired.jobs.is_empty() || !expired.executions.is_empty();
    Ok(expired)
}
