//! Completions on PostgreSQL that entail nothing but the move of the job: one statement that is its own transaction.

use std::collections::HashMap;

use domain::job::{Disposition, JobStatus};
use domain::lane::LaneId;
use domain::queue::{QueueName, Tier};
use domain::time::Timestamp;
use store::StoreResult;
use store::jobs::{LeaseAnswer, Settled, SettledFacts, Settlement};
use uuid::Uuid;

use crate::columns::Columns;
use crate::errors::is_unique_violation;
use crate::postgres::{self, Arguments};
use crate::sql::Sql;
use crate::store::SqlStore;

pub(super) static FINISH_PLAIN: Sql =
    Sql::new("finish_plain", include_str!("../../sql/finish_plain_postgres.sql"));

const COLUMNS: &[&str] = &["id", "queue", "lane", "tier", "created_at", "started_at", "traceparent"];

/// Jobs that ended, with their queues and lanes.
type Ended = Vec<(QueueName, LaneId)>;

/// Whether a batch may go this way: it names each job once, and each was completed.
pub(super) fn is_eligible(batch: &[Settlement], rounds: &[Vec<usize>]) -> bool {
    let is_completed = |settlement: &Settlement| matches!(settlement.disposition, Disposition::Complete(_));
    rounds.len() == 1 && batch.iter().all(is_completed)
}

/// Ends those jobs that entail nothing else, and fills in their answers.
pub(super) async fn finish_fast(
    store: &SqlStore,
    batch: &[Settlement],
    answers: &mut [LeaseAnswer<Settled>],
    now: Timestamp,
) -> StoreResult<Ended> {
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
    let rows = match postgres::all(store, &FINISH_PLAIN, arguments).await {
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
        answers[*place] = LeaseAnswer::Ok(Settled { queue, status, execution_id: None, facts });
        ended.push((queue, lane));
    }
    Ok(ended)
}
