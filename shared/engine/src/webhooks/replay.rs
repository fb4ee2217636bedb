//! Look at deliveries, and replay one.

use std::fmt;

use domain::access::{Permission, TenantScope};
use domain::id::DeliveryId;
use domain::problem::ProblemCode;
use domain::webhook::{DeliverySource, DeliveryStatus};
use store::webhooks::{DeliveryRecord, NewDelivery};

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// A delivery that cannot be replayed, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unreplayable {
    /// It was never verified, or it is only a line about another one.
    Status(DeliveryStatus),
    /// Its endpoint is gone.
    WebhookDeleted,
    /// Its body is gone.
    BodyGone,
}

impl fmt::Display for Unreplayable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => {
                write!(f, "The delivery is {}: only verified deliveries can be replayed.", status.as_str())
            }
            Self::WebhookDeleted => f.write_str("Its webhook was deleted."),
            Self::BodyGone => f.write_str("Its body is no longer stored."),
        }
    }
}

impl Engine {
    /// Replays a delivery and answers the new one. Triggers that have started their workflows for it, or for another replay
    /// of it, do so again only with `all_triggers`.
    pub async fn replay_delivery(
        &self,
        caller: &Caller,
        id: DeliveryId,
        all_triggers: bool,
    ) -> Result<DeliveryId, EngineError> {
        caller.require(Permission::Operate)?;
        let found = self.store().delivery(&caller.scope, id).await?;
        let original = found.ok_or_else(|| EngineError::not_found("delivery", &id))?;
        let now = self.now();
        let new_id: DeliveryId = self.make_id(caller, &["replay", &id.to_string()], now);
        let detail = serde_json::json!({ "delivery": new_id, "allTriggers": all_triggers });
        let tenant = Some(original.tenant.clone());
        let audited = AuditedAction::new("delivery.replay", &id).of(tenant).with(detail);
        let mut recording = self.recording(caller, audited);
        let replayed = recording.of(self.replay(&original, new_id, all_triggers)).await?;
        replayed.map_err(|why| refused(&original, why))?;
        self.recorded(recording).await;
        Ok(new_id)
    }

    /// Stores the delivery `id` with the content of `original`. Doing so twice makes one.
    pub(crate) async fn replay(
        &self,
        original: &DeliveryRecord,
        id: DeliveryId,
        all_triggers: bool,
    ) -> Result<Result<(), Unreplayable>, EngineError> {
        if !is_replayable(original.status) {
            return Ok(Err(Unreplayable::Status(original.status)));
        }
        let is_event = original.source() == DeliverySource::Event;
        if !is_event && self.store().webhook(&TenantScope::All, original.webhook_id).await?.is_none() {
            return Ok(Err(Unreplayable::WebhookDeleted));
        }
        let Some(body) = self.store().delivery_body(&TenantScope::All, original.id).await? else {
            return Ok(Err(Unreplayable::BodyGone));
        };
        let now = self.now();
        let delivery = NewDelivery {
            id,
            webhook_id: original.webhook_id,
            tenant: original.tenant.clone(),
            status: DeliveryStatus::Accepted,
            reason: None,
            event_type: original.event_type.clone(),
            provider_event_id: original.provider_event_id.clone(),
            secret_id: None,
            replay_of: Some(original.id),
            remote_address: original.remote_address.clone(),
            method: original.method.clone(),
            target: original.target.clone(),
            headers: original.headers.clone(),
            body,
            traceparent: None,
            received_at: now,
        };
        self.accept_replay(delivery, all_triggers, now).await?;
        Ok(Ok(()))
    }
}

/// Whether deliveries of a status were verified and hold their content.
const fn is_replayable(status: DeliveryStatus) -> bool {
    matches!(
        status,
        DeliveryStatus::Accepted
            | DeliveryStatus::Matched
            | DeliveryStatus::Unmatched
            | DeliveryStatus::Parked
    )
}

fn refused(original: &DeliveryRecord, why: Unreplayable) -> EngineError {
    let (code, message) = match why {
        Unreplayable::Status(status) => (
            ProblemCode::DeliveryNotReplayable,
            format!(
                "The delivery is {}: only verified deliveries can be replayed. Have its sender send it again.",
                status.as_str()
            ),
        ),
        Unreplayable::WebhookDeleted => {
            (ProblemCode::WebhookDeleted, format!("The webhook {} was deleted.", original.webhook_id))
        }
        Unreplayable::BodyGone => {
            (ProblemCode::DeliveryBodyGone, "The body of the delivery is no longer stored.".to_owned())
        }
    };
    EngineError::Conflict { code, message }
}

// Look at deliveries.

impl Engine {
    /// A delivery.
    pub async fn delivery(&self, caller: &Caller, id: DeliveryId) -> Result<DeliveryRecord, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().delivery(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("delivery", &id))
    }

    /// The body of a delivery, byte for byte; `None` where it is not kept.
    pub async fn delivery_body(
        &self,
        caller: &Caller,
        id: DeliveryId,
    ) -> Result<Option<Vec<u8>>, EngineError> {
        caller.require(Permission::Read)?;
        Ok(self.store().delivery_body(&caller.scope, id).await?)
    }
}
