//! The server itself as it is shown: who calls, the processes of the deployment, its checks.

use domain::access::{Action, KeyScope};
use domain::doctor::{Check, CheckStatus};
use domain::time::Timestamp;
use engine::Caller;
use serde::Serialize;
use serde_json::Value;
use store::operations::ServerRecord;
use utoipa::ToSchema;

use super::words::{DoctorCheckStatusSchema, RoleSchema};
use crate::options::EnvironmentOptions;

/// The caller and the server.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Me)]
pub(crate) struct MeResponse {
    /// Name under which the audit log lists the caller.
    actor: String,
    /// API key ID, for callers with a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// Person that the caller represents in user tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    person: Option<String>,
    /// Groups that the caller belongs to in user tasks.
    groups: Vec<String>,
    /// Role.
    #[schema(value_type = RoleSchema)]
    role: &'static str,
    /// Scopes that restrict the role; empty for none.
    #[schema(value_type = Vec<Object>)]
    scopes: Vec<KeyScope>,
    /// Tenant that the caller is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    /// Allowed actions, such as `jobs.cancel`.
    can: Vec<&'static str>,
    /// Whether responses to the caller include payloads.
    payloads: bool,
    /// The server.
    server: MeServerResponse,
}

/// The server, as its operator labels it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MeServer)]
pub(crate) struct MeServerResponse {
    /// Version.
    version: &'static str,
    /// Name of the environment, such as `production`.
    #[serde(skip_serializing_if = "Option::is_none")]
    environment: Option<String>,
    /// Color of the environment, such as `#b91c1c`.
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<String>,
    /// Whether the console is read-only.
    read_only: bool,
}

impl MeResponse {
    /// What is said to a caller, whose session may be one that only looks.
    pub(crate) fn of(caller: &Caller, only_looks: bool, environment: &EnvironmentOptions) -> Self {
        let membership = caller.membership.as_deref();
        let scopes = caller.limits.as_ref().and_then(|limits| limits.scopes.as_ref());
        let set = |text: &String| (!text.is_empty()).then(|| text.clone());
        Self {
            actor: caller.actor.clone(),
            key: caller.actor.starts_with("key_").then(|| caller.actor.clone()),
            person: membership.and_then(|membership| membership.person.clone()),
            groups: membership.map(|membership| membership.groups.clone()).unwrap_or_default(),
            role: caller.role.as_str(),
            scopes: scopes.map(|scopes| scopes.as_slice().to_vec()).unwrap_or_default(),
            tenant: caller.scope.tenant().map(ToString::to_string),
            can: Action::ALL
                .iter()
                .filter(|action| caller.allows(**action) && (action.is_read() || !only_looks))
                .map(|action| action.as_str())
                .collect(),
            payloads: caller.shows_payloads(),
            server: MeServerResponse {
                version: env!("CARGO_PKG_VERSION"),
                environment: set(&environment.name),
                color: set(&environment.color),
                read_only: environment.is_read_only,
            },
        }
    }
}

// Processes of the deployment, as they are shown.

/// A process of the deployment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Server)]
pub(crate) struct ServerResponse {
    #[schema(example = "srv_0193456789ab7def8123456789abcdef")]
    id: String,
    version: String,
    roles: Vec<String>,
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    last_seen_at: Timestamp,
    /// How far the clock of its machine is ahead of the database's, in milliseconds.
    clock_offset_ms: i64,
}

impl From<ServerRecord> for ServerResponse {
    fn from(server: ServerRecord) -> Self {
        Self {
            id: server.id.to_string(),
            version: server.version,
            roles: server.roles,
            started_at: server.started_at,
            last_seen_at: server.last_seen_at,
            clock_offset_ms: server.clock_offset_ms,
        }
    }
}

// Checks of the deployment as they are shown.

/// The results of the checks.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Doctor)]
pub(crate) struct DoctorResponse {
    /// Whether no check failed.
    ok: bool,
    checks: Vec<CheckResponse>,
}

/// A check.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DoctorCheck)]
pub(crate) struct CheckResponse {
    /// What was checked, such as `snapshots`.
    check: &'static str,
    #[schema(value_type = DoctorCheckStatusSchema)]
    status: &'static str,
    /// What was found.
    detail: String,
    /// How to fix it; present with `warn` and `fail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
    /// Objects that the finding is based on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, value_type = Vec<Object>)]
    evidence: Vec<Value>,
}

impl From<Vec<Check>> for DoctorResponse {
    fn from(checks: Vec<Check>) -> Self {
        Self {
            ok: checks.iter().all(|check| check.status != CheckStatus::Fail),
            checks: checks.into_iter().map(CheckResponse::from).collect(),
        }
    }
}

impl From<Check> for CheckResponse {
    fn from(check: Check) -> Self {
        Self {
            check: check.check,
            status: check.status.as_str(),
            detail: check.detail,
            fix: check.fix,
            evidence: check.evidence,
        }
    }
}
