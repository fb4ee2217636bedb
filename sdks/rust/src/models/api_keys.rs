//! Models of api keys. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::Role;
use crate::timestamp::Timestamp;

/// An API key without its secret.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApiKey {
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Expiry time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Groups that the key belongs to in user tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// `id`.
    pub id: String,
    /// When it was last used, accurate to about a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
    /// `name`.
    pub name: String,
    /// Allowed client networks and addresses (default: any).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub networks: Option<Vec<String>>,
    /// Whether responses include payloads.
    pub payloads: bool,
    /// User that the key represents in user tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// First characters of the secret, to identify the key.
    pub prefix: String,
    /// Expiry time of the previous secret after a rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_until: Option<Timestamp>,
    /// `revokedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
    /// `role`.
    pub role: Role,
    /// When its secret was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotated_at: Option<Timestamp>,
    /// Scopes that restrict the role (default: everything the role allows).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<KeyScope>>,
    /// `tenant`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// An API key to create.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApiKeyRequest {
    /// Expiry time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Groups that the key belongs to in user tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// Display name.
    pub name: String,
    /// Allowed client networks and addresses, such as `10.0.0.0/8` (default: any).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub networks: Option<Vec<String>>,
    /// Whether responses include payloads (data, results, inputs, outputs, bodies). Default: false for read-only
    /// keys, true for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payloads: Option<bool>,
    /// User that the key represents in user tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Role.
    pub role: Role,
    /// Scopes that restrict the role (default: everything the role allows).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<KeyScope>>,
    /// Tenant that the key is bound to (default: none).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// Options of a key rotation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeyRotation {
    /// How long the previous secret stays valid, up to 30 d (default 24 h).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<String>,
}

/// A scope of an API key.
///
/// An action is `jobs.enqueue`, `jobs.*`, `*.read`, `*` or similar; a name is complete or ends in `*`. A scope with
/// names grants only those of its actions that names can restrict.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeyScope {
    /// Actions that the scope grants.
    pub actions: Vec<String>,
    /// Job types to which the scope applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_types: Option<Vec<String>>,
    /// Queues to which the scope applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<Vec<String>>,
    /// Tenants to which the scope applies. Polling across all tenants requires `*`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenants: Option<Vec<String>>,
    /// Workflows to which the scope applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflows: Option<Vec<String>>,
}

/// A new API key, with its secret.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NewApiKey {
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Expiry time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Groups that the key belongs to in user tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// `id`.
    pub id: String,
    /// When it was last used, accurate to about a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
    /// `name`.
    pub name: String,
    /// Allowed client networks and addresses (default: any).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub networks: Option<Vec<String>>,
    /// Whether responses include payloads.
    pub payloads: bool,
    /// User that the key represents in user tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// First characters of the secret, to identify the key.
    pub prefix: String,
    /// Expiry time of the previous secret after a rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_until: Option<Timestamp>,
    /// `revokedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
    /// `role`.
    pub role: Role,
    /// When its secret was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotated_at: Option<Timestamp>,
    /// Scopes that restrict the role (default: everything the role allows).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<KeyScope>>,
    /// `tenant`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The secret, shown only in this response; null when the call is retried with its idempotency key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}
