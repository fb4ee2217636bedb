//! Giving leases back without consuming an attempt: at once, or for later.

use std::collections::HashMap;

use domain::id::JobId;
use domain::job::JobStatus;
use domain::lane::LaneId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use store::StoreResult;
use store::jobs::{GiveBack, LeaseAnswer};

use super::admit::admit;
use super::cancelled::mark_cancelled;
use super::partition::partition_unique_ids;
use super::states;
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
use crate::dialect::Dialect;
use crate::lock_order::lock_jobs;
use crate::pool::commit;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;
use crate::transaction::DatabaseTransaction;

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
        let is_claimable = states::status(row, "state")? == JobStatus::Queued;
        let freed_key = row.text_or_null("concurrency_key")?.filter(|_| !is_claimable);
        let place = (row.queue("queue")?, LaneId(row.int("lane")?));
        let position = row.long("position")?;
        Ok((JobId::from_uuid(row.uuid("id")?), Released { place, position, is_claimable, freed_key }))
    });
    released.collect()
}
