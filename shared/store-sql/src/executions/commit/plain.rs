//! Steps that touch nothing but their executions and jobs of their nodes, new ones and completed ones: one statement that
//! is its own transaction. PostgreSQL only, where each round trip counts.

use std::collections::HashSet;
use std::time::Duration;

use domain::lane::LaneId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use sea_orm::{QueryResult, Value};
use store::executions::{Committed, EagerlyCommitted, ExecutionCommit};
use store::jobs::{ClaimRequest, Enqueued, LeaseAnswer, NewJob};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use crate::SqlStore;
use crate::dialect::Dialect;
use crate::jobs::eager::{Leave, no_leave};
use crate::jobs::enqueue::{fit_one_statement, inserted_at_once};
use crate::jobs::enqueue_rows::rows_of;
use crate::rows::Row;
use crate::sql::Sql;

use super::park::Parked;
use super::spawn::Spawn;
use super::write::{Written, completed_of, leases_of, values_of};

pub(super) static COMMIT: Sql =
    Sql::new("commit_plain_executions", include_str!("../../../sql/commit_plain_postgres.sql"));

/// How long the statement may take; usual ones take milliseconds.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Whether the steps may go this way: each is plain, and each execution is named once.
pub(super) fn fits(store: &SqlStore, commits: &[ExecutionCommit]) -> bool {
    let mut seen: HashSet<Uuid> = HashSet::with_capacity(commits.len());
    store.dialect() == Dialect::Postgres
        && commits.iter().all(|commit| {
            commit.is_plain() && fit_one_statement(&commit.enqueue) && seen.insert(commit.id.uuid())
        })
}

/// Commits the steps, all or nothing. `None`: they have to go the long way, and nothing was written.
pub(super) async fn commit(
    store: &SqlStore,
    commits: &[ExecutionCommit],
    spawn: &Spawn<'_>,
    (now, claim): (Timestamp, Option<&ClaimRequest>),
) -> StoreResult<Option<EagerlyCommitted>> {
    let numbers = store.memory().count_numbers();
    let steps: Vec<&ExecutionCommit> = commits.iter().collect();
    let (jobs, lanes): (Vec<NewJob>, Vec<LaneId>) = spawn.all().unzip();
    let leave = claim.and_then(|claim| Leave::ask(store, &jobs, &lanes, claim));
    let mut values = values(&steps, &jobs, &lanes, now);
    values.extend(leave.as_ref().map_or_else(no_leave, Leave::values));
    // With leave, this node claims nothing meanwhile; a connection that went silent must not keep it from that for ever.
    let made = tokio::time::timeout(TIMEOUT, COMMIT.all(store.pool().write(), values)).await;
    let mut rows =
        made.unwrap_or_else(|elapsed| Err(StoreError::Unavailable { source: Box::new(elapsed) }))?;
    if rows.is_empty() {
        return Ok(None);
    }
    // The steps are committed: a row that cannot be read must not have them committed again.
    let (ended, place) = take_others(&mut rows).map_err(unsure)?;
    store.memory().note_ended(&numbers, &ended);
    let inserted = inserted_at_once(store, &jobs, &lanes, &rows, now).await.map_err(unsure)?;
    inserted.note(store);
    let leased = leave.map(|leave| leave.note(place, &inserted.answers)).unwrap_or_default();
    let mut rest = inserted.answers.into_iter();
    let answers = steps.iter().map(|step| {
        let enqueued: Vec<Enqueued> = rest.by_ref().take(step.enqueue.len()).collect();
        LeaseAnswer::Ok(Committed {
            freed_node_slots: !step.completed.is_empty() || enqueued.iter().any(|answer| !answer.existing),
            enqueued,
            parked: false,
            parent: None,
            cancelled_children: Vec::new(),
        })
    });
    Ok(Some(EagerlyCommitted { answers: answers.collect(), leased }))
}

/// The parameters of the statement up to those of a leave: with the jobs that the steps enqueue, and their lanes.
pub(super) fn values(
    steps: &[&ExecutionCommit],
    jobs: &[NewJob],
    lanes: &[LaneId],
    now: Timestamp,
) -> Vec<Value> {
    let all: Vec<usize> = (0..jobs.len()).collect();
    let mut values = values_of(steps, &Written::of(steps), &Parked::new(), now);
    values.extend(leases_of(steps));
    values.push(now.0.into());
    values.extend(rows_of(Dialect::Postgres, jobs, lanes, &all, now));
    values.extend(completed_of(steps));
    values
}

/// Takes the rows out that are none of new jobs: those of completed jobs, which are answered as places, and the one that
/// says that the gate is open. Answers with them where the claim row lies, if jobs could be leased.
fn take_others(rows: &mut Vec<QueryResult>) -> StoreResult<(Vec<(QueueName, LaneId)>, Option<String>)> {
    let (mut ended, mut place) = (Vec::new(), None);
    let mut made = Vec::with_capacity(rows.len());
    for row in rows.drain(..) {
        let columns = Row::new("job", &row);
        place = columns.text_or_null("place")?.or(place);
        if columns.uuid_or_null("id")?.is_some() {
            made.push(row);
        } else if columns.long_or_null("lane")?.is_some() {
            ended.push((QueueName::Node, LaneId(columns.int("lane")?)));
        }
    }
    *rows = made;
    Ok((ended, place))
}

/// Something went wrong after the commit.
fn unsure(error: StoreError) -> StoreError {
    StoreError::Unavailable { source: Box::new(error) }
}
