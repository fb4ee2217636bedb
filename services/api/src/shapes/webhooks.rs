//! Webhook endpoints: what is sent to save one, how one is shown, and what its verbs answer.

mod body;
mod trigger;

use domain::id::{DeliveryId, SecretId, WebhookId};
use domain::time::{DurationMs, Timestamp};
use domain::webhook::{SchemeSettings, TriggerConfig};
use engine::{MadeSecret, RotateSecret, SavedWebhook, SecretView, TestedWebhook, WebhookView};
use serde::{Deserialize, Deserializer, Serialize};
use store::webhooks::SecretPurpose;
use utoipa::ToSchema;

use crate::json::present;
use crate::shapes::{ProviderSchema, SecretPurposeSchema};
use body::{RateLimitBody, SecretInput};
use trigger::{DedupeBody, SchemeSchema, TriggerBody};

pub(crate) use body::WebhookBody;
pub(crate) use trigger::{BatchDocument, DebounceDocument, ThrottleDocument};

// An endpoint as it is shown. No secret is, but for one that was just made.

/// A webhook endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Webhook)]
pub(crate) struct WebhookResponse {
    #[schema(value_type = String, example = "whk_0193456789ab7def8123456789abcdef")]
    id: WebhookId,
    name: String,
    tenant: String,
    #[schema(value_type = ProviderSchema)]
    provider: &'static str,
    /// Whether deliveries are verified: false for the provider `none`.
    verified: bool,
    /// Whether it has no valid secret although its provider signs deliveries: all deliveries are rejected until a secret is set.
    lacks_secret: bool,
    /// Path of the endpoint on the server.
    #[schema(example = "/hooks/whk_0193456789ab7def8123456789abcdef")]
    url: String,
    /// URL for the sender: its `publicUrl`, or derived from the server's; absent if neither is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_url: Option<String>,
    /// Configured URL that the sender calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    public_url: Option<String>,
    #[schema(value_type = SchemeSchema)]
    scheme: SchemeSettings,
    dedupe: DedupeBody,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limit: Option<RateLimitBody>,
    /// Configured maximum body size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_body: Option<u64>,
    /// Effective maximum body size in bytes.
    max_body_effective: u64,
    respond_with: u16,
    paused: bool,
    #[schema(value_type = Vec<TriggerBody>)]
    triggers: Vec<TriggerConfig>,
    /// Secrets without their values. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    secrets: Option<Vec<SecretResponse>>,
    /// Version, incremented by each change.
    version: i64,
    /// Warnings about valid but probably unintended values.
    warnings: Vec<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

/// A secret of an endpoint, without its value.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookSecret)]
struct SecretResponse {
    #[schema(value_type = String, example = "sec_0193456789ab7def8123456789abcdef")]
    id: SecretId,
    #[schema(value_type = SecretPurposeSchema)]
    purpose: &'static str,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Expiry time; absent for the current secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
    /// Whether the server has the encryption key of the secret.
    openable: bool,
}

/// A saved endpoint with its generated secrets.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SavedWebhook)]
pub(crate) struct SavedWebhookResponse {
    #[serde(flatten)]
    webhook: WebhookResponse,
    /// The generated secret, shown only in this response.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// The generated verify token, shown only in this response.
    #[serde(skip_serializing_if = "Option::is_none")]
    verify_token: Option<String>,
}

/// The public name of what a secret is for.
const fn purpose_word(purpose: SecretPurpose) -> &'static str {
    match purpose {
        SecretPurpose::Signature => "signature",
        SecretPurpose::VerifyToken => "verifyToken",
    }
}

impl From<SecretView> for SecretResponse {
    fn from(secret: SecretView) -> Self {
        Self {
            id: secret.id,
            purpose: purpose_word(secret.purpose),
            created_at: secret.created_at,
            expires_at: secret.expires_at,
            openable: secret.is_openable,
        }
    }
}

impl From<WebhookView> for WebhookResponse {
    fn from(view: WebhookView) -> Self {
        let config = view.config;
        Self {
            id: view.id,
            name: view.name,
            tenant: view.tenant.to_string(),
            provider: config.provider.as_str(),
            verified: view.is_verified,
            lacks_secret: view.lacks_secret,
            url: view.path,
            full_url: view.url,
            public_url: config.public_url,
            scheme: config.scheme,
            dedupe: config.dedupe.into(),
            rate_limit: config.rate_limit.map(Into::into),
            max_body: config.max_body,
            max_body_effective: view.max_body,
            respond_with: config.respond_with,
            paused: view.is_paused,
            triggers: config.triggers,
            secrets: view.secrets.map(|secrets| secrets.into_iter().map(SecretResponse::from).collect()),
            version: view.version,
            warnings: view.warnings,
            created_at: view.created_at,
            updated_at: view.updated_at,
        }
    }
}

impl SavedWebhookResponse {
    /// The endpoint, and what was made for it.
    pub(crate) fn new(saved: SavedWebhook) -> Self {
        let (secret, verify_token) = made_texts(&saved.made);
        Self { webhook: saved.view.into(), secret, verify_token }
    }

    /// Whether it holds something that may be shown only once.
    pub(crate) const fn is_secret(&self) -> bool {
        self.secret.is_some() || self.verify_token.is_some()
    }

    /// The same without what may be shown only once.
    pub(crate) fn without_secrets(self) -> Self {
        Self { secret: None, verify_token: None, ..self }
    }
}

// What the verbs of an endpoint take and answer.

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
fn made_texts(made: &[MadeSecret]) -> (Option<String>, Option<String>) {
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
