//! Jobs that nobody starts in time: the instant is kept with the job, claims leave out what has expired, and upkeep ends it.

use domain::job;
use domain::job::{Disposition, JobStatus};
use domain::queue::{LaneId, QueueName};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, Value};
use store::StoreResult;
use store::jobs::{Enqueued, ExpiredJob, ExpiredStarts, LeaseAnswer, NewJob, SettleResult, Settlement};
use uuid::Uuid;

use super::completion_effects::apply_cancellation_effects;
use super::end;
use super::finish::{EndedJob, FINISH_SQLITE_DROP, error_text};
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
use crate::dialect::Dialect;
use crate::errors::is_unique_violation;
use crate::lock_order::begin_upkeep;
use crate::memory_leases::RowPosition;
use crate::packed;
use crate::pool::{commit, rollback};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};
use crate::store::SqlStore;

static SET: Sql = Sql::new(
    "set_job_expiry",
    "UPDATE job SET expires_at = r.ends FROM {rows $1: key uuid, ends bigint} r
     WHERE job.id = r.key AND job.expires_at IS NULL",
);

// Index: job_expiry.
pub(super) static DUE: Sql = Sql::new(
    "expired_jobs",
    "SELECT id, queue, execution_id FROM job
     WHERE expires_at IS NOT NULL AND started_at IS NULL AND expires_at <= $1
     ORDER BY expires_at LIMIT $2",
);

// The state is written so that no partial index fits: what is left is a probe by id.
// $2 now
static LOCK: Sql = Sql::new(
    "lock_unstarted_jobs",
    "SELECT id, queue, lane, attempt, tier, created_at, started_at, execution_id, node_id, data FROM job
     WHERE id {any $1 uuid} AND expires_at <= $2 AND started_at IS NULL
       AND state || '' IN ('scheduled', 'queued', 'blocked')
     ORDER BY id {for_update_skip}",
);

static EXPLAIN: Sql =
    Sql::new("explain_expired_jobs", "UPDATE job_done SET error = $2 WHERE id {any $1 uuid}");

/// Keeps until when new jobs may be started. To be called in the transaction that inserted them.
pub(super) async fn set<C: ConnectionTrait>(
    on: &C,
    jobs: &[NewJob],
    answers: &[Enqueued],
) -> StoreResult<()> {
    let new = jobs.iter().zip(answers).filter(|(_, answer)| !answer.existing);
    let cells: Vec<[Cell<'_>; 2]> =
        new.filter_map(|(job, _)| Some([Cell::Uuid(job.id.uuid()), Cell::Long(job.expires_at?.0)])).collect();
    if cells.is_empty() {
        return Ok(());
    }
    let dialect = Dialect::of(on.get_database_backend());
    SET.run(on, bind::rows(dialect, cells.into_iter())).await.map(|_| ())
}

pub(super) async fn end_jobs(
    store: &SqlStore,
    ids: &[Uuid],
    now: Timestamp,
    expired: &mut ExpiredStarts,
) -> StoreResult<()> {
    let dialect = store.dialect();
    let transaction = begin_upkeep(store.pool()).await?;
    let values = vec![bind::uuids(dialect, ids.iter().copied()), now.0.into()];
    let rows = LOCK.all(&transaction, values).await?;
    let found: Vec<EndedJob> =
        rows.iter().map(|row| end::cancelled(Row::new("job", row))).collect::<Result<_, _>>()?;
    if found.is_empty() {
        rollback(transaction).await;
        return Ok(());
    }
    let ids: Vec<Uuid> = found.iter().map(|job| job.id.uuid()).collect();
    let (_, admitted) = end::cancel(&transaction, dialect, &ids, now).await?;
    let error = job::job_error();
    let text = error_text(Some(&error));
    EXPLAIN.run(&transaction, vec![bind::uuids(dialect, ids.iter().copied()), text.into()]).await?;
    apply_cancellation_effects(&transaction, &found, &error, now).await?;
    let bumps = bump_epoch(&transaction, admitted.older()).await?;
    commit(transaction).await?;
    admitted.record(store);
    bumps.record(store);
    expired.inboxes.extend(found.iter().filter_map(|job| job.node().map(|(execution, _)| execution)));
    let seen = found.iter().map(|job| ExpiredJob { queue: job.queue, lane: job.lane, tier: job.tier });
    expired.jobs.extend(seen);
    Ok(())
}

// Completions on SQLite that entail nothing but the move of jobs whose places are known from their claim. All of a
// batch, or none.

pub(super) static COPY: Sql =
    Sql::new("complete_by_position", include_str!("../../sql/complete_by_position_sqlite.sql"));
pub(super) static COPY_RUN: Sql = Sql::new("complete_run", include_str!("../../sql/finish_run_sqlite.sql"));
pub(super) static DROP_RUN: Sql = Sql::new("drop_run", include_str!("../../sql/drop_run_sqlite.sql"));

/// How far apart jobs may lie that are ended as a run: so many places for each of them.
const GAPS_MAX: usize = 4;

/// Ends the jobs and fills in the answers; answers their queues and lanes. Where one of them is not to be ended in this
/// way, nothing is written and the answer is empty; `None` where it was not even tried.
pub(super) async fn finish(
    store: &SqlStore,
    batch: &[Settlement],
    answers: &mut [LeaseAnswer<SettleResult>],
    now: Timestamp,
) -> StoreResult<Option<Vec<(QueueName, LaneId)>>> {
    let Some(places) = store.memory().leases.take(batch.iter().map(|settlement| settlement.lease)) else {
        return Ok(None);
    };
    let moving = Moving::of(batch, &places, now);
    let transaction = store.pool().begin().await?;
    match moving.carry_out(&transaction, places.len()).await {
        Ok(true) => commit(transaction).await?,
        // A job that ended before fails the statement.
        Ok(false) => {
            rollback(transaction).await;
            return Ok(Some(Vec::new()));
        }
        Err(error) if is_unique_violation(&error) => {
            rollback(transaction).await;
            return Ok(Some(Vec::new()));
        }
        Err(error) => return Err(error),
    }
    for (answer, place) in answers.iter_mut().zip(&places) {
        let status = JobStatus::Completed;
        let facts = Some(Box::new(place.facts(now)));
        *answer = LeaseAnswer::Ok(SettleResult { queue: place.queue, status, execution_id: None, facts });
    }
    Ok(Some(places.iter().map(|place| (place.queue, place.lane)).collect()))
}

/// The two statements that move jobs, with their values.
struct Moving {
    copy: (&'static Sql, Vec<Value>),
    remove: (&'static Sql, Vec<Value>),
}

impl Moving {
    /// Of a batch whose jobs lie at these places, in the same order.
    fn of(batch: &[Settlement], places: &[RowPosition], now: Timestamp) -> Self {
        let positions = || places.iter().map(|place| place.position);
        let (first, last) = (positions().min().unwrap_or(0), positions().max().unwrap_or(0));
        if (last - first) as usize <= batch.len() * GAPS_MAX {
            return Self::run(batch, places, (first, last), now);
        }
        let mut values: Vec<Value> = vec![
            now.0.into(),
            packed::long_digits(positions()),
            packed::uuids(batch.iter().map(|settlement| settlement.lease.token.0)),
        ];
        values.extend(packed::texts(batch.iter().map(result_of)));
        Self { copy: (&COPY, values), remove: (&FINISH_SQLITE_DROP, vec![packed::longs(positions())]) }
    }

    /// Of jobs that lie close together. The tokens say which of those between are meant.
    fn run(batch: &[Settlement], places: &[RowPosition], (first, last): (i64, i64), now: Timestamp) -> Self {
        let count = (last - first) as usize + 1;
        let mut tokens = vec![Uuid::nil(); count];
        let mut results: Vec<Option<&str>> = vec![None; count];
        for (settlement, place) in batch.iter().zip(places) {
            let offset = (place.position - first) as usize;
            tokens[offset] = settlement.lease.token.0;
            results[offset] = result_of(settlement);
        }
        let tokens = packed::uuids(tokens.into_iter());
        let mut copied: Vec<Value> = vec![now.0.into(), first.into(), last.into(), tokens.clone()];
        copied.extend(packed::spread_texts(results.into_iter()));
        Self { copy: (&COPY_RUN, copied), remove: (&DROP_RUN, vec![first.into(), last.into(), tokens]) }
    }

    /// Whether all of them, so many, were copied and removed.
    async fn carry_out(self, on: &DatabaseTransaction, count: usize) -> StoreResult<bool> {
        let (copy, values) = self.copy;
        if copy.run(on, values).await? < count as u64 {
            return Ok(false);
        }
        let (remove, values) = self.remove;
        Ok(remove.run(on, values).await? == count as u64)
    }
}

fn result_of(settlement: &Settlement) -> Option<&str> {
    match &settlement.disposition {
        Disposition::Complete(result) => result.as_deref(),
        _ => None,
    }
}
