//! Steps that touch nothing but their executions and new jobs of their nodes: one statement that is its own
//! transaction. PostgreSQL only, where each round trip counts.

use std::collections::HashSet;

use domain::lane::LaneId;
use domain::time::Timestamp;
use store::executions::{Committed, ExecutionCommit};
use store::jobs::{Enqueued, LeaseAnswer, NewJob};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use crate::SqlStore;
use crate::dialect::Dialect;
use crate::jobs::enqueue::{fit_one_statement, inserted_at_once};
use crate::jobs::enqueue_rows::rows_of;
use crate::rows::Row;
use crate::sql::Sql;

use super::park::Parked;
use super::spawn::Spawn;
use super::write::{Written, leases_of, values_of};

static COMMIT: Sql =
    Sql::new("commit_plain_executions", include_str!("../../../sql/commit_plain_postgres.sql"));

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
    now: Timestamp,
) -> StoreResult<Option<Vec<LeaseAnswer<Committed>>>> {
    let dialect = Dialect::Postgres;
    let steps: Vec<&ExecutionCommit> = commits.iter().collect();
    let (jobs, lanes): (Vec<NewJob>, Vec<LaneId>) = spawn.all().unzip();
    let all: Vec<usize> = (0..jobs.len()).collect();
    let mut values = values_of(&steps, &Written::of(&steps), &Parked::new(), now);
    values.extend(leases_of(&steps));
    values.push(now.0.into());
    values.extend(rows_of(dialect, &jobs, &lanes, &all, now));
    let mut rows = COMMIT.all(store.pool().write(), values).await?;
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    // The gate is open, and no job is new.
    if Row::new("job", first).uuid_or_null("id")?.is_none() {
        rows.clear();
    }
    // The steps are committed. Should it not come out what became of their jobs, they must not be committed again.
    let inserted = inserted_at_once(store, &jobs, &lanes, &rows, now).await;
    let inserted = inserted.map_err(|error| StoreError::Unavailable { source: Box::new(error) })?;
    inserted.note(store);
    let mut rest = inserted.answers.into_iter();
    let answers = steps.iter().map(|step| {
        let enqueued: Vec<Enqueued> = rest.by_ref().take(step.enqueue.len()).collect();
        LeaseAnswer::Ok(Committed {
            freed_node_slots: enqueued.iter().any(|answer| !answer.existing),
            enqueued,
            parked: false,
            parent: None,
            cancelled_children: Vec::new(),
        })
    });
    Ok(Some(answers.collect()))
}
