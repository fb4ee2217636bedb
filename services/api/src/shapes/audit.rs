//! The audit log.

use domain::audit::{Seal, to_hex};
use domain::id::EventId;
use domain::time::Timestamp;
use engine::ChainReport;
use serde::Serialize;
use serde_json::{Map, Value};
use store::audit::AuditLine;
use utoipa::ToSchema;

use crate::json::RawJson;

/// An audit log entry.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditLine)]
pub(crate) struct AuditResponse {
    #[schema(value_type = String)]
    id: EventId,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// Actor: API key ID, `oidc:` and the subject of a token, `loopback` or `system`.
    actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    /// Action.
    #[schema(example = "queue.pause")]
    action: String,
    /// Target of the action.
    subject: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<RawJson>,
    /// `rest`, `cli`, `console`, `grpc` or `system`.
    #[serde(skip_serializing_if = "Option::is_none")]
    door: Option<String>,
    /// Client address.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// User agent of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_agent: Option<String>,
    /// Request ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    /// `done` or `refused`.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    /// Reason given by the caller, or reason for the refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Changed values before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<RawJson>,
    /// Changed values after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<RawJson>,
    /// Bulk operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch: Option<String>,
    /// Number in the hash chain, from 1; absent until the entry is sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    /// Hash of the previous entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    prev_hash: Option<String>,
    /// SHA-256, in hexadecimal, of the entry without `hash` as canonical JSON (RFC 8785).
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
}

impl From<AuditLine> for AuditResponse {
    fn from(line: AuditLine) -> Self {
        let (record, seal) = (line.record, line.seal);
        Self {
            id: record.id,
            at: record.at,
            actor: record.actor,
            tenant: record.tenant.map(|tenant| tenant.to_string()),
            action: record.action,
            subject: record.subject,
            detail: record.detail.map(RawJson::stored),
            door: record.door,
            address: record.address,
            user_agent: record.user_agent,
            request_id: record.request_id,
            outcome: record.outcome,
            reason: record.reason,
            before: record.before.map(RawJson::stored),
            after: record.after.map(RawJson::stored),
            batch: record.batch,
            seq: seal.map(|seal| seal.seq),
            prev_hash: seal.map(|seal| to_hex(&seal.prev_hash)),
            hash: seal.map(|seal| to_hex(&seal.hash)),
        }
    }
}

/// A line of an export: the row as it was sealed, with its seal.
pub(crate) fn export_line(line: &AuditLine) -> String {
    let mut row: Map<String, Value> = line.record.public_row();
    if let Some(Seal { seq, prev_hash, hash }) = &line.seal {
        row.insert("seq".to_owned(), Value::from(*seq));
        row.insert("prevHash".to_owned(), Value::from(to_hex(prev_hash)));
        row.insert("hash".to_owned(), Value::from(to_hex(hash)));
    }
    format!("{}\n", Value::Object(row))
}

/// A position in the hash chain.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditLink)]
pub(crate) struct LinkResponse {
    /// Number of the entry; 0 before the first.
    seq: u64,
    /// Its hash.
    hash: String,
}

/// The first broken link of the hash chain.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditFault)]
pub(crate) struct FirstBadResponse {
    /// Number of the entry.
    seq: u64,
    /// ID of the entry, if it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// `hash`: changed; `missing`: removed; `order`: does not follow the previous entry; `head`: the end was changed.
    problem: &'static str,
}

/// The result of a verification.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditVerification)]
pub(crate) struct VerificationResponse {
    /// Whether the verified entries are unchanged.
    ok: bool,
    /// Number of verified entries.
    rows: u64,
    /// First number of the verified range.
    from: u64,
    /// Last verified entry; the next range starts after it.
    last: LinkResponse,
    /// Last entry of the chain.
    head: LinkResponse,
    /// Last entry that retention has removed.
    anchor: LinkResponse,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_bad: Option<FirstBadResponse>,
}

impl From<ChainReport> for VerificationResponse {
    fn from(report: ChainReport) -> Self {
        let link = |link: &domain::audit::Link| LinkResponse { seq: link.seq, hash: to_hex(&link.hash) };
        Self {
            ok: report.first_bad.is_none(),
            rows: report.rows,
            from: report.from,
            last: link(&report.last),
            head: link(&report.head),
            anchor: link(&report.anchor),
            first_bad: report.first_bad.map(|bad| FirstBadResponse {
                seq: bad.seq,
                id: bad.id,
                problem: bad.fault.as_str(),
            }),
        }
    }
}
