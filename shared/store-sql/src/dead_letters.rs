//! Dead letters: list, requeue, archive. Settling and reaping make them.

mod counts;
mod decisions;
mod groups;
mod read;
mod requeue;
mod requeue_fast;

use std::collections::HashMap;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::failure::{DeadLetterStatus, GroupDecision};
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

use crate::pool::{commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::sql::Sql;
use crate::{SqlStore, lanes};

pub(crate) use counts::open_of_queue;
pub(crate) use read::record_of;
pub(crate) use requeue_fast::requeue_together;

// Archiving a dead letter: it stays for audit, and its job stays as it ended.

static ARCHIVE: Sql = Sql::new(
    "archive_dead_letter",
    "UPDATE dead_letter SET status = 'archived', resolved_at = $2, archive_reason = $3
     WHERE id = $1 AND status = 'open'",
);

/// Archives one.
async fn archive(
    store: &SqlStore,
    scope: &TenantScope,
    id: DeadLetterId,
    reason: &str,
    now: Timestamp,
) -> StoreResult<DeadLetterChange> {
    let transaction = store.pool().begin().await?;
    let Some(record) = read::one(&transaction, scope, id).await? else {
        rollback(transaction).await;
        return Ok(DeadLetterChange::NotFound);
    };
    if ARCHIVE.run(&transaction, vec![id.uuid().into(), now.0.into(), reason.into()]).await? > 0 {
        commit_change(transaction).await?;
        return Ok(DeadLetterChange::Changed {
            job_id: record.job_id,
            queue: record.queue,
            execution_id: None,
        });
    }
    // Read again: somebody may have been faster.
    let status = read::one(&transaction, scope, id).await?.map(|record| record.status);
    rollback(transaction).await;
    Ok(match status {
        Some(DeadLetterStatus::Requeued) => {
            DeadLetterChange::Refused { reason: "the dead letter was requeued; its job is not dead any more" }
        }
        Some(_) => DeadLetterChange::AlreadyDone { job_id: record.job_id },
        None => DeadLetterChange::NotFound,
    })
}

// The port's operations on dead letters, each retried where that is safe.

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

    async fn add_up_dead_letters(&self, hours_from: Timestamp, limit: u32) -> StoreResult<u64> {
        with_retry(RetryBudget::repeatable(), || counts::add_up(self.pool(), hours_from, limit)).await
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
        with_retry(RetryBudget::once(), || archive(self, scope, id, reason, now)).await
    }
}
