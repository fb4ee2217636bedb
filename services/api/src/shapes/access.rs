//! Tenants, API keys and sessions.

use domain::access::Role;
use domain::id::KeyId;
use domain::names::TenantName;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use store::access::{KeyRecord, TenantRecord};
use utoipa::ToSchema;

use super::needed::Needed;
use super::words::{RoleWord, role};
use crate::json::present;
use crate::problem::{ApiResult, Problem};

/// A tenant to make.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = TenantRequest)]
pub(crate) struct TenantBody {
    /// Its name.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    name: Option<TenantName>,
}

impl TenantBody {
    /// The name.
    pub(crate) fn into_name(self) -> ApiResult<TenantName> {
        self.name.ok_or_else(|| Problem::fault("/name", "is required"))
    }
}

/// A tenant.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Tenant)]
pub(crate) struct TenantShape {
    pub(crate) name: String,
    /// When it was first used. Not in the answer to its making.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) created_at: Option<Timestamp>,
}

impl From<TenantRecord> for TenantShape {
    fn from(tenant: TenantRecord) -> Self {
        Self { name: tenant.name.to_string(), created_at: Some(tenant.created_at) }
    }
}

/// An API key to make.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ApiKeyRequest)]
pub(crate) struct KeyBody {
    /// What people call it.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    name: Option<String>,
    /// What it may do.
    #[serde(default, deserialize_with = "role")]
    #[schema(value_type = RoleWord, required = true)]
    role: Option<Role>,
    /// The tenant that it is bound to; none where absent.
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
}

impl KeyBody {
    /// Name, role and tenant.
    pub(crate) fn into_parts(self) -> ApiResult<(String, Role, Option<TenantName>)> {
        let mut needed = Needed::default();
        let (name, role) = (needed.field("name", self.name), needed.field("role", self.role));
        let (Some(name), Some(role)) = (name, role) else {
            return Err(needed.problem());
        };
        Ok((name, role, self.tenant))
    }
}

/// An API key without its secret.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ApiKey)]
pub(crate) struct KeyShape {
    #[schema(value_type = String)]
    id: KeyId,
    name: String,
    #[schema(value_type = RoleWord)]
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    /// The first characters of the secret, to tell keys apart.
    prefix: String,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    revoked_at: Option<Timestamp>,
}

impl From<KeyRecord> for KeyShape {
    fn from(key: KeyRecord) -> Self {
        Self {
            id: key.id,
            name: key.name,
            role: key.role.as_str(),
            tenant: key.tenant.map(|tenant| tenant.to_string()),
            prefix: key.prefix,
            created_at: key.created_at,
            revoked_at: key.revoked_at,
        }
    }
}

/// A new API key, with its secret.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NewApiKey)]
pub(crate) struct NewKeyShape {
    #[serde(flatten)]
    pub(crate) record: KeyShape,
    /// The secret, shown in this answer only; null when the call is repeated under its idempotency key.
    #[schema(required = true)]
    pub(crate) key: Option<String>,
}

/// Who calls.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
pub(crate) struct SessionResponse {
    /// The id of the API key, or `loopback` for a caller on this machine while there are no keys.
    pub(crate) actor: String,
    /// What the caller may do.
    #[schema(value_type = RoleWord)]
    pub(crate) role: &'static str,
    /// The tenant that the caller is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tenant: Option<String>,
    /// What requests of this session that change something repeat in `X-CSRF-Token`. Only where there is a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) csrf_token: Option<String>,
    /// When the session ends. Only where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) expires_at: Option<Timestamp>,
}
