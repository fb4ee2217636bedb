//! Test an endpoint: a sample of its provider, signed with its current secret, goes the way of every delivery.

use std::sync::Arc;

use domain::access::Permission;
use domain::id::{DeliveryId, WebhookId};
use domain::problem::ProblemCode;
use domain::time::Timestamp;
use domain::webhook::{Provider, RequestParts, SignFault, Signer, sample, sign};

use super::admit::AdmittedDelivery;
use super::config::path_of;
use super::endpoint::Endpoint;
use super::incoming::{Incoming, Received};
use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// A sample that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestedWebhook {
    /// As which delivery.
    pub delivery_id: DeliveryId,
    /// What it is about, as the provider says it.
    pub event_type: Option<String>,
}

impl Engine {
    /// Signs a sample and receives it. Rates are not counted; everything else is as for the provider's own deliveries,
    /// and its triggers start what they start.
    pub async fn test_webhook(&self, caller: &Caller, id: WebhookId) -> Result<TestedWebhook, EngineError> {
        caller.require(Permission::Operate)?;
        let (record, _) = self.known_webhook(caller, id).await?;
        self.memory().webhooks.endpoints.expire();
        let endpoint = self.endpoint(id).await?.ok_or_else(|| EngineError::not_found("webhook", &id))?;
        if endpoint.record.is_paused {
            let message = "The webhook is paused and accepts no test deliveries.".to_owned();
            return Err(EngineError::Conflict { code: ProblemCode::WebhookPaused, message });
        }
        let now = self.now();
        if endpoint.config.provider != Provider::None && endpoint.current(now).is_none() {
            return Err(no_secret());
        }
        let sample_id = self.entropy().uuid(now).to_string();
        let incoming = signed_sample(&endpoint, &sample_id, now)?;
        let received = self.receive_delivery(AdmittedDelivery::to(Arc::clone(&endpoint)), incoming).await?;
        let delivery_id = match received {
            Received::Accepted { delivery_id, .. }
            | Received::Held { delivery_id, .. }
            | Received::Duplicate { delivery_id } => delivery_id,
            Received::Handshake(_) => return Err(test_refused("it was treated as a handshake")),
            Received::Refused(refused) => return Err(test_refused(refused.error)),
        };
        self.audit(caller, AuditedAction::new("webhook.test", &id).of(Some(record.tenant))).await;
        let event_type = self.delivery(caller, delivery_id).await?.event_type;
        Ok(TestedWebhook { delivery_id, event_type })
    }
}

fn signed_sample(endpoint: &Endpoint, id: &str, now: Timestamp) -> Result<Incoming, EngineError> {
    let sample = sample(endpoint.config.provider, id, now);
    let path = path_of(endpoint.record.id);
    let mut headers: Vec<(String, Vec<u8>)> =
        sample.headers.into_iter().map(|(name, value)| (name.to_owned(), value.into_bytes())).collect();
    let signed = {
        let borrowed: Vec<(&str, &[u8])> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        let parts = RequestParts::new("POST", &path, &borrowed, &sample.body)
            .with_public_url(endpoint.public_url.as_deref());
        let secret = endpoint.current(now).map_or("", |secret| secret.text.as_str());
        sign(&endpoint.scheme, Signer::Secret(secret), id, &parts, now).map_err(cannot_sign)?
    };
    headers.extend(signed.into_iter().map(|(name, value)| (name, value.into_bytes())));
    let method = "POST".to_owned();
    Ok(Incoming {
        method,
        path,
        query: None,
        headers,
        body: sample.body,
        remote_address: None,
        traceparent: None,
    })
}

fn cannot_sign(fault: SignFault) -> EngineError {
    let message = match fault {
        SignFault::SignerUnfit => "Only the provider can sign for this webhook, with its private key.",
        SignFault::PublicUrlMissing => "The provider signs the address, and the webhook has no publicUrl.",
    };
    EngineError::Conflict { code: ProblemCode::CannotSign, message: message.to_owned() }
}

fn no_secret() -> EngineError {
    let message = "The webhook has no secret yet: set the secret that the provider shows, with POST …/rotate-secret \
        or trunkline webhook rotate-secret.";
    EngineError::Conflict { code: ProblemCode::WebhookSecretMissing, message: message.to_owned() }
}

fn test_refused(why: &str) -> EngineError {
    EngineError::Conflict {
        code: ProblemCode::WebhookTestRefused,
        message: format!("The test delivery was rejected: {why}. See the delivery log."),
    }
}
