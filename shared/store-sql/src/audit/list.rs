//! Lists of the audit log: the newest first, in windows (see [`lists`](crate::lists)), and in the order of the chain.

use domain::access::TenantScope;
use domain::audit::{Link, Seal};
use domain::names::TenantName;
use sea_orm::{ConnectionTrait, QueryResult};
use store::audit::{AuditFilter, AuditLine, ChainRow};
use store::{Page, PageRequest, StoreResult};

use super::record::{COLUMNS, record_of};
use crate::bind;
use crate::dialect::Dialect;
use crate::lists::{floor, paged};
use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;

/// Lines, newest first.
pub(super) async fn list(
    pool: &Pool,
    scope: &TenantScope,
    filter: &AuditFilter,
    page: PageRequest,
) -> StoreResult<Page<AuditLine>> {
    let mut ids = Select::new("list_audit_window", "SELECT a.id FROM audit a WHERE true");
    ids.with_some("AND a.tenant = $?", scope.tenant().map(TenantName::as_str));
    let floor = floor(pool.delayed_lists(), ids, "a.id", page).await?;
    let text = format!(
        "SELECT {COLUMNS}, s.seq, s.prev_hash, s.hash FROM audit a LEFT JOIN audit_seal s ON s.audit_id = a.id
         WHERE true"
    );
    let mut select = Select::new("list_audit", &text);
    narrow(&mut select, pool.dialect(), scope, filter);
    paged(&mut select, "a.id", page, floor);
    let lines: StoreResult<Vec<_>> = select.all(pool.delayed_lists()).await?.iter().map(line_of).collect();
    let mut page = Page::cut(lines?, page.limit, |line| line.record.id.uuid());
    // What did not match may lie before it.
    page.next = page.next.or(floor);
    Ok(page)
}

/// Sealed lines that match, oldest first, of the rows of the chain from behind one up to another.
pub(super) async fn in_order(
    pool: &Pool,
    scope: &TenantScope,
    filter: &AuditFilter,
    (behind, up_to): (u64, u64),
) -> StoreResult<Vec<AuditLine>> {
    let text = format!(
        "SELECT {COLUMNS}, s.seq, s.prev_hash, s.hash FROM audit_seal s JOIN audit a ON a.id = s.audit_id
         WHERE true"
    );
    let mut select = Select::new("list_audit_in_order", &text);
    select.with("AND s.seq > $?", long(behind));
    select.with("AND s.seq <= $?", long(up_to));
    narrow(&mut select, pool.dialect(), scope, filter);
    select.push("ORDER BY s.seq");
    select.all(pool.delayed_lists()).await?.iter().map(line_of).collect()
}

/// Rows of the chain, in order, and with those that are gone.
pub(super) async fn chain_rows<C: ConnectionTrait>(
    on: &C,
    behind: u64,
    limit: u32,
) -> StoreResult<Vec<ChainRow>> {
    let text = format!(
        "SELECT {COLUMNS}, s.seq, s.prev_hash, s.hash, CASE WHEN a.id IS NULL THEN 1 ELSE 0 END AS is_gone
         FROM audit_seal s LEFT JOIN audit a ON a.id = s.audit_id WHERE true"
    );
    let mut select = Select::new("audit_chain_rows", &text);
    select.with("AND s.seq > $?", long(behind));
    select.with("ORDER BY s.seq LIMIT $?", i64::from(limit));
    let read = |row: &QueryResult| -> StoreResult<ChainRow> {
        let is_gone = Row::new("audit_seal", row).int("is_gone")? == 1;
        let record = if is_gone { None } else { Some(record_of(row)?) };
        let seal = seal_of(row)?.ok_or_else(|| Row::new("audit_seal", row).fault("seq"))?;
        Ok(ChainRow { seal, record })
    };
    select.all(on).await?.iter().map(read).collect()
}

fn narrow(select: &mut Select, dialect: Dialect, scope: &TenantScope, filter: &AuditFilter) {
    select.with_some("AND a.tenant = $?", scope.tenant().map(TenantName::as_str));
    for (column, values) in [
        ("a.actor", &filter.actors),
        ("a.action", &filter.actions),
        ("a.tenant", &filter.tenants),
        ("COALESCE(a.outcome, 'done')", &filter.outcomes),
        ("a.door", &filter.doors),
    ] {
        if !values.is_empty() {
            let bound = bind::texts(dialect, values.iter().map(String::as_str));
            select.with(&format!("AND {column} {{any $? text}}"), bound);
        }
    }
    for (column, value) in [
        ("a.subject", &filter.subject),
        ("a.address", &filter.address),
        ("a.request_id", &filter.request_id),
        ("a.batch", &filter.batch),
    ] {
        select.with_some(&format!("AND {column} = $?"), value.as_deref());
    }
    select.with_some("AND a.at >= $?", filter.from.map(|from| from.0));
    select.with_some("AND a.at < $?", filter.to.map(|to| to.0));
}

fn line_of(row: &QueryResult) -> StoreResult<AuditLine> {
    Ok(AuditLine { record: record_of(row)?, seal: seal_of(row)? })
}

fn seal_of(row: &QueryResult) -> StoreResult<Option<Seal>> {
    let row = Row::new("audit_seal", row);
    let Some(seq) = row.long_or_null("seq")? else {
        return Ok(None);
    };
    Ok(Some(Seal {
        seq: seq.unsigned_abs(),
        prev_hash: hash_of(row, "prev_hash")?,
        hash: hash_of(row, "hash")?,
    }))
}

/// A hash of a row.
pub(super) fn hash_of(row: Row<'_>, column: &'static str) -> StoreResult<domain::audit::Hash> {
    let bytes = row.bytes_or_null(column)?.unwrap_or_default();
    bytes.try_into().map_err(|_| row.fault(column))
}

/// A place of the chain, from two columns.
pub(super) fn link_of(row: Row<'_>, seq: &'static str, hash: &'static str) -> StoreResult<Link> {
    Ok(Link { seq: row.long(seq)?.unsigned_abs(), hash: hash_of(row, hash)? })
}

pub(super) fn long(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}
