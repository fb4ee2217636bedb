//! Models of audit. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::json::Json;
use crate::timestamp::Timestamp;

/// The first broken link of the hash chain.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AuditFault {
    /// ID of the entry, if it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `hash`: changed; `missing`: removed; `order`: does not follow the previous entry; `head`: the end was changed.
    pub problem: String,
    /// Number of the entry.
    pub seq: i64,
}

/// An audit log entry.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AuditLine {
    /// Action.
    pub action: String,
    /// Actor: API key ID, `oidc:` and the subject of a token, `loopback` or `system`.
    pub actor: String,
    /// Client address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Changed values after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Json>,
    /// `at`.
    pub at: Timestamp,
    /// Bulk operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<String>,
    /// Changed values before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Json>,
    /// `detail`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Json>,
    /// `rest`, `cli`, `console`, `grpc` or `system`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub door: Option<String>,
    /// SHA-256, in hexadecimal, of the entry without `hash` as canonical JSON (RFC 8785).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// `id`.
    pub id: String,
    /// `done` or `refused`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Hash of the previous entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_hash: Option<String>,
    /// Reason given by the caller, or reason for the refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Request ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Number in the hash chain, from 1; absent until the entry is sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// Target of the action.
    pub subject: String,
    /// `tenant`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// User agent of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
}

/// A position in the hash chain.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AuditLink {
    /// Its hash.
    pub hash: String,
    /// Number of the entry; 0 before the first.
    pub seq: i64,
}

/// The result of a verification.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AuditVerification {
    /// Last entry that retention has removed.
    pub anchor: AuditLink,
    /// `firstBad`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_bad: Option<AuditFault>,
    /// First number of the verified range.
    pub from: i64,
    /// Last entry of the chain.
    pub head: AuditLink,
    /// Last verified entry; the next range starts after it.
    pub last: AuditLink,
    /// Whether the verified entries are unchanged.
    pub ok: bool,
    /// Number of verified entries.
    pub rows: i64,
}
