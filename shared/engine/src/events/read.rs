//! Look at triggers.

use domain::access::Permission;
use domain::id::TriggerId;
use domain::names::TenantName;
use store::{Page, PageRequest};

use super::view::TriggerView;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// A trigger.
    pub async fn trigger(&self, caller: &Caller, id: TriggerId) -> Result<TriggerView, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().trigger(&caller.scope, id).await?;
        let record = found.ok_or_else(|| EngineError::not_found("trigger", &id))?;
        Ok(TriggerView::of(record)?)
    }

    /// Triggers, newest first.
    pub async fn list_triggers(
        &self,
        caller: &Caller,
        tenant: Option<&TenantName>,
        page: PageRequest,
    ) -> Result<Page<TriggerView>, EngineError> {
        caller.require(Permission::Read)?;
        let Page { items, next } = self.store().list_triggers(&caller.scope, tenant, page).await?;
        let views = items.into_iter().map(TriggerView::of).collect::<Result<Vec<_>, _>>()?;
        Ok(Page { items: views, next })
    }
}
