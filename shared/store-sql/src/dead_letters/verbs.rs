//! The port's operations on dead letters, each retried where that is safe.

use std::collections::HashMap;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::dead_letter_group::GroupDecision;
use domain::id::DeadLetterId;
use domain::names::TenantName;
use domain::time::Timestamp;
use store::audit::AuditRecord;
use store::dead_letters::{
    DeadLetterChange, DeadLetterFilter, DeadLetterGroup, DeadLetterRecord, DeadLetterStore, GroupFacts,
    RequeueEdit,
};
use store::{Page, PageRequest, StoreResult};
use uuid::Uuid;

use super::{archive, decisions, groups, read, requeue};
use crate::SqlStore;
use crate::lanes;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl DeadLetterStore for SqlStore {
    async fn dead_letter(
        &self,
        scope: &TenantScope,
        id: DeadLetterId,
    ) -> StoreResult<Option<DeadLetterRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || read::with_attempts(self.pool(), scope, id)).await?;
        self.opened(found).await
    }

    async fn list_dead_letters(
        &self,
        scope: &TenantScope,
        filter: &DeadLetterFilter,
        page: PageRequest,
    ) -> StoreResult<Page<DeadLetterRecord>> {
        let page =
            with_retry(RetryBudget::repeatable(), || read::list(self.pool(), scope, filter, page)).await?;
        Ok(Page { items: self.opened_list(page.items).await?, ..page })
    }

    async fn count_dead_letters(&self, scope: &TenantScope, filter: &DeadLetterFilter) -> StoreResult<u64> {
        with_retry(RetryBudget::repeatable(), || read::count(self.pool(), scope, filter)).await
    }

    async fn fingerprints_of_executions(&self, executions: &[Uuid]) -> StoreResult<Vec<(Uuid, String)>> {
        with_retry(RetryBudget::repeatable(), || read::fingerprints(self.pool(), executions)).await
    }

    async fn dead_letter_groups(
        &self,
        scope: &TenantScope,
        filter: &DeadLetterFilter,
        limit: u32,
    ) -> StoreResult<Vec<DeadLetterGroup>> {
        let groups =
            with_retry(RetryBudget::repeatable(), || groups::groups(self.pool(), scope, filter, limit))
                .await?;
        self.opened_list(groups).await
    }

    async fn dead_letter_group_facts(
        &self,
        scope: &TenantScope,
        tenant: Option<&TenantName>,
        fingerprints: &[String],
        trend_from: Timestamp,
    ) -> StoreResult<HashMap<String, GroupFacts>> {
        with_retry(RetryBudget::repeatable(), || {
            decisions::facts(self.pool(), scope, tenant, fingerprints, trend_from)
        })
        .await
    }

    async fn decide_dead_letter_group(
        &self,
        scope: &TenantScope,
        fingerprint: &str,
        decision: &GroupDecision,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || {
            decisions::decide(self.pool(), scope, fingerprint, decision, audit)
        })
        .await
    }

    async fn requeue_dead_letter(
        &self,
        scope: &TenantScope,
        id: DeadLetterId,
        edit: &RequeueEdit,
        now: Timestamp,
    ) -> StoreResult<DeadLetterChange> {
        lanes::with_current(self, || requeue::requeue(self, scope, id, edit, now)).await
    }

    async fn archive_dead_letter(
        &self,
        scope: &TenantScope,
        id: DeadLetterId,
        reason: &str,
        now: Timestamp,
    ) -> StoreResult<DeadLetterChange> {
        with_retry(RetryBudget::once(), || archive::archive(self, scope, id, reason, now)).await
    }
}
