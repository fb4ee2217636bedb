//! The inbox of executions: what happened to them that their owners have not applied yet, in order.

use domain::id::{CommandId, ExecutionId, JobId};
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionStatus, Refusal};
use store::executions::{INBOX_MAX, INBOX_PENDING_BYTES_MAX, InboxEntry, InboxRow};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::errors::corrupt;
use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

use super::entry::{decode, encode, is_known, settled_job};

// A probe for each execution, which the databases spell differently. Entries are taken up to INBOX_BYTES_MAX, and with
// them the one that reaches beyond it. $1 how many of each
static PENDING_POSTGRES: Sql = Sql::new(
    "inboxes",
    "SELECT r.ord, i.position, i.kind, i.entry FROM {rows $2: ord int, id uuid} r
     CROSS JOIN LATERAL (
         SELECT s.position, s.kind, s.entry FROM (
             SELECT p.position, p.kind, p.entry,
               sum(octet_length(p.entry)) OVER (ORDER BY p.position) - octet_length(p.entry) AS bytes_before
             FROM (SELECT q.position, q.kind, q.entry FROM inbox q
                   WHERE q.execution_id = r.id AND q.status = 'pending' ORDER BY q.position LIMIT $1) p) s
         WHERE s.bytes_before < 2097152) i
     ORDER BY r.ord, i.position",
);

static PENDING_SQLITE: Sql = Sql::new(
    "inboxes",
    "SELECT r.ord, i.position, i.kind, i.entry FROM {rows $2: ord int, id uuid} r
     JOIN inbox i ON i.position IN (
         SELECT s.position FROM (
             SELECT p.position,
               sum(octet_length(p.entry)) OVER (ORDER BY p.position) - octet_length(p.entry) AS bytes_before
             FROM inbox p WHERE p.execution_id = r.id AND p.status = 'pending'
             ORDER BY p.position LIMIT $1) s
         WHERE s.bytes_before < 2097152)
     ORDER BY r.ord, i.position",
);

static FILLED: Sql = Sql::new(
    "filled_inboxes",
    "SELECT r.ord FROM {rows $1: ord int, id uuid} r
     WHERE (SELECT p.position FROM inbox p WHERE p.execution_id = r.id AND p.status = 'pending'
            ORDER BY p.position LIMIT 1) IS NOT NULL",
);

// Without the results that follow on the lines after the first.
// $2 how many
static SETTLED_POSTGRES: Sql = Sql::new(
    "settled_heads",
    "SELECT position, split_part(entry, chr(10), 1) AS head FROM inbox
     WHERE execution_id = $1 AND status = 'pending' AND kind = 'node_settled' ORDER BY position LIMIT $2",
);

static SETTLED_SQLITE: Sql = Sql::new(
    "settled_heads",
    "SELECT position, substr(entry, 1, instr(entry || char(10), char(10)) - 1) AS head FROM inbox
     WHERE execution_id = $1 AND status = 'pending' AND kind = 'node_settled' ORDER BY position LIMIT $2",
);

static APPEND: Sql = Sql::new(
    "append_inbox",
    "INSERT INTO inbox (execution_id, kind, entry, status, reason, created_at, command_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING position",
);

// Index: inbox_pending. Neither database reads a long entry for its length.
// $2 how many entries are looked at
static PENDING_SIZE: Sql = Sql::new(
    "pending_size_of_inbox",
    "SELECT COUNT(*) AS entries, CAST(COALESCE(SUM(p.bytes), 0) AS bigint) AS bytes
     FROM (SELECT octet_length(entry) AS bytes FROM inbox WHERE execution_id = $1 AND status = 'pending'
           ORDER BY position LIMIT $2) p",
);

static POSITION_OF: Sql =
    Sql::new("position_of_command", "SELECT position FROM inbox WHERE command_id = $2 AND execution_id = $1");

/// Pending entries of several executions.
pub(crate) static APPEND_ALL: Sql = Sql::new("insert_inbox", include_str!("../../sql/insert_inbox.sql"));

static HAS_REQUEUED: Sql = Sql::new(
    "has_requeued_nodes",
    "SELECT position FROM inbox
     WHERE execution_id = $1 AND status = 'pending' AND kind = 'node_requeued' LIMIT 1",
);

// Failures have no payload after their first line.
static HAS_RESULTS: Sql = Sql::new(
    "has_pending_results",
    "SELECT position FROM inbox
     WHERE execution_id = $1 AND status = 'pending' AND kind IN ('node_settled', 'child_settled')
       AND entry LIKE '%\n%' ORDER BY position LIMIT 1",
);

// Results (of nodes and children) are of no use to an execution that is over; commands stay, so that whoever sent them
// can ask.
static CLOSE_POSTGRES: Sql = Sql::new(
    "close_inboxes",
    "WITH dropped AS (
         DELETE FROM inbox WHERE execution_id = ANY($1::uuid[]) AND status = 'pending'
           AND kind IN ('node_settled', 'node_requeued', 'child_settled'))
     UPDATE inbox SET status = 'refused', reason = r.why, entry = '',
       step = (SELECT e.step FROM execution e WHERE e.id = r.execution)
     FROM {rows $1: execution uuid, why text} r
     WHERE inbox.execution_id = r.execution AND inbox.status = 'pending'
       AND inbox.kind NOT IN ('node_settled', 'node_requeued', 'child_settled')",
);

static DROP_RESULTS_SQLITE: Sql = Sql::new(
    "drop_all_news",
    "DELETE FROM inbox WHERE execution_id {any $1 uuid} AND status = 'pending'
       AND kind IN ('node_settled', 'node_requeued', 'child_settled')",
);

static REFUSE_ALL: Sql = Sql::new(
    "refuse_all_commands",
    "UPDATE inbox SET status = 'refused', reason = r.why, entry = '',
       step = (SELECT e.step FROM execution e WHERE e.id = r.execution)
     FROM {rows $1: execution uuid, why text} r
     WHERE inbox.execution_id = r.execution AND inbox.status = 'pending'
       AND inbox.kind NOT IN ('node_settled', 'node_requeued', 'child_settled')",
);

/// Where an appended entry stands from the beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The owner applies it.
    Pending,
    /// It was applied in the same transaction.
    Applied,
    /// It cannot be applied, and why.
    Refused(String),
}

/// Why an execution that has ended takes no command.
pub(crate) fn finished_reason(status: ExecutionStatus) -> String {
    Refusal::Finished(status.as_str()).to_string()
}

/// Entries that were not applied yet, each inbox in order, at most `limit` of it and about
/// [`INBOX_BYTES_MAX`](store::executions::INBOX_BYTES_MAX) bytes.
pub(crate) async fn pending(pool: &Pool, ids: &[ExecutionId], limit: u32) -> StoreResult<Vec<Vec<InboxRow>>> {
    let mut inboxes: Vec<Vec<InboxRow>> = vec![Vec::new(); ids.len()];
    if ids.is_empty() {
        return Ok(inboxes);
    }
    let cells = ids.iter().enumerate().map(|(ord, id)| [Cell::Int(ord as i32), Cell::Uuid(id.uuid())]);
    let mut values = vec![i64::from(limit).into()];
    values.extend(bind::rows(pool.dialect(), cells));
    let sql = match pool.dialect() {
        Dialect::Postgres => &PENDING_POSTGRES,
        Dialect::Sqlite => &PENDING_SQLITE,
    };
    for row in &sql.all(pool.read(), values).await? {
        let row = Row::new("inbox", row);
        inboxes[row.int("ord")? as usize].push(inbox_row_of(row)?);
    }
    Ok(inboxes)
}

/// Which of these inboxes hold entries that were not applied yet.
pub(crate) async fn filled(pool: &Pool, ids: &[ExecutionId]) -> StoreResult<Vec<ExecutionId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let cells = ids.iter().enumerate().map(|(ord, id)| [Cell::Int(ord as i32), Cell::Uuid(id.uuid())]);
    let rows = FILLED.all(pool.read(), bind::rows(pool.dialect(), cells)).await?;
    rows.iter().map(|row| Ok(ids[Row::new("inbox", row).int("ord")? as usize])).collect()
}

/// The jobs of nodes that were settled and of which the owner does not know yet, at most `limit`. Their results are not
/// read.
pub(crate) async fn settled_jobs(pool: &Pool, id: ExecutionId, limit: u32) -> StoreResult<Vec<JobId>> {
    let sql = match pool.dialect() {
        Dialect::Postgres => &SETTLED_POSTGRES,
        Dialect::Sqlite => &SETTLED_SQLITE,
    };
    let rows = sql.all(pool.read(), vec![id.uuid().into(), i64::from(limit).into()]).await?;
    let job_of = |row| {
        let row = Row::new("inbox", row);
        settled_job(&row.text("head")?).ok_or_else(|| row.fault("entry"))
    };
    rows.iter().map(job_of).collect()
}

/// Whether an inbox takes nothing more from outside.
pub(crate) async fn is_full(transaction: &DatabaseTransaction, execution_id: Uuid) -> StoreResult<bool> {
    let values = vec![execution_id.into(), i64::from(INBOX_MAX).into()];
    let row = PENDING_SIZE.first(transaction, values).await?;
    let row = row.ok_or_else(|| corrupt("inbox", "entry", execution_id))?;
    let row = Row::new("inbox", &row);
    let (entries, bytes) = (row.long("entries")?, row.long("bytes")?);
    Ok(entries >= i64::from(INBOX_MAX) || bytes.cast_unsigned() >= INBOX_PENDING_BYTES_MAX)
}

/// Where a command stands in the inbox of an execution whose row is locked.
pub(crate) async fn position_of(
    transaction: &DatabaseTransaction,
    execution_id: Uuid,
    command: CommandId,
) -> StoreResult<Option<i64>> {
    let row = POSITION_OF.first(transaction, vec![execution_id.into(), command.uuid().into()]).await?;
    row.map(|row| Row::new("inbox", &row).long("position")).transpose()
}

/// Appends an entry, with the id of its command where it is one; answers its position. A parked execution is to be
/// taken up in the same transaction.
pub(crate) async fn append(
    transaction: &DatabaseTransaction,
    (execution_id, command): (Uuid, Option<CommandId>),
    entry: &InboxEntry,
    standing: &Standing,
    now: Timestamp,
) -> StoreResult<i64> {
    // What nobody is to apply any more stays as a record without its content.
    let (status, reason, text) = match standing {
        Standing::Pending => ("pending", None, encode(entry)),
        Standing::Applied => ("applied", None, String::new()),
        Standing::Refused(reason) => ("refused", Some(reason.as_str()), String::new()),
    };
    let values = vec![
        execution_id.into(),
        entry.kind().into(),
        text.into(),
        status.into(),
        reason.into(),
        now.0.into(),
        command.map(domain::id::Id::uuid).into(),
    ];
    let row = APPEND.first(transaction, values).await?;
    let row = row.ok_or_else(|| corrupt("inbox", "position", execution_id))?;
    Row::new("inbox", &row).long("position")
}

/// Appends pending entries of several executions, in order.
pub(crate) async fn append_all(
    transaction: &DatabaseTransaction,
    dialect: Dialect,
    entries: &[(Uuid, InboxEntry)],
    now: Timestamp,
) -> StoreResult<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let texts: Vec<String> = entries.iter().map(|(_, entry)| encode(entry)).collect();
    let cells = entries.iter().zip(&texts).enumerate().map(|(ord, ((execution, entry), text))| {
        [Cell::Int(ord as i32), Cell::Uuid(*execution), Cell::Text(entry.kind()), Cell::Text(text)]
    });
    let mut values = vec![now.0.into()];
    values.extend(bind::rows(dialect, cells));
    APPEND_ALL.run(transaction, values).await.map(|_| ())
}

/// Whether a node was requeued since the owner last looked.
pub(crate) async fn has_requeued(transaction: &DatabaseTransaction, execution_id: Uuid) -> StoreResult<bool> {
    Ok(HAS_REQUEUED.first(transaction, vec![execution_id.into()]).await?.is_some())
}

/// Whether something has completed since the owner last looked.
pub(crate) async fn has_results(transaction: &DatabaseTransaction, execution_id: Uuid) -> StoreResult<bool> {
    Ok(HAS_RESULTS.first(transaction, vec![execution_id.into()]).await?.is_some())
}

/// Empties the inboxes of executions that ended like this.
pub(crate) async fn close(
    transaction: &DatabaseTransaction,
    dialect: Dialect,
    ended: &[(Uuid, ExecutionStatus)],
) -> StoreResult<()> {
    if ended.is_empty() {
        return Ok(());
    }
    if dialect == Dialect::Postgres {
        return refuse(&CLOSE_POSTGRES, transaction, dialect, ended).await;
    }
    let ids = bind::uuids(dialect, ended.iter().map(|(id, _)| *id));
    DROP_RESULTS_SQLITE.run(transaction, vec![ids]).await?;
    refuse_commands(transaction, dialect, ended).await
}

/// Refuses the commands that were not applied yet; results stay for whoever owns the execution next.
pub(crate) async fn refuse_commands(
    transaction: &DatabaseTransaction,
    dialect: Dialect,
    ended: &[(Uuid, ExecutionStatus)],
) -> StoreResult<()> {
    refuse(&REFUSE_ALL, transaction, dialect, ended).await
}

async fn refuse(
    sql: &Sql,
    transaction: &DatabaseTransaction,
    dialect: Dialect,
    ended: &[(Uuid, ExecutionStatus)],
) -> StoreResult<()> {
    let reasons: Vec<String> = ended.iter().map(|(_, status)| finished_reason(*status)).collect();
    let cells = ended.iter().zip(&reasons).map(|((id, _), reason)| [Cell::Uuid(*id), Cell::Text(reason)]);
    sql.run(transaction, bind::rows(dialect, cells)).await.map(|_| ())
}

fn inbox_row_of(row: Row<'_>) -> StoreResult<InboxRow> {
    let kind = row.text("kind")?;
    let position = row.long("position")?;
    if !is_known(&kind) {
        return Err(StoreError::Later { table: "inbox", column: "kind", row: position.to_string() });
    }
    let entry = decode(&kind, &row.text("entry")?).ok_or_else(|| row.fault("entry"))?;
    Ok(InboxRow { position, entry })
}

#[cfg(test)]
mod tests {
    use store::executions::INBOX_BYTES_MAX;

    use super::*;

    #[test]
    fn pages_are_as_large_as_owners_think() {
        let bound = format!("< {INBOX_BYTES_MAX})");
        for sql in [&PENDING_POSTGRES, &PENDING_SQLITE] {
            assert!(format!("{sql:?}").contains(&bound), "{sql:?}");
        }
    }
}
