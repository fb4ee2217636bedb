//! Lines of the audit log commit with the changes that they record.

use domain::names::TenantName;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::audit::AuditRecord;

use crate::bind;
use crate::bind::{Cell, Parameters};
use crate::dialect::Dialect;
use crate::sql::Sql;

// `$before` and `$after` the insert of lines, whose parameters begin with `$first`.
macro_rules! insert_lines {
    ($before:literal, $first:literal, $after:literal) => {
        concat!(
            $before,
            "INSERT INTO audit (id, at, actor, tenant, action, subject, detail, address, user_agent, request_id, door,
       outcome, reason, before_change, after_change, batch)
     SELECT r.id, r.at, r.actor, r.tenant, r.action, r.subject, r.detail, r.address, r.user_agent, r.request_id, r.door,
       r.outcome, r.reason, r.before_change, r.after_change, r.batch
     FROM {rows $",
            $first,
            ": id uuid, at bigint, actor text, tenant text?, action text, subject text, detail text?, address text?, user_agent text?, request_id text?, door text?, outcome text?, reason text?, before_change text?, after_change text?, batch text?} r
     ",
            $after
        )
    };
}

pub(crate) use insert_lines;

static APPEND: Sql = Sql::new("append_audit", insert_lines!("", "1", "WHERE true ON CONFLICT DO NOTHING"));

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
    let mut values = Vec::new();
    add_lines(&mut values, dialect, records);
    APPEND.run(on, values).await.map(|_| ())
}

/// Adds the parameters of lines. There must be at least one.
pub(crate) fn add_lines(to: &mut impl Parameters, dialect: Dialect, records: &[AuditRecord]) {
    bind::add_rows(to, dialect, records.iter().map(cells_of));
}

fn cells_of(record: &AuditRecord) -> [Cell<'_>; 16] {
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
}
