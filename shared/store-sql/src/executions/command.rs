//! Commands: recorded for the owner, or carried out at once where there is no owner.

use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::names::TenantName;
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionStatus, Refusal};
use sea_orm::DatabaseTransaction;
use store::StoreResult;
use store::executions::{Appended, CommandRecord, CommandStatus, InboxEntry};
use uuid::Uuid;

use crate::SqlStore;
use crate::jobs::end::{self, Ended};
use crate::jobs::revive::Revived;
use crate::jobs::states;
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

use super::events;
use super::inbox::{self, Standing};
use super::lock::{self, Locked};
use super::resume::{self, Resumed};

static OWN_JOB: Sql = Sql::new("own_job_state", "SELECT id, state FROM job WHERE id = $1 {for_update}");

// Its own job, and jobs of nodes where its own is lost.
static UNFINISHED: Sql = Sql::new("unfinished_jobs", "SELECT id FROM job WHERE execution_id = $1");

static CANCEL: Sql = Sql::new(
    "cancel_unstarted_execution",
    "UPDATE execution SET status = 'CANCELLED', completed_at = $2 WHERE id = $1",
);

static SUPERSEDE: Sql = Sql::new(
    "supersede_dead_letters",
    "UPDATE dead_letter SET status = 'archived', resolved_at = $2, archive_reason = 'superseded by retry of the execution'
     WHERE status = 'open' AND job_id IN (
       SELECT id FROM job_done WHERE execution_id = $1 AND status = 'DEAD_LETTER' UNION ALL SELECT $3)",
);

/// What a command came to, with what is to be told to the ring after the commit.
struct Outcome {
    standing: Standing,
    ended: Ended,
    revived: Option<Revived>,
}

impl Outcome {
    fn of(standing: Standing) -> Self {
        Self { standing, ended: Ended::default(), revived: None }
    }

    async fn bump(&self, on: &DatabaseTransaction) -> StoreResult<()> {
        self.ended.bump(on).await?;
        match &self.revived {
            Some(revived) => revived.bump(on).await,
            None => Ok(()),
        }
    }

    fn note(&self, store: &SqlStore) {
        self.ended.note(store);
        if let Some(revived) = &self.revived {
            revived.note(store);
        }
    }
}

/// Appends a command.
pub(super) async fn append(
    store: &SqlStore,
    scope: &TenantScope,
    id: ExecutionId,
    entry: &InboxEntry,
    now: Timestamp,
) -> StoreResult<Appended> {
    let transaction = store.pool().begin().await?;
    let Some(locked) = lock::lock(&transaction, scope, id).await? else {
        rollback(transaction).await;
        return Ok(Appended::NotFound);
    };
    let outcome = match entry {
        InboxEntry::Cancel { reason } => cancel(store, &transaction, &locked, reason.as_deref(), now).await?,
        InboxEntry::Retry => retry(&transaction, &locked, now).await?,
        InboxEntry::NodeSettled { .. } | InboxEntry::NodeRequeued { .. } => Outcome::of(Standing::Pending),
    };
    let position = inbox::append(&transaction, id.uuid(), entry, &outcome.standing, now).await?;
    outcome.bump(&transaction).await?;
    commit(transaction).await?;
    outcome.note(store);
    Ok(Appended::At(position))
}

/// An execution that nobody works on is cancelled at once; the owner of any other reads it in the inbox.
async fn cancel(
    store: &SqlStore,
    on: &DatabaseTransaction,
    locked: &Locked,
    reason: Option<&str>,
    now: Timestamp,
) -> StoreResult<Outcome> {
    if locked.status.is_terminal() {
        return Ok(Outcome::of(Standing::Refused(inbox::finished_reason(locked.status))));
    }
    let job = OWN_JOB.first(on, vec![locked.job_id.into()]).await?;
    let state = job.map(|row| Row::new("job", &row).text("state")).transpose()?;
    let has_owner = match state.as_deref() {
        None => false,
        Some(states::PROCESSING) => true,
        // Whoever takes it up next applies the cancel together with what is in the state already.
        Some(_) => locked.has_state,
    };
    if has_owner {
        return Ok(Outcome::of(Standing::Pending));
    }
    let jobs = UNFINISHED.all(on, vec![locked.id.into()]).await?;
    let jobs: Vec<Uuid> =
        jobs.iter().map(|row| Row::new("job", row).uuid("id")).collect::<StoreResult<_>>()?;
    let ended = end::cancel(on, store.dialect(), &jobs, now).await?;
    CANCEL.run(on, vec![locked.id.into(), now.0.into()]).await?;
    inbox::close(on, locked.id, &inbox::finished_reason(ExecutionStatus::Cancelled)).await?;
    let line = events::line("execution_cancelled", reason.map(str::to_owned), now);
    events::append(on, store.dialect(), locked.id, &[line]).await?;
    Ok(Outcome { standing: Standing::Applied, ended, revived: None })
}

/// Puts the job of a failed execution back; its owner applies the retry. The failed nodes get new jobs, so their
/// dead letters are closed.
async fn retry(on: &DatabaseTransaction, locked: &Locked, now: Timestamp) -> StoreResult<Outcome> {
    if locked.status != ExecutionStatus::Failed {
        let refusal = Refusal::NotFailed(locked.status.as_str());
        return Ok(Outcome::of(Standing::Refused(refusal.to_string())));
    }
    let revived = match resume::resume(on, locked, now).await? {
        Resumed::Running(revived) => revived,
        Resumed::Refused(reason) => return Ok(Outcome::of(Standing::Refused(reason.to_owned()))),
    };
    SUPERSEDE.run(on, vec![locked.id.into(), now.0.into(), locked.job_id.into()]).await?;
    Ok(Outcome { standing: Standing::Pending, ended: Ended::default(), revived })
}

/// A command by its position.
pub(super) async fn one(
    pool: &Pool,
    scope: &TenantScope,
    position: i64,
) -> StoreResult<Option<CommandRecord>> {
    let mut select = Select::new(
        "command",
        "SELECT i.position, i.execution_id, i.kind, i.status, i.reason
         FROM inbox i JOIN execution e ON e.id = i.execution_id
         WHERE i.kind NOT IN ('node_settled', 'node_requeued')",
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
    })
}
