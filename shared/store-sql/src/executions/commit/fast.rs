//! Steps that touch nothing but their executions and jobs of their nodes, new ones and completed ones: one statement that
//! is its own transaction. PostgreSQL only, where each round trip counts.

use std::collections::HashSet;
use std::time::Duration;

use domain::queue::{LaneId, QueueName};
use domain::time::Timestamp;
use sqlx::postgres::PgRow;
use store::executions::{Committed, EagerlyCommitted, ExecutionCommit};
use store::jobs::{ClaimRequest, Enqueued, LeaseAnswer, NewJob};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::ending::Parked;
use super::spawn::Spawn;
use super::write::{Written, add_completed, add_leases, add_written};
use crate::bind::{List, Parameters};
use crate::columns::{Arguments, Columns};
use crate::dialect::Dialect;
use crate::fast_paths::FastPath;
use crate::jobs::eager::{EagerLeasePermit, Opened, add_no_leave};
use crate::jobs::enqueue::{fit_one_statement, inserted_at_once};
use crate::jobs::enqueue_fast::add_rows_of;
use crate::sql::Sql;
use crate::{SqlStore, columns};

pub(super) static COMMIT: Sql =
    Sql::new("commit_fast_executions", include_str!("../../../sql/commit_fast_postgres.sql"));

const COLUMNS: &[&str] = &["id", "position", "state", "lane", "place", "at"];
const LANE: usize = 3;
const PLACE: usize = 4;

/// How long the statement may take; usual ones take milliseconds.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Whether the steps may take the fast path: each is plain, and each execution is named once.
pub(super) fn is_eligible(store: &SqlStore, commits: &[ExecutionCommit]) -> bool {
    let mut seen: HashSet<Uuid> = HashSet::with_capacity(commits.len());
    store.dialect() == Dialect::Postgres
        && commits.iter().all(|commit| {
            commit.is_plain() && fit_one_statement(&commit.enqueue) && seen.insert(commit.id.uuid())
        })
}

/// Commits the steps, all or nothing. `None`: they have to take the general path, and nothing was written.
pub(super) async fn commit(
    store: &SqlStore,
    commits: &[ExecutionCommit],
    spawn: &Spawn<'_>,
    (now, claim): (Timestamp, Option<&ClaimRequest>),
) -> StoreResult<Option<EagerlyCommitted>> {
    let numbers = store.memory().count_numbers();
    let steps: Vec<&ExecutionCommit> = commits.iter().collect();
    let (jobs, lanes): (Vec<NewJob>, Vec<LaneId>) = spawn.all().unzip();
    let leave = claim.and_then(|claim| EagerLeasePermit::try_acquire(store, &jobs, &lanes, claim));
    let mut arguments = Arguments::new();
    add_parameters(&mut arguments, &steps, (&jobs, &lanes), now);
    match &leave {
        Some(leave) => leave.add_parameters(&mut arguments),
        None => add_no_leave(&mut arguments),
    }
    // With leave, this node claims nothing meanwhile; a connection that went silent must not keep it from that for ever.
    let made = tokio::time::timeout(TIMEOUT, columns::all(store, &COMMIT, arguments)).await;
    let rows = made.unwrap_or_else(|elapsed| Err(StoreError::Unavailable { source: Box::new(elapsed) }))?;
    if rows.is_empty() {
        return Ok(None);
    }
    // The steps are committed: a row that cannot be read must not have them committed again.
    let Answered { made, ended, opened } = Answered::read(&rows).map_err(unsure)?;
    store.memory().record_ended(&numbers, &ended);
    let inserted = inserted_at_once(store, &jobs, &lanes, &made, now).await.map_err(unsure)?;
    inserted.record(store);
    let leased = leave.map(|leave| leave.record(opened, &inserted.answers)).unwrap_or_default();
    let mut rest = inserted.answers.into_iter();
    let answers = steps.iter().map(|step| {
        let enqueued: Vec<Enqueued> = rest.by_ref().take(step.enqueue.len()).collect();
        LeaseAnswer::Ok(Committed {
            freed_node_slots: !step.completed.is_empty(),
            enqueued,
            parked: false,
            goes_on: false,
            parent: None,
            touched_children: Vec::new(),
        })
    });
    Ok(Some(EagerlyCommitted { answers: answers.collect(), leased }))
}

/// Adds the parameters of the statement up to those of a leave: with the jobs that the steps enqueue, and their lanes.
pub(super) fn add_parameters(
    to: &mut impl Parameters,
    steps: &[&ExecutionCommit],
    (jobs, lanes): (&[NewJob], &[LaneId]),
    now: Timestamp,
) {
    let written = Written::of(steps);
    to.add_list(List::Longs(written.positions().collect()));
    add_written(to, steps, &written, &Parked::new(), now);
    add_leases(to, steps);
    to.add(now.0);
    add_rows_of(to, Dialect::Postgres, (jobs, lanes), 0..jobs.len(), now);
    add_completed(to, steps);
}

/// What the statement answered, beside the row that says that the gate is open.
struct Answered<'a> {
    /// Rows of new jobs.
    made: Vec<Columns<'a>>,
    /// The places of completed jobs.
    ended: Vec<(QueueName, LaneId)>,
    /// What is to be known of the leases, if jobs could be leased.
    opened: Option<Opened>,
}

impl<'a> Answered<'a> {
    fn read(rows: &'a [PgRow]) -> StoreResult<Self> {
        let (mut made, mut ended, mut opened) = (Vec::with_capacity(rows.len()), Vec::new(), None);
        for row in rows {
            let row = Columns::of_postgres("job", COLUMNS, row);
            if let Some(lane) = row.get_or_null(LANE)? {
                ended.push((QueueName::Node, LaneId(lane)));
                continue;
            }
            if opened.is_none() {
                opened = Opened::read(row, PLACE)?;
            }
            if row.get_or_null::<Uuid>(0)?.is_some() {
                made.push(row);
            }
        }
        Ok(Self { made, ended, opened })
    }
}

/// Something went wrong after the commit.
fn unsure(error: StoreError) -> StoreError {
    StoreError::Unavailable { source: Box::new(error) }
}

// Steps that end their executions as COMPLETED and entail nothing else: one statement that is its own transaction.
// PostgreSQL only, where each round trip counts.

pub(super) static FAST_END_COMMIT: Sql =
    Sql::new("commit_ending_executions", include_str!("../../../sql/commit_ends_postgres.sql"));

const FAST_END_COLUMNS: &[&str] = &["queue", "lane"];

/// Whether the steps may take the fast path: each is a plain end, and each execution is named once.
pub(super) fn can_end(store: &SqlStore, commits: &[ExecutionCommit]) -> bool {
    let mut seen: HashSet<Uuid> = HashSet::with_capacity(commits.len());
    store.dialect() == Dialect::Postgres
        && !store.memory().left_out.has(FastPath::LastStep)
        && commits.iter().all(|commit| commit.is_plain_end() && seen.insert(commit.id.uuid()))
}

/// Commits the steps, all or nothing. `None`: they have to take the general path, and nothing was written.
pub(super) async fn commit_end(
    store: &SqlStore,
    commits: &[ExecutionCommit],
    now: Timestamp,
) -> StoreResult<Option<Vec<LeaseAnswer<Committed>>>> {
    let numbers = store.memory().count_numbers();
    let steps: Vec<&ExecutionCommit> = commits.iter().collect();
    let mut arguments = Arguments::new();
    add_end_parameters(&mut arguments, &steps, now);
    let rows = columns::all(store, &FAST_END_COMMIT, arguments).await?;
    if rows.is_empty() {
        return Ok(None);
    }
    let ended = rows.iter().map(|row| {
        let row = Columns::of_postgres("job", FAST_END_COLUMNS, row);
        let queue = QueueName::from_code(row.get(0)?).ok_or_else(|| row.fault(0))?;
        Ok((queue, LaneId(row.get(1)?)))
    });
    let ended: Vec<(QueueName, LaneId)> = ended.collect::<StoreResult<_>>()?;
    store.memory().record_ended(&numbers, &ended);
    let answers = steps.iter().map(|step| {
        LeaseAnswer::Ok(Committed {
            enqueued: Vec::new(),
            freed_node_slots: !step.completed.is_empty(),
            parked: false,
            goes_on: false,
            parent: None,
            touched_children: Vec::new(),
        })
    });
    Ok(Some(answers.collect()))
}

/// Adds the parameters of the statement. The entries that were applied go with all others: it does not ask for their
/// positions.
pub(super) fn add_end_parameters(to: &mut impl Parameters, steps: &[&ExecutionCommit], now: Timestamp) {
    add_written(to, steps, &Written::of(steps), &Parked::new(), now);
    add_leases(to, steps);
    to.add(now.0);
    add_completed(to, steps);
}
