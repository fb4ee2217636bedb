//! Completions on SQLite that entail nothing but the move of jobs whose places are known from their claim. All of a
//! batch, or none.

use domain::job::{Disposition, JobStatus};
use domain::lane::LaneId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use sea_orm::Value;
use store::StoreResult;
use store::jobs::{LeaseAnswer, Settled, Settlement};

use super::finish_sqlite::DROP;
use crate::errors::is_unique_violation;
use crate::memory_leases::RowPosition;
use crate::packed;
use crate::pool::{commit, rollback};
use crate::sql::Sql;
use crate::store::SqlStore;
use crate::transaction::DatabaseTransaction;

pub(super) static COPY: Sql =
    Sql::new("complete_by_position", include_str!("../../sql/finish_placed_sqlite.sql"));

/// Ends the jobs and fills in the answers; answers their queues and lanes. Where one of them is not to be ended in this
/// way, nothing is written and the answer is empty; `None` where it was not even tried.
pub(super) async fn finish(
    store: &SqlStore,
    batch: &[Settlement],
    answers: &mut [LeaseAnswer<Settled>],
    now: Timestamp,
) -> StoreResult<Option<Vec<(QueueName, LaneId)>>> {
    let Some(places) = store.memory().leases.take(batch.iter().map(|settlement| settlement.lease)) else {
        return Ok(None);
    };
    let results = batch.iter().map(|settlement| match &settlement.disposition {
        Disposition::Complete(result) => result.as_deref(),
        _ => None,
    });
    let mut values: Vec<Value> = vec![
        now.0.into(),
        packed::long_digits(places.iter().map(|place| place.position)),
        packed::uuids(batch.iter().map(|settlement| settlement.lease.token.0)),
    ];
    values.extend(packed::texts(results));
    let transaction = store.pool().begin().await?;
    match move_all(&transaction, &places, values).await {
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
        *answer = LeaseAnswer::Ok(Settled { queue: place.queue, status, execution_id: None, facts });
    }
    Ok(Some(places.iter().map(|place| (place.queue, place.lane)).collect()))
}

/// Whether all of them were copied and removed.
async fn move_all(on: &DatabaseTransaction, places: &[RowPosition], values: Vec<Value>) -> StoreResult<bool> {
    if COPY.run(on, values).await? < places.len() as u64 {
        return Ok(false);
    }
    let positions = packed::longs(places.iter().map(|place| place.position));
    DROP.run(on, vec![positions]).await?;
    Ok(true)
}
