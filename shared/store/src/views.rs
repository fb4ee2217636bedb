//! Saved views of lists.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::ViewId;
use domain::time::Timestamp;
use domain::view::ViewSpec;

use crate::audit::AuditRecord;
use crate::error::StoreResult;
use crate::page::{Page, PageRequest};

/// A saved view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewRecord {
    /// Its id.
    pub id: ViewId,
    /// Who saved it.
    pub owner: String,
    /// What it shows.
    pub spec: ViewSpec,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub changed_at: Timestamp,
}

/// The store's operations on views. Those of one scope never see another's.
#[async_trait]
pub trait ViewStore {
    /// An owner's views and those that others of the scope share, newest first, of one list or of all.
    async fn list_views(
        &self,
        scope: &TenantScope,
        owner: &str,
        list: Option<&str>,
        page: PageRequest,
    ) -> StoreResult<Page<ViewRecord>>;

    /// One, if the owner may see it.
    async fn view(&self, scope: &TenantScope, owner: &str, id: ViewId) -> StoreResult<Option<ViewRecord>>;

    /// Stores a new one, or an id once more, with its line of the audit log. Answers `false` where the owner has
    /// `views_max` already.
    async fn add_view(
        &self,
        scope: &TenantScope,
        view: &ViewRecord,
        views_max: u32,
        audit: &[AuditRecord],
    ) -> StoreResult<bool>;

    /// Changes one, whoever has it. Answers whether it is there.
    async fn change_view(
        &self,
        scope: &TenantScope,
        view: &ViewRecord,
        audit: &[AuditRecord],
    ) -> StoreResult<bool>;

    /// Removes one, whoever has it. Answers whether it was there.
    async fn delete_view(&self, scope: &TenantScope, id: ViewId, audit: &[AuditRecord]) -> StoreResult<bool>;
}
