//! Models of session. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::Role;
use crate::timestamp::Timestamp;

/// The current caller.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Session {
    /// API key ID, `oidc:` and the subject of a token, or `loopback` for a local caller while no keys exist.
    pub actor: String,
    /// CSRF token that mutating requests send in `X-CSRF-Token`. Only for sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub csrf_token: Option<String>,
    /// Expiry time of the session. Only for sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Role of the caller.
    pub role: Role,
    /// Tenant that the caller is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}
