//! The port's operations on user tasks, each retried where that is safe.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::names::NodeId;
use domain::time::Timestamp;
use store::StoreResult;
use store::audit::AuditRecord;
use store::user_tasks::{UserTaskRecord, UserTaskRef, UserTaskStore};

use super::{claim, latest};
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl UserTaskStore for SqlStore {
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
            with_retry(RetryBudget::repeatable(), || latest::latest(self.pool(), scope, id, node_id)).await?;
        self.opened(found).await
    }
}
