//! What the verbs of an endpoint take and answer.

use domain::id::DeliveryId;
use domain::time::DurationMs;
use engine::{MadeSecret, RotateSecret, SavedWebhook, TestedWebhook};
use serde::{Deserialize, Deserializer, Serialize};
use store::webhooks::SecretPurpose;
use utoipa::ToSchema;

use super::secret::SecretInput;
use super::shape::WebhookResponse;
use crate::json::present;
use crate::shapes::SecretPurposeSchema;

/// Options of a secret rotation.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RotateSecretRequest)]
pub(crate) struct RotateSecretBody {
    /// New secret (default: generated, if the provider accepts any secret).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = false)]
    secret: Option<SecretInput>,
    /// How long the current secrets stay valid, up to 30d (default 24h).
    #[schema(value_type = Option<String>, example = "24h")]
    overlap: Option<DurationMs>,
    /// Purpose of the secret (default `signature`).
    #[serde(default, deserialize_with = "purpose")]
    #[schema(value_type = Option<SecretPurposeSchema>)]
    purpose: Option<SecretPurpose>,
}

fn purpose<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SecretPurpose>, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "signature" => Ok(Some(SecretPurpose::Signature)),
        "verifyToken" => Ok(Some(SecretPurpose::VerifyToken)),
        _ => Err(serde::de::Error::custom("expected signature or verifyToken")),
    }
}

impl From<RotateSecretBody> for RotateSecret {
    fn from(body: RotateSecretBody) -> Self {
        Self {
            purpose: body.purpose.unwrap_or(SecretPurpose::Signature),
            secret: body.secret.map(SecretInput::into_text),
            overlap: body.overlap,
        }
    }
}

/// An endpoint with a rotated secret.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RotatedSecret)]
pub(crate) struct RotatedResponse {
    /// The generated secret, shown only in this response.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// The endpoint after the rotation.
    webhook: WebhookResponse,
}

impl RotatedResponse {
    /// The endpoint, and what was made for it.
    pub(crate) fn new(saved: SavedWebhook) -> Self {
        let (signature, verify_token) = made_texts(&saved.made);
        Self { secret: signature.or(verify_token), webhook: saved.view.into() }
    }

    /// Whether it holds something that may be shown only once.
    pub(crate) const fn is_secret(&self) -> bool {
        self.secret.is_some()
    }

    /// The same without what may be shown only once.
    pub(crate) fn without_secrets(self) -> Self {
        Self { secret: None, ..self }
    }
}

/// The secret and the verify token that were made.
pub(super) fn made_texts(made: &[MadeSecret]) -> (Option<String>, Option<String>) {
    let of = |purpose| {
        made.iter().find(|secret| secret.purpose == purpose).map(|secret| secret.text.reveal().to_owned())
    };
    (of(SecretPurpose::Signature), of(SecretPurpose::VerifyToken))
}

/// A test delivery.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TestedWebhook)]
pub(crate) struct TestedResponse {
    #[schema(value_type = String, example = "dlv_0193456789ab7def8123456789abcdef")]
    delivery_id: DeliveryId,
    /// Event type of the test delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    event_type: Option<String>,
}

impl From<TestedWebhook> for TestedResponse {
    fn from(tested: TestedWebhook) -> Self {
        Self { delivery_id: tested.delivery_id, event_type: tested.event_type }
    }
}
