//! The fast path of completions: jobs that were completed and entail nothing but their move from `job` to `job_done`, because
//! no execution waits for them and they hold no concurrency key. What it does not end is left to the general path.

use std::collections::HashMap;

use domain::job::{Disposition, JobStatus};
use domain::queue::{LaneId, QueueName, Tier};
use domain::time::Timestamp;
use sea_orm::Value;
use store::StoreResult;
use store::jobs::{LeaseAnswer, SettleResult, SettledFacts, Settlement};
use uuid::Uuid;

use super::finish::FINISH_SQLITE_DROP;
use crate::columns::{self, Arguments, Columns};
use crate::dialect::Dialect;
use crate::errors::is_unique_violation;
use crate::memory_leases::RowPosition;
use crate::packed;
use crate::pool::{commit, rollback};
use crate::sql::{DatabaseTransaction, Sql};
use crate::store::SqlStore;

/// Whether a batch may take it: it names each job once, and each was completed.
pub(super) fn is_eligible(batch: &[Settlement], rounds: &[Vec<usize>]) -> bool {
    let is_completed = |settlement: &Settlement| matches!(settlement.disposition, Disposition::Complete(_));
    rounds.len() == 1 && batch.iter().all(is_completed)
}

/// Ends jobs and fills in the answers of those that it ended; answers their queues and lanes. `None` where it was not even
/// tried.
pub(super) async fn finish(
    store: &SqlStore,
    batch: &[Settlement],
    answers: &mut [LeaseAnswer<SettleResult>],
    now: Timestamp,
) -> StoreResult<Option<Vec<(QueueName, LaneId)>>> {
    match store.dialect() {
        Dialect::Postgres => finish_on_postgres(store, batch, answers, now).await.map(Some),
        Dialect::Sqlite => finish_on_sqlite(store, batch, answers, now).await,
    }
}

// PostgreSQL: one statement that is its own transaction.

pub(super) static FINISH_FAST: Sql =
    Sql::new("finish_fast", include_str!("../../sql/finish_fast_postgres.sql"));

const COLUMNS: &[&str] = &["id", "queue", "lane", "tier", "created_at", "started_at", "traceparent"];

/// The end of no job, for a connection that is to know the statement.
pub(super) fn finish_of_nothing() -> (&'static Sql, Arguments) {
    let none = std::iter::empty::<Uuid>;
    let arguments = Arguments::new().with(0_i64).with_uuids(none()).with_uuids(none());
    (&FINISH_FAST, arguments.with_texts(std::iter::empty()))
}

/// Ends those jobs that entail nothing else, and fills in their answers; answers their queues and lanes.
async fn finish_on_postgres(
    store: &SqlStore,
    batch: &[Settlement],
    answers: &mut [LeaseAnswer<SettleResult>],
    now: Timestamp,
) -> StoreResult<Vec<(QueueName, LaneId)>> {
    // In the order in which everybody locks jobs.
    let mut sorted: Vec<&Settlement> = batch.iter().collect();
    sorted.sort_unstable_by_key(|settlement| settlement.lease.id);
    let results = sorted.iter().map(|settlement| match &settlement.disposition {
        Disposition::Complete(Some(result)) => result.as_str(),
        // Results are JSON, so that none is empty.
        _ => "",
    });
    let arguments = Arguments::new()
        .with(now.0)
        .with_uuids(sorted.iter().map(|settlement| settlement.lease.id.uuid()))
        .with_uuids(sorted.iter().map(|settlement| settlement.lease.token.0))
        .with_texts(results);
    let rows = match columns::all(store, &FINISH_FAST, arguments).await {
        // Somebody has to look at which job it is that ended before.
        Err(error) if is_unique_violation(&error) => return Ok(Vec::new()),
        rows => rows?,
    };
    let mut places: HashMap<Uuid, usize> = HashMap::with_capacity(batch.len());
    places.extend(batch.iter().enumerate().map(|(place, settlement)| (settlement.lease.id.uuid(), place)));
    let mut ended = Vec::with_capacity(rows.len());
    for row in &rows {
        let row = Columns::of_postgres("job_done", COLUMNS, row);
        let (id, queue, lane): (Uuid, i16, i32) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (queue, lane) = (QueueName::from_code(queue).ok_or_else(|| row.fault(1))?, LaneId(lane));
        let place = places.get(&id).ok_or_else(|| row.fault(0))?;
        let tier: i16 = row.get(3)?;
        let facts = SettledFacts {
            lane,
            tier: Tier::from_code(tier).ok_or_else(|| row.fault(3))?,
            created_at: Timestamp(row.get(4)?),
            started_at: row.get_or_null::<i64>(5)?.map(Timestamp),
            settled_at: now,
            traceparent: row.get_or_null(6)?,
        };
        let (status, facts) = (JobStatus::Completed, Some(Box::new(facts)));
        answers[*place] = LeaseAnswer::Ok(SettleResult { queue, status, execution_id: None, facts });
        ended.push((queue, lane));
    }
    Ok(ended)
}

// SQLite: of jobs whose positions are known from their claim. All of a batch, or none.

pub(super) static COPY: Sql =
    Sql::new("complete_by_position", include_str!("../../sql/complete_by_position_sqlite.sql"));
pub(super) static COPY_RUN: Sql = Sql::new("complete_run", include_str!("../../sql/finish_run_sqlite.sql"));
pub(super) static DROP_RUN: Sql = Sql::new("drop_run", include_str!("../../sql/drop_run_sqlite.sql"));

/// How far apart jobs may lie that are ended as a run: so many places for each of them.
const GAPS_MAX: usize = 4;

/// Ends the jobs and fills in the answers; answers their queues and lanes. Where one of them is not to be ended in this
/// way, nothing is written and the answer is empty; `None` where it was not even tried.
async fn finish_on_sqlite(
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
