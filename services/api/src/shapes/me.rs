//! The caller, as the caller sees it.

use domain::access::{Action, KeyScope};
use engine::Caller;
use serde::Serialize;
use utoipa::ToSchema;

use super::words::RoleSchema;
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
    /// Person that the caller stands for, as user tasks name people.
    #[serde(skip_serializing_if = "Option::is_none")]
    person: Option<String>,
    /// Groups of the caller, as user tasks name groups.
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
}

impl MeResponse {
    /// What is said to a caller.
    pub(crate) fn of(caller: &Caller, environment: &EnvironmentOptions) -> Self {
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
                .filter(|action| caller.allows(**action))
                .map(|action| action.as_str())
                .collect(),
            payloads: caller.shows_payloads(),
            server: MeServerResponse {
                version: env!("CARGO_PKG_VERSION"),
                environment: set(&environment.name),
                color: set(&environment.color),
            },
        }
    }
}
