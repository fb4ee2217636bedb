//! Models of me. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Role;
use crate::json::Json;

/// The caller and the server.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Me {
    /// Name under which the audit log lists the caller.
    pub actor: String,
    /// Allowed actions, such as `jobs.cancel`.
    pub can: Vec<String>,
    /// Groups that the caller belongs to in user tasks.
    pub groups: Vec<String>,
    /// API key ID, for callers with a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whether responses to the caller include payloads.
    pub payloads: bool,
    /// Person that the caller represents in user tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Role.
    pub role: Role,
    /// Scopes that restrict the role; empty for none.
    pub scopes: Vec<BTreeMap<String, Json>>,
    /// The server.
    pub server: MeServer,
    /// Tenant that the caller is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// The server, as its operator labels it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MeServer {
    /// Color of the environment, such as `#b91c1c`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// Name of the environment, such as `production`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// Whether the console is read-only.
    pub read_only: bool,
    /// Version.
    pub version: String,
}
