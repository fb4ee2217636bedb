//! Putting leased jobs back: for another try, or as if nobody had taken them.

use std::collections::HashMap;

use domain::failure::JobError;
use domain::id::JobId;
use domain::job::{AttemptStatus, JobStatus};
use domain::queue::{LaneId, QueueName};
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::jobs::{GiveBack, LeaseAnswer, LeaseRef, SettledFacts};

use super::admit::admit;
use super::end::mark_cancelled;
use super::finish::{error_text, partition_unique_ids};
use super::status;
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
use crate::dialect::Dialect;
use crate::lock_order::lock_jobs;
use crate::pool::commit;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};
use crate::store::SqlStore;

pub(super) static RETRY: Sql = Sql::new("retry", include_str!("../../sql/retry.sql"));
static ATTEMPTS: Sql = Sql::new("insert_attempts", include_str!("../../sql/insert_attempts.sql"));

/// What a retry does to the number of crashes in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Crash {
    /// The worker reported: there was none.
    Reported = 0,
    /// The lease expired because the attempt's time was up: the number stays.
    TimedOut = 1,
    /// The worker was lost: one more.
    WorkerLost = 2,
}

/// A lease whose job is to be tried again.
#[derive(Debug, Clone)]
pub(super) struct Retry {
    pub(super) lease: LeaseRef,
    pub(super) at: Timestamp,
    pub(super) error: JobError,
    pub(super) attempt_status: AttemptStatus,
    pub(super) crash: Crash,
}

/// A job that will be tried again.
#[derive(Debug, Clone)]
pub(super) struct Retried {
    pub(super) id: JobId,
    pub(super) queue: QueueName,
    pub(super) lane: LaneId,
    pub(super) position: i64,
    pub(super) status: JobStatus,
    /// The stored concurrency key, if the job gave it back.
    pub(super) freed_key: Option<String>,
    /// For those who measure.
    pub(super) facts: SettledFacts,
}

/// Puts jobs back whose lease holds, and records their attempts; answers those jobs, in no order. A job must not be
/// named twice.
pub(super) async fn retry<C: ConnectionTrait>(
    on: &C,
    batch: &[Retry],
    now: Timestamp,
) -> StoreResult<Vec<Retried>> {
    if batch.is_empty() {
        return Ok(Vec::new());
    }
    // In the order in which everybody locks jobs.
    let mut batch: Vec<&Retry> = batch.iter().collect();
    batch.sort_unstable_by_key(|retry| retry.lease.id);
    let errors: Vec<String> =
        batch.iter().map(|retry| error_text(Some(&retry.error)).unwrap_or_default()).collect();
    let cells = batch.iter().zip(&errors).map(|(retry, error)| {
        [
            Cell::Uuid(retry.lease.id.uuid()),
            Cell::Uuid(retry.lease.token.0),
            Cell::Long(retry.at.0),
            Cell::Text(error),
            Cell::Int(retry.crash as i32),
        ]
    });
    let mut values = vec![now.0.into()];
    values.extend(bind::rows(Dialect::of(on.get_database_backend()), cells));
    let rows = RETRY.all(on, values).await?;
    let asked: HashMap<JobId, (&Retry, &str)> =
        batch.iter().zip(&errors).map(|(retry, error)| (retry.lease.id, (*retry, error.as_str()))).collect();
    let mut retried = Vec::with_capacity(rows.len());
    let mut attempts = Vec::with_capacity(rows.len());
    for row in &rows {
        let row = Row::new("job", row);
        let job = retried_job(row, now)?;
        if let Some(&(retry, error)) = asked.get(&job.id) {
            attempts.push(Attempt {
                job: job.id,
                number: row.int("attempt")?,
                status: retry.attempt_status,
                error,
                started_at: row.instant_or_null("started_at")?.unwrap_or(now),
                worker: row.text_or_null("worker_id")?.unwrap_or_default(),
            });
        }
        retried.push(job);
    }
    record(on, &attempts, now).await?;
    Ok(retried)
}

fn retried_job(row: Row<'_>, now: Timestamp) -> StoreResult<Retried> {
    let status = status::status(row, "state")?;
    let key = row.text_or_null("concurrency_key")?;
    let lane = LaneId(row.int("lane")?);
    let facts = SettledFacts {
        lane,
        tier: row.tier("tier")?,
        created_at: row.instant("created_at")?,
        started_at: row.instant_or_null("started_at")?,
        settled_at: now,
        traceparent: row.text_or_null("traceparent")?,
    };
    Ok(Retried {
        id: JobId::from_uuid(row.uuid("id")?),
        queue: row.queue("queue")?,
        lane,
        position: row.long("position")?,
        status,
        freed_key: key.filter(|_| status != JobStatus::Queued),
        facts,
    })
}

/// An attempt that will be followed by another one.
struct Attempt<'a> {
    job: JobId,
    number: i32,
    status: AttemptStatus,
    error: &'a str,
    started_at: Timestamp,
    worker: String,
}

async fn record<C: ConnectionTrait>(on: &C, attempts: &[Attempt<'_>], now: Timestamp) -> StoreResult<()> {
    if attempts.is_empty() {
        return Ok(());
    }
    let cells = attempts.iter().map(|attempt| {
        [
            Cell::Uuid(attempt.job.uuid()),
            Cell::Int(attempt.number),
            Cell::Text(attempt.status.as_str()),
            Cell::TextOrNull(Some(attempt.error)),
            Cell::Long(attempt.started_at.0),
            Cell::Text(&attempt.worker),
        ]
    });
    let mut values = vec![now.0.into()];
    values.extend(bind::rows(Dialect::of(on.get_database_backend()), cells));
    ATTEMPTS.run(on, values).await.map(|_| ())
}

// Giving leases back without consuming an attempt: at once, or for later.

pub(super) static RELEASE: Sql = Sql::new("release", include_str!("../../sql/release.sql"));

type Place = (QueueName, LaneId);

/// `JobStore::give_back`.
pub(super) async fn give_back(
    store: &SqlStore,
    held: &[GiveBack],
    now: Timestamp,
) -> StoreResult<Vec<LeaseAnswer>> {
    if held.is_empty() {
        return Ok(Vec::new());
    }
    with_retry(RetryBudget::once(), || give_back_once(store, held, now)).await
}

async fn give_back_once(
    store: &SqlStore,
    held: &[GiveBack],
    now: Timestamp,
) -> StoreResult<Vec<LeaseAnswer>> {
    let numbers = store.memory().count_numbers();
    let transaction = store.pool().begin().await?;
    let mut answers: Vec<LeaseAnswer> = vec![LeaseAnswer::LeaseLost; held.len()];
    let (mut ended, mut claimable): (Vec<Place>, Vec<(Place, i64)>) = (Vec::new(), Vec::new());
    let rounds = partition_unique_ids(held.iter().map(|back| back.lease.id));
    if rounds.len() > 1 {
        lock_jobs(&transaction, held.iter().map(|back| back.lease.id.uuid())).await?;
    }
    for mut places in rounds {
        // In the order in which everybody locks jobs.
        places.sort_unstable_by_key(|&place| held[place].lease.id);
        let round: Vec<GiveBack> = places.iter().map(|&place| held[place]).collect();
        let released = release(&transaction, store.dialect(), &round, now).await?;
        for place in places {
            if let Some(job) = released.get(&held[place].lease.id) {
                answers[place] = LeaseAnswer::Ok(());
                ended.push(job.place);
            }
        }
        claimable
            .extend(released.values().filter(|job| job.is_claimable).map(|job| (job.place, job.position)));
        let freed: Vec<String> = released.into_values().filter_map(|job| job.freed_key).collect();
        let admitted = admit(&transaction, &freed, now).await?;
        claimable.extend(admitted.iter().map(|job| ((job.queue, job.lane), job.position)));
    }
    mark_cancelled(&transaction, store.dialect(), held.iter().map(|back| back.lease), &mut answers).await?;
    let mut queues: Vec<QueueName> = claimable.iter().map(|((queue, _), _)| *queue).collect();
    queues.sort_unstable();
    queues.dedup();
    let bumps = bump_epoch(&transaction, &queues).await?;
    commit(transaction).await?;
    store.memory().record_ended(&numbers, &ended);
    for ((queue, lane), position) in claimable {
        store.memory().record_claimable_from(queue, lane, position);
    }
    bumps.record(store);
    Ok(answers)
}

/// A job whose lease was given back.
struct Released {
    place: Place,
    position: i64,
    is_claimable: bool,
    /// The stored concurrency key, if the job gave it back.
    freed_key: Option<String>,
}

/// Gives back those leases that hold. A job must not be named twice.
async fn release(
    on: &DatabaseTransaction,
    dialect: Dialect,
    held: &[GiveBack],
    now: Timestamp,
) -> StoreResult<HashMap<JobId, Released>> {
    let cells = held.iter().map(|back| {
        [
            Cell::Uuid(back.lease.id.uuid()),
            Cell::Uuid(back.lease.token.0),
            Cell::LongOrNull(back.due.map(|due| due.0)),
            Cell::Int(i32::from(back.is_untaken_offer)),
        ]
    });
    let mut values = vec![now.0.into()];
    values.extend(bind::rows(dialect, cells));
    let rows = RELEASE.all(on, values).await?;
    let released = rows.iter().map(|row| {
        let row = Row::new("job", row);
        let is_claimable = status::status(row, "state")? == JobStatus::Queued;
        let freed_key = row.text_or_null("concurrency_key")?.filter(|_| !is_claimable);
        let place = (row.queue("queue")?, LaneId(row.int("lane")?));
        let position = row.long("position")?;
        Ok((JobId::from_uuid(row.uuid("id")?), Released { place, position, is_claimable, freed_key }))
    });
    released.collect()
}
