//! The port's verbs on user tasks, each tried again where that is safe.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::names::NodeId;
use store::user_tasks::{UserTaskFilter, UserTaskRecord, UserTaskStore};
use store::{Page, PageRequest, StoreResult};

use super::list;
use crate::SqlStore;
use crate::tries::{Tries, tried};

#[async_trait]
impl UserTaskStore for SqlStore {
    async fn list_user_tasks(
        &self,
        scope: &TenantScope,
        filter: &UserTaskFilter,
        page: PageRequest,
    ) -> StoreResult<Page<UserTaskRecord>> {
        tried(Tries::repeatable(), || list::list(self.pool(), scope, filter, page)).await
    }

    async fn user_task(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        node_id: &NodeId,
    ) -> StoreResult<Option<UserTaskRecord>> {
        tried(Tries::repeatable(), || list::latest(self.pool(), scope, id, node_id)).await
    }
}
