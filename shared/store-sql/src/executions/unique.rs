//! Starting executions with unique keys, one after the other for each key.
//!
//! Who starts an execution with a key, or lets the next one go, holds the lock of the key: on PostgreSQL an advisory lock
//! that ends with the transaction, on SQLite the transaction itself. It is taken before any row, and ends of executions
//! do not take it: what waits is let go in a transaction of its own after them, and by upkeep where that was lost. Who lets
//! a failed execution run again holds it as well (`parents.rs`).

use std::slice;

use domain::id::{CommandId, ExecutionId, JobId};
use domain::job::JobStatus;
use domain::names::{CallerKey, TenantName};
use domain::queue::{LaneId, WorkflowRef};
use domain::time::Timestamp;
use domain::workflow::unique::{UNIQUE_QUEUE_MAX, UniqueDecision, decide, lock_number};
use store::audit::take_lines;
use store::executions::{InboxEntry, UniqueKey, UniqueStart, UniqueStarted};
use store::jobs::Enqueued;
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::cancel::{Cancel, cancel_down};
use super::create::{NewRow, create_in};
use super::inbox::{self, Standing};
use super::lock::{Locked, Moves, lock_family, lock_unique_key, mark_inbox_changed};
use super::wake::wake;
use crate::SqlStore;
use crate::audit;
use crate::dialect::Dialect;
use crate::jobs::enqueue::{Inserted, prepare};
use crate::jobs::revive::Revived;
use crate::pool::{Pool, commit, commit_change, rollback};
use crate::rows::{Row, workflow_columns, workflow_ref};
use crate::sql::{DatabaseTransaction, Sql};

static KNOWN: Sql = Sql::new(
    "known_unique_execution",
    "SELECT e.job_id, COALESCE(e.unique_held, 0) AS held, COALESCE(j.position, d.position, 0) AS position
     FROM execution e LEFT JOIN job j ON j.id = e.job_id LEFT JOIN job_done d ON d.id = e.job_id
     WHERE e.id = $1",
);

// Index: inbox_command.
static SIGNALLED: Sql = Sql::new(
    "execution_that_has_command",
    "SELECT e.id, e.job_id, COALESCE(j.position, d.position, 0) AS position, i.position AS command_position
     FROM inbox i JOIN execution e ON e.id = i.execution_id
     LEFT JOIN job j ON j.id = e.job_id LEFT JOIN job_done d ON d.id = e.job_id
     WHERE i.command_id = $1",
);

// What is under way comes first, also one that failed and runs again, which has a new position. Positions of the others are
// given while the lock of the key is held, so they are the order of the starts. Index: execution_unique.
// $1 tenant, $2 owner, $3 workflow, $4 key, $5 how many
static OPEN: Sql = Sql::new(
    "open_unique_executions",
    "SELECT e.id, e.job_id, COALESCE(e.unique_held, 0) AS held, COALESCE(j.position, 0) AS position
     FROM execution e LEFT JOIN job j ON j.id = e.job_id
     WHERE e.tenant = $1 AND e.workflow_owner = $2 AND e.workflow = $3 AND e.unique_key = $4
       AND e.unique_key IS NOT NULL AND e.completed_at IS NULL
     ORDER BY COALESCE(e.unique_held, 0), COALESCE(j.position, 0), e.id LIMIT $5",
);

static MARK: Sql =
    Sql::new("mark_unique_execution", "UPDATE execution SET unique_key = $2, unique_held = $3 WHERE id = $1");

static HOLD: Sql = Sql::new(
    "hold_unique_job",
    "UPDATE job SET state = 'blocked' WHERE id = $1 AND state IN ('queued', 'scheduled')",
);

static FREE: Sql = Sql::new("free_unique_execution", "UPDATE execution SET unique_held = NULL WHERE id = $1");

// One that is due later waits for that.
// $2 now
static RELEASE: Sql = Sql::new(
    "release_unique_job",
    "UPDATE job SET state = CASE WHEN run_at > $2 THEN 'scheduled' ELSE 'queued' END,
       queued_at = CASE WHEN run_at > $2 THEN queued_at ELSE $2 END, run_at = CASE WHEN run_at > $2 THEN run_at ELSE $2 END
     WHERE id = $1 AND state || '' = 'blocked' AND concurrency_key IS NULL
     RETURNING queue, lane, position, state",
);

// Those that wait although no other with their key is before them. Indexes: execution_held, execution_unique.
static LEFT: Sql = Sql::new(
    "unique_keys_left",
    "SELECT DISTINCT h.tenant, h.workflow_owner, h.workflow, h.unique_key FROM execution h
     WHERE h.unique_held = 1 AND h.completed_at IS NULL AND NOT EXISTS (
       SELECT 1 FROM execution o
       WHERE o.tenant = h.tenant AND o.workflow_owner = h.workflow_owner AND o.workflow = h.workflow
         AND o.unique_key = h.unique_key AND o.unique_key IS NOT NULL AND o.completed_at IS NULL
         AND o.unique_held IS NULL)
     LIMIT $1",
);

/// An open execution with the key.
struct Open {
    id: Uuid,
    job_id: Uuid,
    position: i64,
    is_held: bool,
}

async fn lock_key(
    on: &DatabaseTransaction,
    dialect: Dialect,
    tenant: &TenantName,
    workflow: &WorkflowRef,
    key: &CallerKey,
) -> StoreResult<()> {
    let (owner, name) = workflow_columns(Some(workflow));
    lock_unique_key(on, dialect, lock_number(tenant.as_str(), (owner, name), key.as_str())).await
}

async fn open(
    on: &DatabaseTransaction,
    tenant: &TenantName,
    workflow: &WorkflowRef,
    key: &CallerKey,
    limit: usize,
) -> StoreResult<Vec<Open>> {
    let (owner, name) = workflow_columns(Some(workflow));
    let values =
        vec![tenant.as_str().into(), owner.into(), name.into(), key.as_str().into(), (limit as i64).into()];
    let rows = OPEN.all(on, values).await?;
    rows.iter()
        .map(|row| {
            let row = Row::new("execution", row);
            Ok(Open {
                id: row.uuid("id")?,
                job_id: row.uuid("job_id")?,
                position: row.long("position")?,
                is_held: row.long("held")? != 0,
            })
        })
        .collect()
}

/// The transaction of one start.
struct Start<'a> {
    on: &'a DatabaseTransaction,
    store: &'a SqlStore,
    request: &'a UniqueStart,
    now: Timestamp,
}

/// `ExecutionStore::start_unique`. May be repeated: an execution that is there already is the answer.
pub(super) async fn start(
    store: &SqlStore,
    start: &UniqueStart,
    now: Timestamp,
) -> StoreResult<UniqueStarted> {
    let job = slice::from_ref(&start.execution.job);
    let lanes = prepare(store, job, now).await?;
    let mut moves = Moves::none(store);
    let transaction = store.pool().begin().await?;
    let execution = &start.execution;
    let (tenant, workflow, key) = (&execution.job.tenant, &execution.workflow, &start.key);
    lock_key(&transaction, store.dialect(), tenant, workflow, key).await?;
    if let Some(known) = known(&transaction, start).await? {
        rollback(transaction).await;
        return Ok(known);
    }
    if let Some((command, _)) = &start.signal
        && let Some(joined) = signalled(&transaction, *command).await?
    {
        rollback(transaction).await;
        return Ok(joined);
    }
    let open = open(&transaction, tenant, workflow, key, UNIQUE_QUEUE_MAX + 2).await?;
    let step = Start { on: &transaction, store, request: start, now };
    let decision = decide(start.policy, open.len());
    let (replaces, is_held) = match decision {
        _ if start.is_over_quota && decision.creates() => {
            rollback(transaction).await;
            return Ok(UniqueStarted::OverQuota);
        }
        UniqueDecision::Reject => {
            rollback(transaction).await;
            return Ok(UniqueStarted::Exists(ExecutionId::from_uuid(open[0].id)));
        }
        UniqueDecision::Full => {
            rollback(transaction).await;
            return Ok(UniqueStarted::QueueFull);
        }
        UniqueDecision::Join => match step.join(&open[0], &mut moves).await? {
            Some(refused @ (UniqueStarted::InboxFull | UniqueStarted::OverQuota)) => {
                rollback(transaction).await;
                return Ok(refused);
            }
            Some(joined) => {
                moves.bump(&transaction, &[]).await?;
                commit(transaction).await?;
                moves.record(store, &[]);
                return Ok(joined);
            }
            // It ended meanwhile, and nobody else can have started one.
            None => (Vec::new(), open.len() > 1),
        },
        UniqueDecision::Replace => step.replace(&open, &mut moves).await?,
        UniqueDecision::Wait => (Vec::new(), true),
        UniqueDecision::Start => (Vec::new(), false),
    };
    let (inserted, command_position) = step.create(&lanes, is_held).await?;
    let inserted = [inserted];
    moves.bump(&transaction, &inserted).await?;
    commit_change(transaction).await?;
    moves.record(store, &inserted);
    let job = inserted[0].answers.first().cloned();
    let job =
        job.ok_or_else(|| StoreError::Contended { source: "an execution is created elsewhere".into() })?;
    Ok(UniqueStarted::Started { job, is_held, replaces, command_position })
}

/// The answer to a start that was made before.
async fn known(on: &DatabaseTransaction, start: &UniqueStart) -> StoreResult<Option<UniqueStarted>> {
    let (id, job_id) = (start.execution.id, start.execution.job.id);
    let Some(row) = KNOWN.first(on, vec![id.uuid().into()]).await? else {
        return Ok(None);
    };
    let row = Row::new("execution", &row);
    let position = row.long("position")?;
    let job = Enqueued { id: job_id, position, status: JobStatus::Queued, existing: true };
    let is_held = row.long("held")? != 0;
    let command_position = match &start.signal {
        Some((command, _)) => inbox::position_of(on, id.uuid(), *command).await?,
        None => None,
    };
    Ok(Some(UniqueStarted::Started { job, is_held, replaces: Vec::new(), command_position }))
}

/// The answer to a start that became a signal before: to an execution that may have ended by now.
async fn signalled(on: &DatabaseTransaction, command: CommandId) -> StoreResult<Option<UniqueStarted>> {
    let Some(row) = SIGNALLED.first(on, vec![command.uuid().into()]).await? else {
        return Ok(None);
    };
    let row = Row::new("inbox", &row);
    Ok(Some(UniqueStarted::Joined {
        id: ExecutionId::from_uuid(row.uuid("id")?),
        job_id: JobId::from_uuid(row.uuid("job_id")?),
        position: row.long("position")?,
        command_position: Some(row.long("command_position")?),
    }))
}

impl Start<'_> {
    /// Gives the signal to the open execution. `None` where it has ended meanwhile, and another one may be created: ends do
    /// not wait for starts.
    async fn join(&self, open: &Open, moves: &mut Moves) -> StoreResult<Option<UniqueStarted>> {
        let joined = |command_position| UniqueStarted::Joined {
            id: ExecutionId::from_uuid(open.id),
            job_id: JobId::from_uuid(open.job_id),
            position: open.position,
            command_position,
        };
        let Some((command, entry)) = &self.request.signal else {
            return Ok(Some(joined(None)));
        };
        let dialect = self.store.dialect();
        let family = lock_family(self.on, dialect, &[open.id], &[], &[]).await?;
        let locked = family.locked.get(&open.id).filter(|locked| !locked.status.is_terminal());
        let Some(locked) = locked else {
            return Ok(self.request.is_over_quota.then_some(UniqueStarted::OverQuota));
        };
        if inbox::is_full(self.on, locked.id).await? {
            return Ok(Some(UniqueStarted::InboxFull));
        }
        let position = self.append(locked.id, (*command, entry)).await?;
        mark_inbox_changed(self.on, dialect, locked.id).await?;
        moves.revive(wake(self.on, dialect, slice::from_ref(&locked.job_id), self.now).await?);
        // The start became a signal to this execution; one without a signal changes nothing.
        let mut lines = take_lines();
        for line in &mut lines {
            line.subject = ExecutionId::from_uuid(locked.id).to_string();
        }
        audit::append(self.on, dialect, &lines).await?;
        Ok(Some(joined(Some(position))))
    }

    /// Cancels all that are open. Answers them, and whether any of them has still to end.
    async fn replace(&self, open: &[Open], moves: &mut Moves) -> StoreResult<(Vec<ExecutionId>, bool)> {
        let dialect = self.store.dialect();
        let ids: Vec<Uuid> = open.iter().map(|open| open.id).collect();
        let family = lock_family(self.on, dialect, &ids, &[], &[]).await?;
        let there: Vec<Locked> = ids
            .iter()
            .filter_map(|id| family.locked.get(id))
            .filter(|locked| !locked.status.is_terminal())
            .cloned()
            .collect();
        if there.is_empty() {
            return Ok((Vec::new(), false));
        }
        let replaces = there.iter().map(Locked::execution_id).collect();
        let reason = format!("replaced by {}", self.request.execution.id);
        let cancel = Cancel { reason: Some(&reason), undoes: false };
        let touched = cancel_down(self.on, dialect, there, cancel, self.now, moves).await?;
        for touched in touched.iter().filter(|touched| !touched.has_ended) {
            mark_inbox_changed(self.on, dialect, touched.id.uuid()).await?;
        }
        let is_root = |id: ExecutionId| ids.contains(&id.uuid());
        let is_held = touched.iter().any(|touched| is_root(touched.id) && !touched.has_ended);
        Ok((replaces, is_held))
    }

    /// Creates the execution, its job held where it waits for others, with the signal in its inbox.
    async fn create(&self, lanes: &[LaneId], is_held: bool) -> StoreResult<(Inserted, Option<i64>)> {
        let execution = &self.request.execution;
        let (id, job) = (execution.id.uuid(), slice::from_ref(&execution.job));
        let inserted = create_in(self.on, &[NewRow::of(execution)], job, lanes, self.now).await?;
        let held: Option<i16> = is_held.then_some(1);
        MARK.run(self.on, vec![id.into(), self.request.key.as_str().into(), held.into()]).await?;
        if is_held {
            HOLD.run(self.on, vec![execution.job.id.uuid().into()]).await?;
        }
        let position = match &self.request.signal {
            Some((command, entry)) => Some(self.append(id, (*command, entry)).await?),
            None => None,
        };
        Ok((inserted, position))
    }

    async fn append(&self, id: Uuid, (command, entry): (CommandId, &InboxEntry)) -> StoreResult<i64> {
        let tenant = &self.request.execution.job.tenant;
        let stored = self.store.sealer().current().sealed_entry(tenant, id, entry)?;
        inbox::append(self.on, (id, Some(command)), &stored, &Standing::Pending, self.now).await
    }
}

/// Lets the first execution with a key go, if it waits and no other is under way. Answers whether it did.
pub(super) async fn admit(store: &SqlStore, unique: &UniqueKey, now: Timestamp) -> StoreResult<bool> {
    let mut moves = Moves::none(store);
    let transaction = store.pool().begin().await?;
    let UniqueKey { tenant, workflow, key } = unique;
    lock_key(&transaction, store.dialect(), tenant, workflow, key).await?;
    let first = open(&transaction, tenant, workflow, key, 1).await?.into_iter().next();
    let Some(first) = first.filter(|first| first.is_held) else {
        rollback(transaction).await;
        return Ok(false);
    };
    // Rows of executions before those of jobs, as everywhere.
    FREE.run(&transaction, vec![first.id.into()]).await?;
    let released = RELEASE.all(&transaction, vec![first.job_id.into(), now.0.into()]).await?;
    moves.revive(Revived::queued(&released)?);
    moves.bump(&transaction, &[]).await?;
    commit(transaction).await?;
    moves.record(store, &[]);
    Ok(true)
}

/// Keys whose first execution waits for nobody.
pub(super) async fn left(pool: &Pool, limit: u32) -> StoreResult<Vec<UniqueKey>> {
    let rows = LEFT.all(pool.read(), vec![i64::from(limit).into()]).await?;
    rows.iter()
        .map(|row| {
            let row = Row::new("execution", row);
            Ok(UniqueKey {
                tenant: row.name("tenant", TenantName::trusted)?,
                workflow: workflow_ref(row.text("workflow_owner")?, row.text("workflow")?),
                key: row.name("unique_key", CallerKey::trusted)?,
            })
        })
        .collect()
}
