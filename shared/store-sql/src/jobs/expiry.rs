//! Jobs that nobody starts in time: the instant is kept with the job, claims leave out what has expired, and upkeep ends it.

use domain::job;
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::jobs::{Enqueued, ExpiredJob, ExpiredStarts, NewJob};
use uuid::Uuid;

use super::completion_effects::apply_cancellation_effects;
use super::end;
use super::finish::{EndedJob, error_text};
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
use crate::dialect::Dialect;
use crate::lock_order::begin_upkeep;
use crate::pool::{commit, rollback};
use crate::rows::Row;
use crate::sql::Sql;
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
