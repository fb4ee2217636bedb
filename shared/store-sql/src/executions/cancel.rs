//! Cancelling executions without their owners: those that nobody owns end at once, with everything below them.
//!
//! Nothing is undone here: a cancel that compensates is its owner's, once the execution has started.

use std::collections::{HashMap, HashSet};

use domain::id::ExecutionId;
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionStatus, TimelineEventKind};
use store::StoreResult;
use store::executions::{EventLine, InboxEntry};
use uuid::Uuid;

use crate::bind;
use crate::dialect::Dialect;
use crate::events::waits;
use crate::jobs::{end, status};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};
use crate::user_tasks::change::close_all;

use super::lock::{Locked, Moves, lock_children};
use super::parents::result_of;
use super::wake::wake;
use super::{inbox, read};

static OWN_JOBS: Sql =
    Sql::new("own_jobs", "SELECT id, state FROM job WHERE id {any $1 uuid} ORDER BY id {for_update}");

// Their own jobs, and jobs of nodes.
static UNFINISHED: Sql = Sql::new("unfinished_jobs", "SELECT id FROM job WHERE execution_id {any $1 uuid}");

static CANCEL: Sql = Sql::new(
    "cancel_executions",
    "UPDATE execution SET status = 'CANCELLED', completed_at = $2 WHERE id {any $1 uuid}",
);

/// Why children of a cancelled execution are cancelled.
const WITH_PARENT: &str = "the parent execution was cancelled";

/// Who has to do with an execution that is to be cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attendant {
    /// Its owner, which reads its inbox.
    Owner,
    /// Nobody, parked or not, and perhaps nobody for long: its workflow may be paused or at its limit.
    Nobody,
}

/// Who has to do with locked executions that have not ended, by their ids; locks their jobs.
pub(super) async fn attendants(
    on: &DatabaseTransaction,
    dialect: Dialect,
    executions: &[Locked],
) -> StoreResult<HashMap<Uuid, Attendant>> {
    let ids = bind::uuids(dialect, executions.iter().map(|locked| locked.job_id));
    let mut by_job: HashMap<Uuid, Attendant> = HashMap::new();
    for row in &OWN_JOBS.all(on, vec![ids]).await? {
        let row = Row::new("job", row);
        let attendant = match row.text("state")?.as_str() {
            status::PROCESSING => Attendant::Owner,
            _ => Attendant::Nobody,
        };
        by_job.insert(row.uuid("id")?, attendant);
    }
    let of = |locked: &Locked| (locked.id, by_job.get(&locked.job_id).copied().unwrap_or(Attendant::Nobody));
    Ok(executions.iter().map(of).collect())
}

/// An execution that was cancelled or has the cancel in its inbox now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touched {
    /// Which of the executions that were to be cancelled it is, or stands below of.
    pub(super) root: Uuid,
    /// The execution.
    pub(super) id: ExecutionId,
    /// Whether it is over.
    pub(super) has_ended: bool,
}

/// Why, and how, executions are cancelled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cancel<'a> {
    /// For the timeline.
    pub(super) reason: Option<&'a str>,
    /// Whether they undo first what they completed: then only those end here that have not started.
    pub(super) undoes: bool,
}

/// Cancels locked executions that have not ended, and their children with those that end here, level by level. Makes
/// no entries for parents.
pub(super) async fn cancel_down(
    on: &DatabaseTransaction,
    dialect: Dialect,
    roots: Vec<Locked>,
    Cancel { reason, undoes }: Cancel<'_>,
    now: Timestamp,
    moves: &mut Moves,
) -> StoreResult<Vec<Touched>> {
    let mut touched: Vec<Touched> = Vec::new();
    let mut root_of: HashMap<Uuid, Uuid> = roots.iter().map(|locked| (locked.id, locked.id)).collect();
    let mut level = roots;
    let mut reason = reason;
    while !level.is_empty() {
        let attendant = attendants(on, dialect, &level).await?;
        let ends_here = |locked: &Locked| {
            let has_nothing = !undoes || locked.status == ExecutionStatus::Pending;
            has_nothing && attendant[&locked.id] == Attendant::Nobody
        };
        let (free, owned): (Vec<&Locked>, Vec<&Locked>) = level.iter().partition(|locked| ends_here(locked));
        let cancel = InboxEntry::Cancel { reason: reason.map(str::to_owned), compensate: undoes };
        let entries: Vec<(Uuid, InboxEntry)> =
            owned.iter().map(|locked| (locked.id, cancel.clone())).collect();
        inbox::append_all(on, dialect, &entries, now).await?;
        let jobs: Vec<Uuid> = owned.iter().map(|locked| locked.job_id).collect();
        moves.revive(wake(on, dialect, &jobs, now).await?);
        let ids: Vec<Uuid> = free.iter().map(|locked| locked.id).collect();
        end_at_once(on, dialect, &ids, reason, now, moves).await?;
        touched.extend(level.iter().map(|locked| Touched {
            root: root_of[&locked.id],
            id: locked.execution_id(),
            has_ended: ends_here(locked),
        }));
        let children = lock_children(on, dialect, &ids).await?;
        for child in &children {
            if let Some(root) =
                child.parent.as_ref().and_then(|parent| root_of.get(&parent.execution_id.uuid()))
            {
                root_of.insert(child.id, *root);
            }
        }
        level = children;
        reason = Some(WITH_PARENT);
    }
    Ok(touched)
}

/// The entries for the inboxes of parents: one for each of these children that the cancel has ended.
pub(super) fn settled_at_once(children: &[Locked], touched: &[Touched]) -> Vec<(Uuid, InboxEntry)> {
    let ended: HashSet<ExecutionId> =
        touched.iter().filter(|touched| touched.has_ended).map(|touched| touched.id).collect();
    let entries = children.iter().filter(|child| ended.contains(&child.execution_id())).filter_map(|child| {
        let parent = child.parent.as_ref()?;
        let entry = InboxEntry::ChildSettled {
            node_id: parent.node_id.clone(),
            child_id: child.execution_id(),
            result: result_of(ExecutionStatus::Cancelled, None, None),
        };
        Some((parent.execution_id.uuid(), entry))
    });
    entries.collect()
}

/// Ends locked executions: CANCELLED, with their jobs and user tasks. Those that somebody owns only where nothing is to be
/// left of them: the owner finds its lease lost.
pub(crate) async fn end_at_once(
    on: &DatabaseTransaction,
    dialect: Dialect,
    ids: &[Uuid],
    reason: Option<&str>,
    now: Timestamp,
    moves: &mut Moves,
) -> StoreResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let list = || bind::uuids(dialect, ids.iter().copied());
    let rows = UNFINISHED.all(on, vec![list()]).await?;
    let jobs: Vec<Uuid> =
        rows.iter().map(|row| Row::new("job", row).uuid("id")).collect::<StoreResult<_>>()?;
    let (cancelled, admitted) = end::cancel(on, dialect, &jobs, now).await?;
    moves.cancel(cancelled);
    moves.revive(admitted);
    CANCEL.run(on, vec![list(), now.0.into()]).await?;
    moves.finish(ExecutionStatus::Cancelled, ids.len());
    close_all(on, ids, now).await?;
    waits::remove_all(on, dialect, ids).await?;
    let ended: Vec<(Uuid, ExecutionStatus)> =
        ids.iter().map(|id| (*id, ExecutionStatus::Cancelled)).collect();
    inbox::close(on, dialect, &ended).await?;
    let line = read::line(TimelineEventKind::ExecutionCancelled, reason.map(str::to_owned), now);
    let lines: Vec<(Uuid, &EventLine)> = ids.iter().map(|id| (*id, &line)).collect();
    read::append(on, dialect, &lines).await
}
