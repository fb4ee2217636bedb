//! Calls of audit. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{AuditLine, AuditVerification, Page};
use crate::transport::Request;

impl Calls {
    /// List the audit log, newest first.
    /// Several values of a parameter are separated by commas; any of them matches.
    pub async fn list_audit(&self, query: &ListAuditQuery) -> Result<Page<AuditLine>, ClientError> {
        self.call(Request::new("listAudit", "GET", "/v1/audit").query(query)?).await
    }

    /// Verify the hash chain of the audit log.
    /// Verifies at most 10,000 entries; continue with `from` = `last.seq` + 1 until `last.seq` is `head.seq`. Requires a key that is
    /// not bound to a tenant.
    pub async fn verify_audit(&self, query: &VerifyAuditQuery) -> Result<AuditVerification, ClientError> {
        self.call(Request::new("verifyAudit", "GET", "/v1/audit/verify").query(query)?).await
    }
}

/// The query of [`Calls::list_audit`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListAuditQuery {
    /// Actors, comma-separated.
    pub actor: Option<String>,
    /// Actions, comma-separated, such as `queue.pause`.
    pub action: Option<String>,
    /// Target of the action.
    pub subject: Option<String>,
    /// Tenants, comma-separated.
    pub tenant: Option<String>,
    /// Client address.
    pub address: Option<String>,
    /// Request ID.
    pub request_id: Option<String>,
    /// `done` or `refused`, comma-separated.
    pub outcome: Option<String>,
    /// Doors, comma-separated: `rest`, `cli`, `console`, `grpc`, `system`.
    pub door: Option<String>,
    /// Bulk operation.
    pub batch: Option<String>,
    /// At or after this time; the same as `from`.
    pub at_after: Option<String>,
    /// Before this time; the same as `to`.
    pub at_before: Option<String>,
    /// At or after this time.
    pub from: Option<String>,
    /// Before this time.
    pub to: Option<String>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query of [`Calls::verify_audit`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyAuditQuery {
    /// First number (default: the first entry).
    pub from: Option<i64>,
    /// Last number (default: the last entry). One call verifies at most 10,000 entries.
    pub to: Option<i64>,
}
