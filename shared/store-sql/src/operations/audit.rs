//! The audit log: appended, listed, never changed.

use domain::access::TenantScope;
use domain::id::EventId;
use domain::names::TenantName;
use sea_orm::{ConnectionTrait, QueryResult};
use store::operations::AuditRecord;
use store::{Page, PageRequest, StoreResult};

use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

static APPEND: Sql = Sql::new(
    "append_audit",
    "INSERT INTO audit (id, at, actor, tenant, action, subject, detail, address, user_agent, request_id)
     SELECT r.id, r.at, r.actor, r.tenant, r.action, r.subject, r.detail, r.address, r.user_agent, r.request_id
     FROM {rows $1: id uuid, at bigint, actor text, tenant text?, action text, subject text, detail text?, address text?, user_agent text?, request_id text?} r
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
        ]
    });
    APPEND.run(on, bind::rows(dialect, cells)).await.map(|_| ())
}

/// Lines, newest first.
pub(super) async fn list(
    pool: &Pool,
    scope: &TenantScope,
    page: PageRequest,
) -> StoreResult<Page<AuditRecord>> {
    let mut select = Select::new("list_audit", "SELECT * FROM audit WHERE true");
    select.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND id < $?", page.after);
    select.with("ORDER BY id DESC LIMIT $?", i64::from(page.limit) + 1);
    let records: StoreResult<Vec<_>> = select.all(pool.lists()).await?.iter().map(record_of).collect();
    Ok(Page::cut(records?, page.limit, |record| record.id.uuid()))
}

fn record_of(row: &QueryResult) -> StoreResult<AuditRecord> {
    let row = Row::new("audit", row);
    Ok(AuditRecord {
        id: EventId::from_uuid(row.uuid("id")?),
        at: row.instant("at")?,
        actor: row.text("actor")?,
        tenant: row.name_or_null("tenant", TenantName::trusted)?,
        action: row.text("action")?,
        subject: row.text("subject")?,
        detail: row.text_or_null("detail")?,
        address: row.text_or_null("address")?,
        user_agent: row.text_or_null("user_agent")?,
        request_id: row.text_or_null("request_id")?,
    })
}
