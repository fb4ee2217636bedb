//! Tenants, API keys and sessions.

use domain::access::{KeyScope, KeyScopes, Network, Role};
use domain::error::Fault;
use domain::id::KeyId;
use domain::names::TenantName;
use domain::time::{DurationMs, Timestamp};
use engine::KeyRequest;
use serde::{Deserialize, Serialize};
use store::access::{KeyRecord, TenantRecord};
use utoipa::ToSchema;

use super::list::RequiredFields;
use super::words::{RoleSchema, role};
use crate::json::present;
use crate::problem::{ApiResult, Problem};

/// A tenant to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = TenantRequest)]
pub(crate) struct TenantBody {
    /// The name, unique.
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

/// A tenant to erase.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = TenantErasure)]
pub(crate) struct EraseBody {
    /// The name of the tenant, repeated as a confirmation.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    confirm: Option<String>,
    /// Whether unfinished jobs and executions are cancelled, without compensation (default false).
    #[serde(default)]
    #[schema(required = false)]
    cancel_open: bool,
}

impl EraseBody {
    /// The confirmation, and whether open work is cancelled.
    pub(crate) fn into_parts(self) -> ApiResult<(String, bool)> {
        let confirm = self.confirm.ok_or_else(|| Problem::fault("/confirm", "is required"))?;
        Ok((confirm, self.cancel_open))
    }
}

/// A tenant.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Tenant)]
pub(crate) struct TenantResponse {
    pub(crate) name: String,
    /// When it was first used. Absent in the response to its creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) created_at: Option<Timestamp>,
}

impl From<TenantRecord> for TenantResponse {
    fn from(tenant: TenantRecord) -> Self {
        Self { name: tenant.name.to_string(), created_at: Some(tenant.created_at) }
    }
}

/// An API key to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ApiKeyRequest)]
pub(crate) struct KeyBody {
    /// Display name.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    name: Option<String>,
    /// Role.
    #[serde(default, deserialize_with = "role")]
    #[schema(value_type = RoleSchema, required = true)]
    role: Option<Role>,
    /// Tenant that the key is bound to (default: none).
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
    /// Scopes that restrict the role (default: everything the role allows).
    #[schema(value_type = Option<Vec<KeyScopeResponse>>)]
    scopes: Option<Vec<KeyScope>>,
    /// Expiry time.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
    /// Allowed client networks and addresses, such as `10.0.0.0/8` (default: any).
    #[serde(default)]
    #[schema(required = false)]
    networks: Vec<String>,
    /// Whether responses include payloads (data, results, inputs, outputs, bodies). Default: false for read-only
    /// keys, true for others.
    payloads: Option<bool>,
    /// User that the key represents in user tasks.
    person: Option<String>,
    /// Groups that the key belongs to in user tasks.
    #[serde(default)]
    #[schema(required = false)]
    groups: Vec<String>,
}

/// A scope of an API key.
///
/// An action is `jobs.enqueue`, `jobs.*`, `*.read`, `*` or similar; a name is complete or ends in `*`. A scope with
/// names grants only those of its actions that names can restrict.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KeyScope)]
pub(crate) struct KeyScopeResponse {
    /// Actions that the scope grants.
    #[schema(example = json!(["jobs.enqueue", "*.read"]))]
    actions: Vec<String>,
    /// Job types to which the scope applies.
    #[schema(required = false)]
    job_types: Vec<String>,
    /// Workflows to which the scope applies.
    #[schema(required = false)]
    workflows: Vec<String>,
    /// Queues to which the scope applies.
    #[schema(required = false)]
    queues: Vec<String>,
    /// Tenants to which the scope applies. Polling across all tenants requires `*`.
    #[schema(required = false)]
    tenants: Vec<String>,
}

impl KeyBody {
    /// The request.
    pub(crate) fn into_request(self) -> ApiResult<KeyRequest> {
        let mut needed = RequiredFields::default();
        let (name, role) = (needed.field("name", self.name), needed.field("role", self.role));
        let (Some(name), Some(role)) = (name, role) else {
            return Err(needed.problem());
        };
        let mut faults: Vec<Fault> = Vec::new();
        let scopes = self.scopes.map(KeyScopes::new).transpose().unwrap_or_else(|found| {
            faults.extend(found.into_iter().map(|fault| fault.under("/scopes")));
            None
        });
        let mut networks = Vec::with_capacity(self.networks.len());
        for (index, entry) in self.networks.iter().enumerate() {
            match Network::parse(entry) {
                Some(network) => networks.push(network),
                None => faults.push(Fault::new(
                    format!("/networks/{index}"),
                    "expected a network such as 10.0.0.0/8, or an address",
                )),
            }
        }
        if !faults.is_empty() {
            return Err(Problem::invalid(faults));
        }
        let (expires_at, shows_payloads) = (self.expires_at, self.payloads);
        Ok(KeyRequest {
            scopes,
            networks,
            expires_at,
            shows_payloads,
            person: self.person,
            groups: self.groups,
            ..KeyRequest::new(&name, role, self.tenant)
        })
    }
}

/// Options of a key rotation.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = KeyRotation)]
pub(crate) struct KeyRotationBody {
    /// How long the previous secret stays valid, up to 30 d (default 24 h).
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "24h")]
    pub(crate) overlap: Option<DurationMs>,
}

/// An API key without its secret.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ApiKey)]
pub(crate) struct KeyResponse {
    #[schema(value_type = String)]
    id: KeyId,
    name: String,
    #[schema(value_type = RoleSchema)]
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    /// First characters of the secret, to identify the key.
    prefix: String,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    revoked_at: Option<Timestamp>,
    /// Scopes that restrict the role (default: everything the role allows).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<KeyScopeResponse>>)]
    scopes: Option<KeyScopes>,
    /// Allowed client networks and addresses (default: any).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    networks: Vec<String>,
    /// Whether responses include payloads.
    payloads: bool,
    /// Expiry time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
    /// When it was last used, accurate to about a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    last_used_at: Option<Timestamp>,
    /// When its secret was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    rotated_at: Option<Timestamp>,
    /// Expiry time of the previous secret after a rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    previous_until: Option<Timestamp>,
    /// User that the key represents in user tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    person: Option<String>,
    /// Groups that the key belongs to in user tasks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    groups: Vec<String>,
}

impl From<KeyRecord> for KeyResponse {
    fn from(key: KeyRecord) -> Self {
        Self {
            id: key.id,
            name: key.name,
            role: key.role.as_str(),
            tenant: key.tenant.map(|tenant| tenant.to_string()),
            prefix: key.prefix,
            created_at: key.created_at,
            revoked_at: key.revoked_at,
            scopes: key.scopes,
            networks: key.networks.iter().map(ToString::to_string).collect(),
            payloads: !key.hides_payloads,
            expires_at: key.expires_at,
            last_used_at: key.last_used_at,
            rotated_at: key.rotated_at,
            previous_until: key.previous.map(|previous| previous.until),
            person: key.person,
            groups: key.groups,
        }
    }
}

/// A new API key, with its secret.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NewApiKey)]
pub(crate) struct NewKeyResponse {
    #[serde(flatten)]
    pub(crate) record: KeyResponse,
    /// The secret, shown only in this response; null when the call is retried with its idempotency key.
    #[schema(required = true)]
    pub(crate) key: Option<String>,
}

/// The current caller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
pub(crate) struct SessionResponse {
    /// API key ID, `oidc:` and the subject of a token, or `loopback` for a local caller while no keys exist.
    pub(crate) actor: String,
    /// Role of the caller.
    #[schema(value_type = RoleSchema)]
    pub(crate) role: &'static str,
    /// Tenant that the caller is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tenant: Option<String>,
    /// CSRF token that mutating requests send in `X-CSRF-Token`. Only for sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) csrf_token: Option<String>,
    /// Expiry time of the session. Only for sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) expires_at: Option<Timestamp>,
}
