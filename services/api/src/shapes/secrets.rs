//! Secrets of tenants. Their values come in and never go out.

use domain::names::TenantName;
use domain::secret::SecretName;
use domain::time::Timestamp;
use engine::{SecretLine, SecretRequest, SecretText};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::json::present;

/// A secret to store. One of `value`, `environment`, `file` and `vault`.
// No `Debug`: it would print the value.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SecretRequest)]
pub(crate) struct SecretBody {
    /// The value, encrypted at rest and never shown again.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, write_only)]
    value: Option<String>,
    /// Environment variable of the server, `TRUNKLINE_SECRET_…`. For keys that are not bound to a tenant.
    #[serde(default, deserialize_with = "present")]
    environment: Option<String>,
    /// File in the directory `secrets.directory`. For keys that are not bound to a tenant.
    #[serde(default, deserialize_with = "present")]
    file: Option<String>,
    /// Path and field in the secret manager of the settings, such as `apps/stripe#token`. For keys that are not bound to a
    /// tenant.
    #[serde(default, deserialize_with = "present")]
    vault: Option<String>,
    /// Hosts that may receive the secret: names, `*.example.com` or addresses.
    #[serde(default)]
    #[schema(required = true, example = json!(["api.example.com"]))]
    hosts: Vec<String>,
}

impl SecretBody {
    /// The request.
    pub(crate) fn into_request(self, tenant: TenantName, name: SecretName) -> SecretRequest {
        SecretRequest {
            tenant: Some(tenant),
            name,
            value: self.value.map(SecretText::new),
            environment: self.environment,
            file: self.file,
            vault: self.vault,
            hosts: self.hosts,
        }
    }
}

/// A secret without its value.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Secret)]
pub(crate) struct SecretResponse {
    name: String,
    tenant: String,
    /// Source of the value: `store`, `environment`, `file` or `vault`.
    provider: &'static str,
    /// Name of the environment variable or file, or path in the secret manager.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    /// Hosts that may receive the secret.
    hosts: Vec<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When its value, source or hosts last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<SecretLine> for SecretResponse {
    fn from(secret: SecretLine) -> Self {
        Self {
            name: secret.name,
            tenant: secret.tenant.to_string(),
            provider: secret.provider,
            reference: secret.reference,
            hosts: secret.hosts,
            created_at: secret.created_at,
            updated_at: secret.updated_at,
        }
    }
}
