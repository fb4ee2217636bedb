//! Lines of the audit log with their seals, and the log in the order of the chain.

use domain::access::TenantScope;
use domain::audit::{Link, Seal};
use domain::id::EventId;
use domain::names::TenantName;
use domain::search::Term;
use sea_orm::{ConnectionTrait, QueryResult};
use store::StoreResult;
use store::audit::{AuditLine, AuditRecord, ChainRow};

use crate::pool::Pool;
use crate::rows::Row;
use crate::search::apply_to_audit;
use crate::select::Select;

/// Begins a select of lines `a` with their seals.
pub(crate) fn select_lines(name: &'static str) -> Select {
    let text = format!(
        "SELECT {COLUMNS}, s.seq, s.prev_hash, s.hash FROM audit a LEFT JOIN audit_seal s ON s.audit_id = a.id
         WHERE true"
    );
    Select::new(name, &text)
}

/// Sealed lines that match, oldest first, of the rows of the chain from behind one up to another.
pub(super) async fn in_order(
    pool: &Pool,
    scope: &TenantScope,
    terms: &[Term],
    (behind, up_to): (u64, u64),
) -> StoreResult<Vec<AuditLine>> {
    let text = format!(
        "SELECT {COLUMNS}, s.seq, s.prev_hash, s.hash FROM audit_seal s JOIN audit a ON a.id = s.audit_id
         WHERE true"
    );
    let mut select = Select::new("list_audit_in_order", &text);
    select.with("AND s.seq > $?", long(behind));
    select.with("AND s.seq <= $?", long(up_to));
    select.with_some("AND a.tenant = $?", scope.tenant().map(TenantName::as_str));
    apply_to_audit(&mut select, terms);
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

/// Reads a line of [`select_lines`].
pub(crate) fn line_of(row: &QueryResult) -> StoreResult<AuditLine> {
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
