//! The port's operations on views, each retried where that is safe.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::ViewId;
use store::audit::AuditRecord;
use store::views::{ViewRecord, ViewStore};
use store::{Page, PageRequest, StoreResult};

use super::table;
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl ViewStore for SqlStore {
    async fn list_views(
        &self,
        scope: &TenantScope,
        owner: &str,
        list: Option<&str>,
        page: PageRequest,
    ) -> StoreResult<Page<ViewRecord>> {
        with_retry(RetryBudget::repeatable(), || table::list(self.pool(), scope, owner, list, page)).await
    }

    async fn view(&self, scope: &TenantScope, owner: &str, id: ViewId) -> StoreResult<Option<ViewRecord>> {
        with_retry(RetryBudget::repeatable(), || table::one(self.pool(), scope, owner, id)).await
    }

    async fn add_view(
        &self,
        scope: &TenantScope,
        view: &ViewRecord,
        views_max: u32,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || table::add(self.pool(), scope, view, views_max, audit)).await
    }

    async fn change_view(
        &self,
        scope: &TenantScope,
        view: &ViewRecord,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || table::change(self.pool(), scope, view, audit)).await
    }

    async fn delete_view(&self, scope: &TenantScope, id: ViewId, audit: &[AuditRecord]) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || table::delete(self.pool(), scope, id, audit)).await
    }
}
