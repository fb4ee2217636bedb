//! The port's operations on user tasks, each retried where that is safe.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::names::NodeId;
use domain::time::Timestamp;
use store::audit::AuditRecord;
use store::user_tasks::{UserTaskFilter, UserTaskRecord, UserTaskRef, UserTaskStore};
use store::{Page, PageRequest, StoreResult};

use super::{claim, list};
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl UserTaskStore for SqlStore {
    async fn list_user_tasks(
        &self,
        scope: &TenantScope,
        filter: &UserTaskFilter,
        page: PageRequest,
    ) -> StoreResult<Page<UserTaskRecord>> {
        let page =
            with_retry(RetryBudget::repeatable(), || list::list(self.pool(), scope, filter, page)).await?;
        Ok(Page { items: self.opened_list(page.items).await?, ..page })
    }

    async fn claim_user_task(
        &self,
        task: &UserTaskRef,
        by: &str,
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || claim::claim(self.pool(), task, by, audit, now)).await
    }

    async fn release_user_task(
        &self,
        task: &UserTaskRef,
        by: Option<&str>,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || claim::release(self.pool(), task, by, audit)).await
    }

    async fn user_task(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        node_id: &NodeId,
    ) -> StoreResult<Option<UserTaskRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || list::latest(self.pool(), scope, id, node_id)).await?;
        self.opened(found).await
    }
}
