//! Remove an endpoint with its secrets. Its deliveries stay until retention takes them.

use domain::access::Permission;
use domain::id::WebhookId;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Removes an endpoint. Deliveries that wait to be matched are parked.
    pub async fn delete_webhook(&self, caller: &Caller, id: WebhookId) -> Result<(), EngineError> {
        caller.require(Permission::Operate)?;
        let (record, _) = self.known_webhook(caller, id).await?;
        let detail = serde_json::json!({ "name": record.name });
        let audited = AuditedAction::new("webhook.delete", &id).of(Some(record.tenant)).with(detail);
        let mut recording = self.recording(caller, audited);
        if !recording.of(self.store().delete_webhook(&caller.scope, id)).await? {
            return Err(EngineError::not_found("webhook", &id));
        }
        self.webhooks_changed();
        self.recorded(recording).await;
        Ok(())
    }
}
