//! Steps that end their executions as COMPLETED and entail nothing else: one statement that is its own transaction.
//! PostgreSQL only, where each round trip counts.

use std::collections::HashSet;

use domain::lane::LaneId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use store::StoreResult;
use store::executions::{Committed, ExecutionCommit};
use store::jobs::LeaseAnswer;
use uuid::Uuid;

use crate::SqlStore;
use crate::bind::Parameters;
use crate::columns::Columns;
use crate::dialect::Dialect;
use crate::postgres::{self, Arguments};
use crate::sql::Sql;

use super::park::Parked;
use super::write::{Written, add_completed, add_leases, add_written};

pub(super) static COMMIT: Sql =
    Sql::new("commit_ending_executions", include_str!("../../../sql/commit_ends_postgres.sql"));

const COLUMNS: &[&str] = &["queue", "lane"];

/// Whether the steps may go this way: each is a plain end, and each execution is named once.
pub(super) fn is_eligible(store: &SqlStore, commits: &[ExecutionCommit]) -> bool {
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
    let mut arguments = Arguments::new();
    add_parameters(&mut arguments, &steps, now);
    let rows = postgres::all(store, &COMMIT, arguments).await?;
    if rows.is_empty() {
        return Ok(None);
    }
    let ended = rows.iter().map(|row| {
        let row = Columns::of_postgres("job", COLUMNS, row);
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
            parent: None,
            touched_children: Vec::new(),
        })
    });
    Ok(Some(answers.collect()))
}

/// Adds the parameters of the statement. The entries that were applied go with all others: it does not ask for their
/// positions.
pub(super) fn add_parameters(to: &mut impl Parameters, steps: &[&ExecutionCommit], now: Timestamp) {
    add_written(to, steps, &Written::of(steps), &Parked::new(), now);
    add_leases(to, steps);
    to.add(now.0);
    add_completed(to, steps);
}
