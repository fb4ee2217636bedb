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

use super::needed::RequiredFields;
use super::words::{RoleSchema, role};
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
pub(crate) struct TenantResponse {
    pub(crate) name: String,
    /// When it was first used. Not in the answer to its making.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) created_at: Option<Timestamp>,
}

impl From<TenantRecord> for TenantResponse {
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
    #[schema(value_type = RoleSchema, required = true)]
    role: Option<Role>,
    /// The tenant that it is bound to; none where absent.
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
    /// What it may do of what its role may; all of it where absent.
    #[schema(value_type = Option<Vec<KeyScopeResponse>>)]
    scopes: Option<Vec<KeyScope>>,
    /// From when on it no longer works.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
    /// Networks and addresses that it may be used from, such as `10.0.0.0/8`; from everywhere where there are none.
    #[serde(default)]
    #[schema(required = false)]
    networks: Vec<String>,
    /// Whether answers to it hold payloads (data, results, inputs, outputs, bodies). Where absent, those to a key that can
    /// only read do not.
    payloads: Option<bool>,
    /// The person that it stands for, as user tasks name people.
    person: Option<String>,
    /// The groups that it belongs to, as user tasks name them.
    #[serde(default)]
    #[schema(required = false)]
    groups: Vec<String>,
}

/// A part of what a key may do.
///
/// An action is a word such as `jobs.enqueue`, `jobs.*`, `*.read` or `*`; a name is whole or ends in `*`. A scope with names
/// grants only those of its actions that can be limited by such names.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KeyScope)]
pub(crate) struct KeyScopeResponse {
    /// What it grants.
    #[schema(example = json!(["jobs.enqueue", "*.read"]))]
    actions: Vec<String>,
    /// Only on these job types.
    #[schema(required = false)]
    job_types: Vec<String>,
    /// Only on these workflows.
    #[schema(required = false)]
    workflows: Vec<String>,
    /// Only on these queues.
    #[schema(required = false)]
    queues: Vec<String>,
    /// Only for these tenants. Polling for all tenants at once needs `*` here.
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

/// How to rotate a key.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = KeyRotation)]
pub(crate) struct KeyRotationBody {
    /// How long the secret of before holds, up to 30 d; 24 h where absent.
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
    /// The first characters of the secret, to tell keys apart.
    prefix: String,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    revoked_at: Option<Timestamp>,
    /// What it may do of what its role may; all of it where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<KeyScopeResponse>>)]
    scopes: Option<KeyScopes>,
    /// From where it may be used; from everywhere where absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    networks: Vec<String>,
    /// Whether answers to it hold payloads.
    payloads: bool,
    /// From when on it no longer works.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
    /// When it was last used, to about a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    last_used_at: Option<Timestamp>,
    /// When its secret was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    rotated_at: Option<Timestamp>,
    /// Until when the secret of before the last rotation holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    previous_until: Option<Timestamp>,
    /// The person that it stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    person: Option<String>,
    /// The groups that it belongs to.
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
    #[schema(value_type = RoleSchema)]
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
