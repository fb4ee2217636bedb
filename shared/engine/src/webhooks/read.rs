//! Look at endpoints.

use domain::access::Permission;
use domain::id::WebhookId;
use domain::names::TenantName;
use store::webhooks::{SealedSecret, WebhookRecord};
use store::{Page, PageRequest};

use super::view::WebhookView;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// An endpoint.
    pub async fn webhook(&self, caller: &Caller, id: WebhookId) -> Result<WebhookView, EngineError> {
        caller.require(Permission::Read)?;
        let (record, secrets) = self.known_webhook(caller, id).await?;
        self.webhook_view(record, Some(&secrets)).await
    }

    /// Endpoints, newest first, without their secrets.
    pub async fn list_webhooks(
        &self,
        caller: &Caller,
        tenant: Option<&TenantName>,
        page: PageRequest,
    ) -> Result<Page<WebhookView>, EngineError> {
        caller.require(Permission::Read)?;
        let page = self.store().list_webhooks(&caller.scope, tenant, page).await?;
        let mut items = Vec::with_capacity(page.items.len());
        for record in page.items {
            items.push(self.webhook_view(record, None).await?);
        }
        Ok(Page { items, next: page.next })
    }

    /// An endpoint that the caller may know of, whatever its role.
    pub(super) async fn known_webhook(
        &self,
        caller: &Caller,
        id: WebhookId,
    ) -> Result<(WebhookRecord, Vec<SealedSecret>), EngineError> {
        let found = self.store().webhook_with_secrets(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("webhook", &id))
    }
}
