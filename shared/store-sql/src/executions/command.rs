//! Commands: recorded for the owner, or carried out at once where there is no owner.

use std::borrow::Cow;
use std::slice;

use domain::access::TenantScope;
use domain::id::{CommandId, ExecutionId};
use domain::names::TenantName;
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionStatus, Refusal};
use store::StoreResult;
use store::audit::AuditRecord;
use store::executions::{Appended, CommandRecord, CommandStatus, InboxEntry};
use uuid::Uuid;

use crate::SqlStore;
use crate::audit;
use crate::dialect::Dialect;
use crate::jobs::status;
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::{DatabaseTransaction, Sql};

use super::cancel::{Attendant, Cancel, attendants, cancel_down};
use super::inbox::{self, Standing};
use super::lock::{Family, Locked, Moves, lock, lock_family, mark_inbox_changed};
use super::parents::{ChildEnd, lock_line, notify_parent, result_of, resume_above};
use super::wake;
use super::wake::{Resumed, wake};

static JOB_STATE: Sql = Sql::new("own_job_state", "SELECT id, state FROM job WHERE id = $1");

static SUPERSEDE: Sql = Sql::new(
    "supersede_dead_letters",
    "UPDATE dead_letter SET status = 'archived', resolved_at = $2, archive_reason = 'superseded by retry of the execution'
     WHERE status = 'open' AND job_id IN (
       SELECT id FROM job_done WHERE execution_id = $1 AND status = 'DEAD_LETTER' UNION ALL SELECT $3)",
);

/// The transaction of one command.
struct Command<'a> {
    on: &'a DatabaseTransaction,
    dialect: Dialect,
    locked: &'a Locked,
    family: &'a Family,
    now: Timestamp,
}

/// Appends a command.
pub(super) async fn append(
    store: &SqlStore,
    (scope, id): (&TenantScope, ExecutionId),
    (command_id, entry): (CommandId, &InboxEntry),
    lines: &[AuditRecord],
    now: Timestamp,
) -> StoreResult<Appended> {
    let mut moves = Moves::none(store);
    let transaction = store.pool().begin().await?;
    let family = lock_for(&transaction, store.dialect(), id.uuid(), entry).await?;
    let in_scope = |locked: &&Locked| scope.tenant().is_none_or(|tenant| *tenant == locked.tenant);
    let Some(locked) = family.locked.get(&id.uuid()).filter(in_scope) else {
        rollback(transaction).await;
        return Ok(Appended::NotFound);
    };
    // Whoever appended it before held the row as well.
    if let Some(position) = inbox::position_of(&transaction, locked.id, command_id).await? {
        rollback(transaction).await;
        return Ok(Appended::At(position));
    }
    let is_bounded = !matches!(entry, InboxEntry::Cancel { .. } | InboxEntry::Retry);
    if is_bounded && !locked.status.is_terminal() && inbox::is_full(&transaction, locked.id).await? {
        rollback(transaction).await;
        return Ok(Appended::Full);
    }
    let command = Command { on: &transaction, dialect: store.dialect(), locked, family: &family, now };
    let standing = match entry {
        InboxEntry::Cancel { reason, compensate } => {
            command.cancel(reason.as_deref(), *compensate, &mut moves).await?
        }
        InboxEntry::Retry => match command.retry(&mut moves).await? {
            Ok(()) => Standing::Pending,
            Err(reason) => {
                rollback(transaction).await;
                return refuse(store, (id, command_id), (entry, lines), reason, now).await;
            }
        },
        _ if locked.status.is_terminal() => Standing::Refused(inbox::finished_reason(locked.status)),
        _ => Standing::Pending,
    };
    let stored = store.sealer().current().sealed_entry(&locked.tenant, locked.id, entry)?;
    let position =
        inbox::append(&transaction, (locked.id, Some(command_id)), &stored, &standing, now).await?;
    if standing == Standing::Pending {
        mark_inbox_changed(&transaction, store.dialect(), locked.id).await?;
        moves.revive(wake(&transaction, store.dialect(), slice::from_ref(&locked.job_id), now).await?);
    }
    audit::append(&transaction, store.dialect(), &as_it_stands(lines, &standing)).await?;
    moves.bump(&transaction, &[]).await?;
    commit(transaction).await?;
    moves.record(store, &[]);
    Ok(Appended::At(position))
}

/// The lines of a command; one that cannot be carried out is refused in the log as well.
fn as_it_stands<'a>(lines: &'a [AuditRecord], standing: &Standing) -> Cow<'a, [AuditRecord]> {
    let Standing::Refused(reason) = standing else {
        return Cow::Borrowed(lines);
    };
    let refused = |line: &AuditRecord| AuditRecord {
        outcome: Some("refused".to_owned()),
        reason: Some(reason.clone()),
        ..line.clone()
    };
    Cow::Owned(lines.iter().map(refused).collect())
}

/// Records a command that cannot be carried out.
async fn refuse(
    store: &SqlStore,
    (id, command_id): (ExecutionId, CommandId),
    (entry, lines): (&InboxEntry, &[AuditRecord]),
    reason: String,
    now: Timestamp,
) -> StoreResult<Appended> {
    let transaction = store.pool().begin().await?;
    if lock(&transaction, &TenantScope::All, id).await?.is_none() {
        rollback(transaction).await;
        return Ok(Appended::NotFound);
    }
    // The lock was given up in between: the same command may have come from another process that took the call over.
    if let Some(position) = inbox::position_of(&transaction, id.uuid(), command_id).await? {
        rollback(transaction).await;
        return Ok(Appended::At(position));
    }
    let standing = Standing::Refused(reason);
    let position = inbox::append(&transaction, (id.uuid(), Some(command_id)), entry, &standing, now).await?;
    audit::append(&transaction, store.dialect(), &as_it_stands(lines, &standing)).await?;
    commit(transaction).await?;
    Ok(Appended::At(position))
}

/// Locks an execution; its parent before it where that may have to be notified of its end, and all above it where they
/// may go on with it.
async fn lock_for(
    on: &DatabaseTransaction,
    dialect: Dialect,
    id: Uuid,
    entry: &InboxEntry,
) -> StoreResult<Family> {
    let with_parents: &[Uuid] = match entry {
        InboxEntry::Cancel { .. } => &[id],
        InboxEntry::Retry => return lock_line(on, ExecutionId::from_uuid(id)).await,
        _ => &[],
    };
    lock_family(on, dialect, &[id], with_parents, &[]).await
}

impl Command<'_> {
    /// An execution that nobody works on is cancelled at once, parked or waiting for its turn: its workflow may be
    /// paused or at its limit. The owner of any other reads it in the inbox. To undo what completed takes an owner.
    async fn cancel(
        &self,
        reason: Option<&str>,
        compensate: bool,
        moves: &mut Moves,
    ) -> StoreResult<Standing> {
        let (on, dialect, locked) = (self.on, self.dialect, self.locked);
        if locked.status.is_terminal() {
            return Ok(Standing::Refused(inbox::finished_reason(locked.status)));
        }
        let is_started = locked.status != ExecutionStatus::Pending;
        if (compensate && is_started) || self.is_owned().await? {
            return Ok(Standing::Pending);
        }
        if attendants(on, dialect, slice::from_ref(locked)).await?.get(&locked.id) != Some(&Attendant::Nobody)
        {
            return Ok(Standing::Pending);
        }
        let cancel = Cancel { reason, undoes: false };
        cancel_down(on, dialect, vec![locked.clone()], cancel, self.now, moves).await?;
        let end = ChildEnd { locked, result: result_of(ExecutionStatus::Cancelled, None, None) };
        moves.revive(notify_parent(on, dialect, &self.family.locked, &[end], self.now).await?);
        Ok(Standing::Applied)
    }

    /// Whether the job is leased, as far as can be said without its row being locked.
    async fn is_owned(&self) -> StoreResult<bool> {
        let Some(row) = JOB_STATE.first(self.on, vec![self.locked.job_id.into()]).await? else {
            return Ok(false);
        };
        Ok(Row::new("job", &row).text("state")? == status::PROCESSING)
    }

    /// Lets a failed execution go on, and those above that failed with it; `Err` says why not.
    async fn retry(&self, moves: &mut Moves) -> StoreResult<Result<(), String>> {
        let (on, locked, now) = (self.on, self.locked, self.now);
        if locked.status != ExecutionStatus::Failed {
            return Ok(Err(Refusal::NotFailed(locked.status.as_str()).to_string()));
        }
        match resume_above(on, self.family, locked, now).await? {
            Ok(above) => above.into_iter().for_each(|revived| moves.revive(revived)),
            Err(reason) => return Ok(Err(reason.to_owned())),
        }
        match retry_failed(on, locked, now).await? {
            Resumed::Running(revived) => moves.revive(revived),
            Resumed::Refused(reason) => return Ok(Err(reason.to_owned())),
        }
        Ok(Ok(()))
    }
}

/// The position of a command by its id.
pub(super) async fn position(pool: &Pool, scope: &TenantScope, id: CommandId) -> StoreResult<Option<i64>> {
    let mut select = Select::new(
        "command_position",
        "SELECT i.position FROM inbox i JOIN execution e ON e.id = i.execution_id WHERE true",
    );
    select.with("AND i.command_id = $?", id.uuid());
    select.with_some("AND e.tenant = $?", scope.tenant().map(TenantName::as_str));
    let row = select.first(pool.read()).await?;
    row.map(|row| Row::new("inbox", &row).long("position")).transpose()
}

/// Puts the job of a failed execution back; its owner applies the retry, whose entry is the caller's to append. The
/// failed nodes get new jobs, so their dead letters are closed.
pub(super) async fn retry_failed(
    on: &DatabaseTransaction,
    locked: &Locked,
    now: Timestamp,
) -> StoreResult<Resumed> {
    let resumed = wake::resume_failed(on, locked, ExecutionStatus::Running, now).await?;
    if let Resumed::Running(_) = resumed {
        SUPERSEDE.run(on, vec![locked.id.into(), now.0.into(), locked.job_id.into()]).await?;
    }
    Ok(resumed)
}

/// A command by its position.
pub(super) async fn one(
    pool: &Pool,
    scope: &TenantScope,
    position: i64,
) -> StoreResult<Option<CommandRecord>> {
    let mut select = Select::new(
        "command",
        "SELECT i.position, i.execution_id, i.kind, i.status, i.reason, i.step
         FROM inbox i JOIN execution e ON e.id = i.execution_id
         WHERE i.kind NOT IN ('node_settled', 'node_requeued', 'child_settled')",
    );
    select.with("AND i.position = $?", position);
    select.with_some("AND e.tenant = $?", scope.tenant().map(TenantName::as_str));
    let row = select.first(pool.read()).await?;
    row.map(|row| command_of(Row::new("inbox", &row))).transpose()
}

fn command_of(row: Row<'_>) -> StoreResult<CommandRecord> {
    let reason = row.text_or_null("reason")?;
    let status = match row.text("status")?.as_str() {
        "pending" => CommandStatus::Pending,
        "applied" => CommandStatus::Applied,
        "refused" => CommandStatus::Refused(reason.unwrap_or_default()),
        _ => return Err(row.fault("status")),
    };
    Ok(CommandRecord {
        position: row.long("position")?,
        execution_id: ExecutionId::from_uuid(row.uuid("execution_id")?),
        intent: row.text("kind")?,
        status,
        step: row.long_or_null("step")?,
    })
}
