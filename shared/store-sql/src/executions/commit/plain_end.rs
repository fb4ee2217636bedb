//! Steps that end their executions as COMPLETED and entail nothing else: one statement that is its own transaction.
//! PostgreSQL only, where each round trip counts.

use std::collections::HashSet;

use domain::lane::LaneId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use sea_orm::Value;
use store::StoreResult;
use store::executions::{Committed, ExecutionCommit};
use store::jobs::LeaseAnswer;
use uuid::Uuid;

use crate::SqlStore;
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::sql::Sql;

use super::park::Parked;
use super::write::{Written, completed_of, leases_of, values_of};

pub(super) static COMMIT: Sql =
    Sql::new("commit_ending_executions", include_str!("../../../sql/commit_ends_postgres.sql"));

/// Whether the steps may go this way: each is a plain end, and each execution is named once.
pub(super) fn fits(store: &SqlStore, commits: &[ExecutionCommit]) -> bool {
    let mut seen: HashSet<Uuid> = HashSet::with_capacity(commits.len());
    store.dialect() == Dialect::Postgres
        && commits.iter().all(|commit| commit.is_plain_end() && seen.insert(commit.id.uuid()))
}

/// Commits the steps, all or nothing. `None`: they have to go the long way, and nothing was written.
pub(super) async fn commit(
    store: &SqlStore,
    commits: &[ExecutionCommit],
    now: Timestamp,
) -> StoreResult<Option<Vec<LeaseAnswer<Committed>>>> {
    let numbers = store.memory().count_numbers();
    let steps: Vec<&ExecutionCommit> = commits.iter().collect();
    let rows = COMMIT.all(store.pool().write(), values(&steps, now)).await?;
    if rows.is_empty() {
        return Ok(None);
    }
    let ended = rows.iter().map(|row| {
        let row = Row::new("job", row);
        Ok((row.queue("queue")?, LaneId(row.int("lane")?)))
    });
    let ended: Vec<(QueueName, LaneId)> = ended.collect::<StoreResult<_>>()?;
    store.memory().note_ended(&numbers, &ended);
    let answers = steps.iter().map(|step| {
        LeaseAnswer::Ok(Committed {
            enqueued: Vec::new(),
            freed_node_slots: !step.completed.is_empty(),
            parked: false,
            parent: None,
            cancelled_children: Vec::new(),
        })
    });
    Ok(Some(answers.collect()))
}

/// The parameters of the statement.
pub(super) fn values(steps: &[&ExecutionCommit], now: Timestamp) -> Vec<Value> {
    // The entries that were applied go with all others: their positions are not asked for.
    let mut values = values_of(steps, &Written::of(steps), &Parked::new(), now).split_off(1);
    values.extend(leases_of(steps));
    values.push(now.0.into());
    values.extend(completed_of(steps));
    values
}
