//! The inbox of an execution: what happened to it that its owner has not applied yet, in order.

use domain::id::ExecutionId;
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionStatus, Refusal};
use sea_orm::DatabaseTransaction;
use store::StoreResult;
use store::executions::{InboxEntry, InboxResult, InboxRow};
use uuid::Uuid;

use crate::bind;
use crate::dialect::Dialect;
use crate::errors::corrupt;
use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::Sql;

use super::entry::{decode, encode};

static PENDING: Sql = Sql::new(
    "inbox",
    "SELECT position, kind, entry FROM inbox WHERE execution_id = $1 AND status = 'pending'
     ORDER BY position LIMIT $2",
);

static APPEND: Sql = Sql::new(
    "append_inbox",
    "INSERT INTO inbox (execution_id, kind, entry, status, reason, created_at)
     VALUES ($1, $2, $3, $4, $5, $6) RETURNING position",
);

// News of nodes are of no use once they are applied; commands stay, so that whoever sent them can ask.
static DROP_NEWS: Sql = Sql::new(
    "drop_applied_news",
    "DELETE FROM inbox WHERE execution_id = $1 AND status = 'pending' AND kind IN ('node_settled', 'node_requeued')
       AND position {any $2 bigint}",
);

static APPLY: Sql = Sql::new(
    "apply_commands",
    "UPDATE inbox SET status = 'applied' WHERE execution_id = $1 AND status = 'pending' AND position {any $2 bigint}",
);

static REFUSE: Sql = Sql::new(
    "refuse_command",
    "UPDATE inbox SET status = 'refused', reason = $3
     WHERE execution_id = $1 AND status = 'pending' AND position = $2",
);

static DROP_ALL_NEWS: Sql = Sql::new(
    "drop_all_news",
    "DELETE FROM inbox WHERE execution_id = $1 AND status = 'pending' AND kind IN ('node_settled', 'node_requeued')",
);

static HAS_REQUEUED: Sql = Sql::new(
    "has_requeued_nodes",
    "SELECT position FROM inbox
     WHERE execution_id = $1 AND status = 'pending' AND kind = 'node_requeued' LIMIT 1",
);

static REFUSE_ALL: Sql = Sql::new(
    "refuse_all_commands",
    "UPDATE inbox SET status = 'refused', reason = $2
     WHERE execution_id = $1 AND status = 'pending' AND kind NOT IN ('node_settled', 'node_requeued')",
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

/// Entries that were not applied yet, in order.
pub(super) async fn pending(pool: &Pool, id: ExecutionId, limit: u32) -> StoreResult<Vec<InboxRow>> {
    let rows = PENDING.all(pool.read(), vec![id.uuid().into(), i64::from(limit).into()]).await?;
    rows.iter().map(|row| inbox_row_of(Row::new("inbox", row))).collect()
}

/// Appends an entry; answers its position.
pub(crate) async fn append(
    transaction: &DatabaseTransaction,
    execution_id: Uuid,
    entry: &InboxEntry,
    standing: &Standing,
    now: Timestamp,
) -> StoreResult<i64> {
    let (status, reason) = match standing {
        Standing::Pending => ("pending", None),
        Standing::Applied => ("applied", None),
        Standing::Refused(reason) => ("refused", Some(reason.as_str())),
    };
    let values = vec![
        execution_id.into(),
        entry.kind().into(),
        encode(entry).into(),
        status.into(),
        reason.into(),
        now.0.into(),
    ];
    let row = APPEND.first(transaction, values).await?;
    let row = row.ok_or_else(|| corrupt("inbox", "position", execution_id))?;
    Row::new("inbox", &row).long("position")
}

/// Notes what became of entries.
pub(super) async fn settle(
    transaction: &DatabaseTransaction,
    dialect: Dialect,
    execution_id: Uuid,
    results: &[InboxResult],
) -> StoreResult<()> {
    if results.is_empty() {
        return Ok(());
    }
    let positions = |wanted: &[&InboxResult]| {
        let positions = wanted.iter().map(|result| result.position);
        vec![execution_id.into(), bind::longs(dialect, positions)]
    };
    let all: Vec<&InboxResult> = results.iter().collect();
    let dropped = DROP_NEWS.run(transaction, positions(&all)).await?;
    if dropped == results.len() as u64 {
        return Ok(());
    }
    let applied: Vec<&InboxResult> = results.iter().filter(|result| result.refused.is_none()).collect();
    if !applied.is_empty() {
        APPLY.run(transaction, positions(&applied)).await?;
    }
    for result in results {
        if let Some(reason) = &result.refused {
            let values = vec![execution_id.into(), result.position.into(), reason.as_str().into()];
            REFUSE.run(transaction, values).await?;
        }
    }
    Ok(())
}

/// Whether a node was requeued since the owner last looked.
pub(super) async fn has_requeued(transaction: &DatabaseTransaction, execution_id: Uuid) -> StoreResult<bool> {
    Ok(HAS_REQUEUED.first(transaction, vec![execution_id.into()]).await?.is_some())
}

/// Empties the inbox of an execution that ended: its commands are refused for `reason`.
pub(super) async fn close(
    transaction: &DatabaseTransaction,
    execution_id: Uuid,
    reason: &str,
) -> StoreResult<()> {
    DROP_ALL_NEWS.run(transaction, vec![execution_id.into()]).await?;
    refuse_commands(transaction, execution_id, reason).await
}

/// Refuses the commands that were not applied yet; news of nodes stay for whoever takes the execution up again.
pub(super) async fn refuse_commands(
    transaction: &DatabaseTransaction,
    execution_id: Uuid,
    reason: &str,
) -> StoreResult<()> {
    REFUSE_ALL.run(transaction, vec![execution_id.into(), reason.into()]).await.map(|_| ())
}

fn inbox_row_of(row: Row<'_>) -> StoreResult<InboxRow> {
    let kind = row.text("kind")?;
    let entry = decode(&kind, &row.text("entry")?).ok_or_else(|| row.fault("entry"))?;
    Ok(InboxRow { position: row.long("position")?, entry })
}
