//! Rows of the audit log: appended, read, never changed.

use domain::id::EventId;
use domain::names::TenantName;
use sea_orm::{ConnectionTrait, QueryResult};
use store::StoreResult;
use store::audit::AuditRecord;

use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::sql::Sql;

static APPEND: Sql = Sql::new(
    "append_audit",
    "INSERT INTO audit (id, at, actor, tenant, action, subject, detail, address, user_agent, request_id, door, outcome,
       reason, before_change, after_change, batch)
     SELECT r.id, r.at, r.actor, r.tenant, r.action, r.subject, r.detail, r.address, r.user_agent, r.request_id, r.door,
       r.outcome, r.reason, r.before_change, r.after_change, r.batch
     FROM {rows $1: id uuid, at bigint, actor text, tenant text?, action text, subject text, detail text?, address text?, user_agent text?, request_id text?, door text?, outcome text?, reason text?, before_change text?, after_change text?, batch text?} r
     WHERE true ON CONFLICT DO NOTHING",
);

/// Appends lines, in a transaction together with the change that they record or by themselves. Lines that are there
/// already are not written twice.
pub(crate) async fn append<C: ConnectionTrait>(
    on: &C,
    dialect: Dialect,
    records: &[AuditRecord],
) -> StoreResult<()> {
    if records.is_empty() {
        return Ok(());
    }
    let cells = records.iter().map(|record| {
        [
            Cell::Uuid(record.id.uuid()),
            Cell::Long(record.at.0),
            Cell::Text(&record.actor),
            Cell::TextOrNull(record.tenant.as_ref().map(TenantName::as_str)),
            Cell::Text(&record.action),
            Cell::Text(&record.subject),
            Cell::TextOrNull(record.detail.as_deref()),
            Cell::TextOrNull(record.address.as_deref()),
            Cell::TextOrNull(record.user_agent.as_deref()),
            Cell::TextOrNull(record.request_id.as_deref()),
            Cell::TextOrNull(record.door.as_deref()),
            Cell::TextOrNull(record.outcome.as_deref()),
            Cell::TextOrNull(record.reason.as_deref()),
            Cell::TextOrNull(record.before.as_deref()),
            Cell::TextOrNull(record.after.as_deref()),
            Cell::TextOrNull(record.batch.as_deref()),
        ]
    });
    APPEND.run(on, bind::rows(dialect, cells)).await.map(|_| ())
}

/// The columns of a row, from table `a`.
pub(super) const COLUMNS: &str = "a.id, a.at, a.actor, a.tenant, a.action, a.subject, a.detail, a.address, a.user_agent, \
     a.request_id, a.door, a.outcome, a.reason, a.before_change, a.after_change, a.batch";

/// A row of the log.
pub(super) fn record_of(row: &QueryResult) -> StoreResult<AuditRecord> {
    let row = Row::new("audit", row);
    Ok(AuditRecord {
        id: EventId::from_uuid(row.uuid("id")?),
        at: row.instant("at")?,
        actor: row.text("actor")?,
        tenant: row.name_or_null("tenant", TenantName::trusted)?,
        action: row.text("action")?,
        subject: row.text("subject")?,
        detail: row.text_or_null("detail")?,
        door: row.text_or_null("door")?,
        address: row.text_or_null("address")?,
        user_agent: row.text_or_null("user_agent")?,
        request_id: row.text_or_null("request_id")?,
        outcome: row.text_or_null("outcome")?,
        reason: row.text_or_null("reason")?,
        before: row.text_or_null("before_change")?,
        after: row.text_or_null("after_change")?,
        batch: row.text_or_null("batch")?,
    })
}
