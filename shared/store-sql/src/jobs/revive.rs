//! Bringing an ended job back to its queue within the transaction of something larger: same id, a new place at the
//! end of its lane, fresh retries, and its history.

use std::collections::BTreeMap;

use domain::queue::{LaneId, QueueName};
use domain::time::Timestamp;
use sea_orm::{QueryResult, Value};
use store::StoreResult;
use uuid::Uuid;

use super::admit::{Admitted, admit};
use super::status;
use crate::SqlStore;
use crate::metric_names::EXECUTIONS_RESUMED_TOTAL;
use crate::payloads;
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

/// Makes an ended job, `d` of `job_done`, a queued one. One with a concurrency key starts out blocked and is admitted in the same
/// transaction if the key is free.
// $1 now, $2 lane, $3 retries, $4 tier, $5 payload: null keeps what the job had
pub(crate) const REVIVED: &str = "INSERT INTO job (id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at,
       created_at, started_at, worker_id, tier, timeout_ms, backoff, unique_key, concurrency_key, tags, traceparent,
       execution_id, node_id, error, data)
     SELECT d.id, d.queue, CASE WHEN $2 IS NULL THEN d.lane ELSE
       (SELECT l.id FROM lane l WHERE l.id = $2 AND l.mark IS NULL) END,
       CASE WHEN d.concurrency_key IS NULL THEN 'queued' ELSE 'blocked' END,
       d.attempt, d.attempt, COALESCE($3, d.retries_max), 0, $1, $1,
       d.created_at, d.started_at, d.worker_id, COALESCE($4, d.tier), d.timeout_ms, d.backoff, d.unique_key,
       d.concurrency_key, d.tags, d.traceparent, d.execution_id, d.node_id, d.error, COALESCE($5, d.data)";

// $6 id
static INSERT: Sql = Sql::joined(
    "revive_job",
    [
        REVIVED,
        " FROM job_done d WHERE d.id = $6
     ON CONFLICT DO NOTHING
     RETURNING queue, lane, position, concurrency_key",
        "",
    ],
);

// The lane may be about to go: it stays. Locked until the commit, by when the job is seen.
static KEEP_LANE: Sql = Sql::new(
    "revive_job_lane",
    "UPDATE lane SET mark = NULL
     WHERE id IN (SELECT d.lane FROM job_done d WHERE d.id = $1) AND mark IS NOT NULL",
);

// The attempt that was in a row of `$ended` becomes an earlier one. A condition on `d` follows.
macro_rules! ended_attempt {
    ($ended:literal) => {
        concat!(
            "INSERT INTO attempt (job_id, attempt_number, status, error, started_at, finished_at, worker_id)
     SELECT d.id, d.attempt, d.attempt_status, d.error, d.started_at, d.finished_at, d.worker_id
     FROM ",
            $ended,
            " d
     WHERE d.attempt_status IS NOT NULL AND d.started_at IS NOT NULL AND d.worker_id IS NOT NULL AND "
        )
    };
}

pub(crate) use ended_attempt;

/// The attempts of ended jobs, `d` of `job_done`, become earlier ones. A condition on `d` follows.
pub(crate) const ENDED_ATTEMPT: &str = ended_attempt!("job_done");

static SAVE_ATTEMPT: Sql =
    Sql::joined("revive_job_attempt", [ENDED_ATTEMPT, "d.id = $1 ON CONFLICT DO NOTHING", ""]);

static REMOVE: Sql = Sql::new("revive_job_remove", "DELETE FROM job_done WHERE id = $1");

static WHERE_IS_IT: Sql = Sql::new(
    "revive_job_refused",
    "SELECT 1 AS place FROM job WHERE id = $1 UNION ALL SELECT 2 AS place FROM job_done WHERE id = $1 ORDER BY place",
);

/// What changes with a revival; empty fields keep what the job had.
#[derive(Debug, Default)]
pub(crate) struct Changes<'a> {
    /// Another lane and its tier.
    pub(crate) lane: Option<(LaneId, domain::queue::Tier)>,
    /// Other retries.
    pub(crate) retries_max: Option<u32>,
    /// Other payload.
    pub(crate) data: Option<&'a str>,
}

impl Changes<'_> {
    /// The first parameters of what begins with [`REVIVED`].
    pub(crate) fn values(&self, now: Timestamp) -> Vec<Value> {
        vec![
            now.0.into(),
            self.lane.map(|(lane, _)| lane.0).into(),
            self.retries_max.map(|retries| i32::try_from(retries).unwrap_or(i32::MAX)).into(),
            self.lane.map(|(_, tier)| i32::from(tier.code())).into(),
            self.data.map(|data| payloads::in_row(data).into_owned()).into(),
        ]
    }
}

/// What became of a job that was to be revived.
#[derive(Debug)]
pub(crate) enum Revival {
    /// It is queued.
    Revived(Revived),
    /// It has not ended.
    Unfinished,
    /// Another unfinished job has its unique key.
    KeyTaken,
    /// It is not kept any more.
    Gone,
}

/// Jobs that became claimable again: one that was revived, or those that were admitted or released where they are.
#[derive(Debug)]
pub(crate) struct Revived {
    /// Its lane and position, or those of an older job that waited for the same concurrency key and goes first.
    claimable: Vec<(QueueName, LaneId, i64)>,
    /// Where such older jobs are.
    older: Vec<QueueName>,
    /// Whether it is the job of an execution that had failed and goes on.
    resumes: bool,
}

impl Revived {
    /// Jobs that became claimable at new places, at the ends of their lanes: lanes and positions.
    pub(crate) fn at_new_places(claimable: Vec<(QueueName, LaneId, i64)>) -> Self {
        Self { claimable, older: Vec::new(), resumes: false }
    }

    /// Jobs that became claimable at the places that they had: lanes and positions.
    pub(crate) fn in_place(claimable: Vec<(QueueName, LaneId, i64)>) -> Self {
        let older = claimable.iter().map(|(queue, ..)| *queue).collect();
        Self { claimable, older, resumes: false }
    }

    /// The same for an execution that had failed and goes on.
    pub(crate) fn resuming(self) -> Self {
        Self { resumes: true, ..self }
    }

    /// The same for an execution whose end was never reported.
    pub(crate) fn uncounted(self) -> Self {
        Self { resumes: false, ..self }
    }

    /// The same from rows with `state`, `queue`, `lane` and `position`: those that are queued.
    pub(crate) fn queued(rows: &[QueryResult]) -> StoreResult<Self> {
        let mut claimable = Vec::with_capacity(rows.len());
        for row in rows {
            let row = Row::new("job", row);
            if row.text("state")? == status::QUEUED {
                claimable.push((row.queue("queue")?, LaneId(row.int("lane")?), row.long("position")?));
            }
        }
        Ok(Self::in_place(claimable))
    }

    /// Jobs whose turn it is with a concurrency key.
    pub(crate) fn admitted(jobs: &[Admitted]) -> Self {
        Self::in_place(jobs.iter().map(|job| (job.queue, job.lane, job.position)).collect())
    }

    /// How many jobs became claimable.
    pub(crate) fn count(&self) -> usize {
        self.claimable.len()
    }

    /// The queues of older jobs: to be bumped last in the transaction.
    pub(crate) fn older(&self) -> &[QueueName] {
        &self.older
    }

    /// Records in the ring the lanes that are not empty now, and counts an execution that goes on. To be called after the
    /// commit.
    pub(crate) fn record(&self, store: &SqlStore) {
        if self.resumes {
            metrics::counter!(EXECUTIONS_RESUMED_TOTAL).increment(1);
        }
        // The first of each lane says it for the others. Claims wait for what is recorded.
        let mut firsts: BTreeMap<(QueueName, LaneId), i64> = BTreeMap::new();
        for &(queue, lane, position) in &self.claimable {
            let first = firsts.entry((queue, lane)).or_insert(position);
            *first = position.min(*first);
        }
        for ((queue, lane), first) in firsts {
            store.memory().record_claimable_from(queue, lane, first);
        }
    }
}

/// Moves a job back to its queue.
pub(crate) async fn revive(
    on: &DatabaseTransaction,
    id: Uuid,
    changes: &Changes<'_>,
    now: Timestamp,
) -> StoreResult<Revival> {
    let mut values = changes.values(now);
    values.push(id.into());
    KEEP_LANE.run(on, vec![id.into()]).await?;
    let Some(row) = INSERT.first(on, values).await? else {
        return refused(on, id).await;
    };
    let row = Row::new("job", &row);
    let (queue, lane) = (row.queue("queue")?, LaneId(row.int("lane")?));
    let key = row.text_or_null("concurrency_key")?;
    SAVE_ATTEMPT.run(on, vec![id.into()]).await?;
    REMOVE.run(on, vec![id.into()]).await?;
    if let Some(data) = changes.data {
        edit_payload(on, id, data).await?;
    }
    let Some(key) = key else {
        return Ok(Revival::Revived(Revived::at_new_places(vec![(queue, lane, row.long("position")?)])));
    };
    let admitted = admit(on, &[key], now).await?;
    Ok(Revival::Revived(Revived {
        claimable: admitted.iter().map(|job| (job.queue, job.lane, job.position)).collect(),
        older: admitted.iter().filter(|job| job.id.uuid() != id).map(|job| job.queue).collect(),
        resumes: false,
    }))
}

/// Keeps what is large of an edited payload. What the job had goes: its dead letter has a copy.
async fn edit_payload(on: &DatabaseTransaction, id: Uuid, data: &str) -> StoreResult<()> {
    if payloads::is_large(data) {
        return payloads::store(on, &[(id, data)]).await;
    }
    payloads::remove(on, &[id]).await
}

async fn refused(on: &DatabaseTransaction, id: Uuid) -> StoreResult<Revival> {
    let row = WHERE_IS_IT.first(on, vec![id.into()]).await?;
    let place = row.map(|row| Row::new("job", &row).long("place")).transpose()?;
    Ok(match place {
        Some(1) => Revival::Unfinished,
        Some(_) => Revival::KeyTaken,
        None => Revival::Gone,
    })
}
