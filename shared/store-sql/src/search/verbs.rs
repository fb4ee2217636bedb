//! The port's search, on the connections of lists.

use std::time::Duration;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::ScheduleId;
use domain::search::Search;
use domain::time::Timestamp;
use store::audit::AuditLine;
use store::batches::BatchRecord;
use store::dead_letters::DeadLetterRecord;
use store::executions::ExecutionRecord;
use store::jobs::JobRecord;
use store::operations::WorkerRecord;
use store::schedules::{ScheduleRecord, ScheduleRunRecord};
use store::search::{Found, SearchPage, SearchStore, SuggestedValues, may_lag};
use store::user_tasks::UserTaskRecord;
use store::webhooks::DeliveryRecord;
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::{records, suggest, walk};
use crate::SqlStore;
use crate::lists::WINDOW;
use crate::retry::{RetryBudget, with_retry};

/// How long counting may take beside a list.
const COUNTS_WITHIN: Duration = Duration::from_secs(1);

/// How long counting may take where it is what was asked for, and far.
const COUNTS_FAR_WITHIN: Duration = Duration::from_millis(4_500);

/// What is far.
const FAR: u64 = 20_000;

#[async_trait]
impl SearchStore for SqlStore {
    async fn search(&self, scope: &TenantScope, search: &Search, page: SearchPage) -> StoreResult<Found> {
        let pool = self.pool();
        with_retry(RetryBudget::repeatable(), || {
            let on = if may_lag() { pool.delayed_lists() } else { pool.lists() };
            pool.listed(walk::search(on, scope, search, page, WINDOW))
        })
        .await
    }

    async fn count_found(
        &self,
        scope: &TenantScope,
        search: &Search,
        limit: u64,
    ) -> StoreResult<Option<u64>> {
        let counting = walk::count(self.pool().lists(), scope, search, limit);
        let within = if limit > FAR { COUNTS_FAR_WITHIN } else { COUNTS_WITHIN };
        match tokio::time::timeout(within, counting).await {
            Ok(Ok(count)) => Ok(Some(count)),
            Err(_) | Ok(Err(StoreError::Unavailable { .. })) => Ok(None),
            Ok(Err(error)) => Err(error),
        }
    }

    async fn jobs_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<JobRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || records::jobs(self.pool().lists(), scope, ids)).await?;
        self.opened_list(found).await
    }

    async fn executions_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<ExecutionRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || records::executions(self.pool().lists(), scope, ids))
                .await?;
        self.opened_list(found).await
    }

    async fn dead_letters_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<DeadLetterRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || records::dead_letters(self.pool().lists(), scope, ids))
                .await?;
        self.opened_list(found).await
    }

    async fn deliveries_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<DeliveryRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || records::deliveries(self.pool().lists(), scope, ids))
                .await?;
        self.opened_list(found).await
    }

    async fn schedules_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<ScheduleRecord>> {
        with_retry(RetryBudget::repeatable(), || records::schedules(self.pool().lists(), scope, ids)).await
    }

    async fn runs_of(&self, schedule: ScheduleId, ids: &[Uuid]) -> StoreResult<Vec<ScheduleRunRecord>> {
        with_retry(RetryBudget::repeatable(), || records::runs(self.pool().lists(), schedule, ids)).await
    }

    async fn user_tasks_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<UserTaskRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || records::user_tasks(self.pool().lists(), scope, ids))
                .await?;
        self.opened_list(found).await
    }

    async fn workers_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<WorkerRecord>> {
        with_retry(RetryBudget::repeatable(), || records::workers(self.pool().lists(), scope, ids)).await
    }

    async fn audit_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<AuditLine>> {
        with_retry(RetryBudget::repeatable(), || records::audit_lines(self.pool().lists(), scope, ids)).await
    }

    async fn batches_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<BatchRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || records::batches(self.pool().lists(), scope, ids))
                .await?;
        self.opened_list(found).await
    }

    async fn suggest_values(
        &self,
        scope: &TenantScope,
        of: SuggestedValues,
        begin: &str,
        since: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<String>> {
        with_retry(RetryBudget::repeatable(), || suggest::values(self.pool(), scope, of, begin, since, limit))
            .await
    }
}
