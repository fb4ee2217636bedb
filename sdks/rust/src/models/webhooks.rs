//! Models of webhooks. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::{WebhookScheme, WebhookSecret, WebhookSecretPurpose, WebhookTrigger};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// Options of a secret rotation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RotateSecretRequest {
    /// How long the current secrets stay valid, up to 30d (default 24h).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<String>,
    /// Purpose of the secret (default `signature`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<WebhookSecretPurpose>,
    /// New secret (default: generated, if the provider accepts any secret).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// An endpoint with a rotated secret.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RotatedSecret {
    /// The generated secret, shown only in this response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// The endpoint after the rotation.
    pub webhook: Webhook,
}

/// A saved endpoint with its generated secrets.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SavedWebhook {
    /// `createdAt`.
    pub created_at: Timestamp,
    /// `dedupe`.
    pub dedupe: WebhookDedupe,
    /// URL for the sender: its `publicUrl`, or derived from the server's; absent if neither is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_url: Option<String>,
    /// `id`.
    pub id: String,
    /// Whether it has no valid secret although its provider signs deliveries: all deliveries are rejected until a secret is set.
    pub lacks_secret: bool,
    /// Configured maximum body size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_body: Option<i64>,
    /// Effective maximum body size in bytes.
    pub max_body_effective: i64,
    /// `name`.
    pub name: String,
    /// `paused`.
    pub paused: bool,
    /// `provider`.
    pub provider: WebhookProvider,
    /// Configured URL that the sender calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_url: Option<String>,
    /// `rateLimit`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<WebhookRateLimit>,
    /// `respondWith`.
    pub respond_with: i32,
    /// `scheme`.
    pub scheme: WebhookScheme,
    /// Secrets without their values. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secrets: Option<Vec<WebhookSecret>>,
    /// `tenant`.
    pub tenant: String,
    /// `triggers`.
    pub triggers: Vec<WebhookTrigger>,
    /// `updatedAt`.
    pub updated_at: Timestamp,
    /// Path of the endpoint on the server.
    pub url: String,
    /// Whether deliveries are verified: false for the provider `none`.
    pub verified: bool,
    /// Version, incremented by each change.
    pub version: i64,
    /// Warnings about valid but probably unintended values.
    pub warnings: Vec<String>,
    /// The generated secret, shown only in this response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// The generated verify token, shown only in this response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify_token: Option<String>,
}

/// A test delivery.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TestedWebhook {
    /// `deliveryId`.
    pub delivery_id: String,
    /// Event type of the test delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
}

/// A webhook endpoint.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Webhook {
    /// `createdAt`.
    pub created_at: Timestamp,
    /// `dedupe`.
    pub dedupe: WebhookDedupe,
    /// URL for the sender: its `publicUrl`, or derived from the server's; absent if neither is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_url: Option<String>,
    /// `id`.
    pub id: String,
    /// Whether it has no valid secret although its provider signs deliveries: all deliveries are rejected until a secret is set.
    pub lacks_secret: bool,
    /// Configured maximum body size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_body: Option<i64>,
    /// Effective maximum body size in bytes.
    pub max_body_effective: i64,
    /// `name`.
    pub name: String,
    /// `paused`.
    pub paused: bool,
    /// `provider`.
    pub provider: WebhookProvider,
    /// Configured URL that the sender calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_url: Option<String>,
    /// `rateLimit`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<WebhookRateLimit>,
    /// `respondWith`.
    pub respond_with: i32,
    /// `scheme`.
    pub scheme: WebhookScheme,
    /// Secrets without their values. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secrets: Option<Vec<WebhookSecret>>,
    /// `tenant`.
    pub tenant: String,
    /// `triggers`.
    pub triggers: Vec<WebhookTrigger>,
    /// `updatedAt`.
    pub updated_at: Timestamp,
    /// Path of the endpoint on the server.
    pub url: String,
    /// Whether deliveries are verified: false for the provider `none`.
    pub verified: bool,
    /// Version, incremented by each change.
    pub version: i64,
    /// Warnings about valid but probably unintended values.
    pub warnings: Vec<String>,
}

/// Deduplication of deliveries.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookDedupe {
    /// Deduplication key (default `auto`: the provider's ID if it is signed, else its ID with the body, else the body).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<Json>,
    /// Deduplication window, 1m to 30d (default: the provider's retry period, at least 24h).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
}

open_enum! {
    /// WebhookProvider
    pub enum WebhookProvider {
        /// `github`.
        Github = "github",
        /// `stripe`.
        Stripe = "stripe",
        /// `slack`.
        Slack = "slack",
        /// `shopify`.
        Shopify = "shopify",
        /// `standard`.
        Standard = "standard",
        /// `svix`.
        Svix = "svix",
        /// `twilio`.
        Twilio = "twilio",
        /// `linear`.
        Linear = "linear",
        /// `gitlab`.
        Gitlab = "gitlab",
        /// `square`.
        Square = "square",
        /// `zoom`.
        Zoom = "zoom",
        /// `discord`.
        Discord = "discord",
        /// `pagerduty`.
        Pagerduty = "pagerduty",
        /// `paddle`.
        Paddle = "paddle",
        /// `meta`.
        Meta = "meta",
        /// `hubspot`.
        Hubspot = "hubspot",
        /// `sendgrid`.
        Sendgrid = "sendgrid",
        /// `razorpay`.
        Razorpay = "razorpay",
        /// `hmac`.
        Hmac = "hmac",
        /// `none`.
        None = "none",
    }
}

/// A rate limit.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookRateLimit {
    /// Burst size (default: `requests`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burst: Option<i32>,
    /// Time window.
    pub per: String,
    /// Number of requests.
    pub requests: i32,
}

/// An endpoint to save.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookRequest {
    /// Deduplication of deliveries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dedupe: Option<WebhookDedupe>,
    /// Maximum body size, up to 25MiB: bytes, or text such as `1MiB` (default: the server's setting).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_body: Option<String>,
    /// Unique within the tenant.
    pub name: String,
    /// Whether the endpoint is paused (default: false for a new one, unchanged for an existing one).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// Provider. `none` verifies nothing.
    pub provider: WebhookProvider,
    /// Exact URL that the sender calls. Required if the provider signs the URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_url: Option<String>,
    /// Rate limit. Excess requests are held up to a server limit; beyond it they get 429.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<WebhookRateLimit>,
    /// Status code of responses to accepted deliveries: 200, 202 (default) or 204.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub respond_with: Option<i32>,
    /// Signature scheme, if it differs from the provider's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<WebhookScheme>,
    /// Signing secrets, or public keys of the provider. Never shown again. Default: a generated secret for a new
    /// endpoint whose provider accepts any secret; unchanged for an existing one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secrets: Option<Vec<String>>,
    /// Tenant (default: the key's tenant, or `default`). It cannot change later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Triggers that start workflows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triggers: Option<Vec<WebhookTrigger>>,
    /// Verify token of Meta subscriptions. Never shown again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify_token: Option<String>,
    /// Expected current version of the endpoint; the update is rejected if it differs. Not allowed for a new endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
}
