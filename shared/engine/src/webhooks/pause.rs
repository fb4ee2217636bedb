//! Pause and resume an endpoint. While it is paused, handshakes are answered and deliveries held.

use domain::access::Permission;
use domain::id::WebhookId;
use store::webhooks::WebhookRecord;

use super::view::WebhookView;
use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Pauses or resumes an endpoint. One that is so already is left alone.
    pub async fn pause_webhook(
        &self,
        caller: &Caller,
        id: WebhookId,
        is_paused: bool,
    ) -> Result<WebhookView, EngineError> {
        caller.require(Permission::Operate)?;
        let (present, secrets) = self.known_webhook(caller, id).await?;
        if present.is_paused == is_paused {
            return self.webhook_view(present, Some(&secrets)).await;
        }
        let change = |present: WebhookRecord| WebhookRecord { is_paused, ..present };
        let action = if is_paused { "webhook.pause" } else { "webhook.resume" };
        let audited = AuditedAction::new(action, &id).of(Some(present.tenant));
        let mut recording = self.recording(caller, audited);
        let record = recording.of(self.change_webhook(caller, id, None, change)).await?;
        self.webhooks_changed();
        self.recorded(recording).await;
        self.webhook_view(record, Some(&secrets)).await
    }
}
