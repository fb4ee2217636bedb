//! Calls of audit. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{AuditLine, AuditVerification, Page};
use crate::transport::Request;

impl Calls {
    /// List the audit log, newest first.
    /// Several values of a parameter are separated by commas; any of them matches.
    ///
    /// Action `audit.read`: requires role `admin` or `operator`.
    pub async fn list_audit(&self, query: &ListAuditQuery) -> Result<Page<AuditLine>, ClientError> {
        self.call(Request::new("listAudit", "GET", "/v1/audit").query(query)?).await
    }

    /// Verify the hash chain of the audit log.
    /// Verifies at most 10,000 entries; continue with `from` = `last.seq` + 1 until `last.seq` is `head.seq`. Requires a key that is
    /// not bound to a tenant.
    ///
    /// Action `audit.read`: requires role `admin` or `operator`.
    pub async fn verify_audit(&self, query: &VerifyAuditQuery) -> Result<AuditVerification, ClientError> {
        self.call(Request::new("verifyAudit", "GET", "/v1/audit/verify").query(query)?).await
    }
}

/// The query of [`Calls::list_audit`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListAuditQuery {
    /// Exact match. Several values are separated by commas.
    pub actor: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub action: Option<String>,
    /// Exact match.
    pub subject: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub tenant: Option<String>,
    /// Exact match.
    pub address: Option<String>,
    /// Exact match.
    pub request_id: Option<String>,
    /// One of done, refused. Several values are separated by commas.
    pub outcome: Option<String>,
    /// One of rest, cli, console, grpc, system. Several values are separated by commas.
    pub door: Option<String>,
    /// Exact match.
    pub batch: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub at_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub at_before: Option<String>,
    /// Same as `atAfter`.
    pub from: Option<String>,
    /// Same as `atBefore`.
    pub to: Option<String>,
    /// Search query, at most 2000 characters. See the search documentation.
    pub q: Option<String>,
    /// Instant to sort by: at (default `at`).
    pub sort: Option<String>,
    /// `asc` or `desc` (default `desc`).
    pub order: Option<String>,
    /// Whether to count the matches, up to 10,000.
    pub count: Option<bool>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query of [`Calls::verify_audit`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyAuditQuery {
    /// Number of the first entry to verify (default: the first entry of the log).
    pub from: Option<i64>,
    /// Number of the last entry to verify (default: the last entry of the log). One call verifies at most 10,000
    /// entries.
    pub to: Option<i64>,
}
