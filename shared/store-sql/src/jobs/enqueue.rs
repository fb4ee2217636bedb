//! Enqueue: set-based inserts, in one transaction, that can be repeated.
//!
//! In steps, so that other operations can enqueue within their own transaction: [`prepare`] before it, [`insert`] in
//! it, a bump of [`Inserted::older`] at its end, [`Inserted::note`] after its commit.

use std::collections::{HashMap, HashSet};

use domain::id::JobId;
use domain::job::JobStatus;
use domain::queue::{LaneId, LaneKey, QueueName};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, Value};
use store::audit::{has_line, lines_taken, riding_lines};
use store::jobs::{Enqueued, NewJob};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::admit::admit;
use super::enqueue_fast::{
    self, CHUNK, EnqueuedFast, add_rows_of, stored_concurrency_key, stored_unique_key,
};
use super::{expiry, status};
use crate::audit::{self, recorded};
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
use crate::columns::{Arguments, Columns};
use crate::dialect::Dialect;
use crate::pool::{commit, commit_change};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;
use crate::{attributes, columns, lanes, payloads};

/// The statement that inserts jobs, also as a part of others.
pub(crate) const ENQUEUE: &str = include_str!("../../sql/enqueue.sql");

/// The columns of its rows; statements that it is a part of may add others.
pub(crate) const INSERTED: &[&str] = &["id", "position", "state"];

static INSERT: Sql = Sql::new("enqueue", ENQUEUE);
// The same, with lines of the audit log. PostgreSQL only.
static INSERT_RECORDED: Sql = Sql::joined(
    "enqueue_recorded",
    ["WITH made AS (\n", ENQUEUE, concat!(recorded!("20"), ") SELECT id, position, state FROM made")],
);
static HOLDERS: Sql = Sql::new("enqueue_holders", include_str!("../../sql/enqueue_holders.sql"));

/// How often a job is inserted again whose unique key was held a moment ago and is not any more.
const ROUNDS_MAX: u32 = 5;

/// What an insert did, in the order of the jobs.
#[derive(Debug, Default)]
pub(crate) struct Inserted {
    /// The answers.
    pub(crate) answers: Vec<Enqueued>,
    /// Lanes with new jobs, and the position of the first in each.
    claimable: Vec<(QueueName, LaneId, i64)>,
    /// Queues in which an older job was admitted.
    older: Vec<QueueName>,
    /// Whether the insert itself notified the other nodes.
    is_announced: bool,
}

impl Inserted {
    /// Records in the ring the lanes that are not empty now. To be called after the commit.
    pub(crate) fn record(&self, store: &SqlStore) {
        for &(queue, lane, first) in &self.claimable {
            if self.is_announced {
                store.memory().record_announced(queue, lane, first);
            } else {
                store.memory().record_claimable_from(queue, lane, first);
            }
        }
    }

    /// Queues in which an older job became claimable: to be bumped last in the transaction.
    pub(crate) fn older(&self) -> &[QueueName] {
        &self.older
    }
}

/// `JobStore::enqueue`.
pub(super) async fn enqueue(store: &SqlStore, jobs: &[NewJob], now: Timestamp) -> StoreResult<Vec<Enqueued>> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let lanes = prepare(store, jobs, now).await?;
    enqueue_prepared(store, jobs, &lanes, now).await
}

/// The same with the lanes from [`prepare`].
pub(super) async fn enqueue_prepared(
    store: &SqlStore,
    jobs: &[NewJob],
    lanes: &[LaneId],
    now: Timestamp,
) -> StoreResult<Vec<Enqueued>> {
    if fit_one_statement(jobs) {
        return with_retry(RetryBudget::repeatable(), || enqueue_at_once(store, jobs, lanes, now)).await;
    }
    with_retry(RetryBudget::repeatable(), || enqueue_once(store, jobs, lanes, now)).await
}

/// Whether one statement is enough: nothing is to be admitted, only a repeat can find its place taken, the rows hold the
/// payloads, nothing expires, and none has attributes.
pub(crate) fn fit_one_statement(jobs: &[NewJob]) -> bool {
    let has_more = |job: &NewJob| {
        job.unique_key.is_some()
            || job.concurrency_key.is_some()
            || job.expires_at.is_some()
            || !job.attributes.is_empty()
            || payloads::is_large(&job.data)
    };
    jobs.len() <= CHUNK && !jobs.iter().any(has_more)
}

/// One statement that is its own transaction, which spares the round trips of the others. Jobs that were there before
/// are looked up afterwards.
async fn enqueue_at_once(
    store: &SqlStore,
    jobs: &[NewJob],
    lanes: &[LaneId],
    now: Timestamp,
) -> StoreResult<Vec<Enqueued>> {
    let mut answers: Vec<Option<Enqueued>> = vec![None; jobs.len()];
    let mut is_announced = false;
    if enqueue_fast::is_eligible(jobs) {
        EnqueuedFast { answers, is_announced } = enqueue_fast::insert(store, jobs, lanes, now).await?;
    } else if !has_line() {
        let all: Vec<usize> = (0..jobs.len()).collect();
        insert_round(store.pool().write(), jobs, lanes, &mut answers, &all, now).await?;
    } else if store.dialect() == Dialect::Postgres {
        insert_recorded(store, jobs, lanes, &mut answers, now).await?;
    } else {
        // What a statement has no room for is in a transaction.
        return enqueue_once(store, jobs, lanes, now).await;
    }
    let mut inserted = complete(store, jobs, lanes, answers, now).await?;
    inserted.is_announced = is_announced;
    inserted.record(store);
    Ok(inserted.answers)
}

/// The statement of all of them on PostgreSQL, with the lines of the audit log that record them.
async fn insert_recorded(
    store: &SqlStore,
    jobs: &[NewJob],
    lanes: &[LaneId],
    answers: &mut [Option<Enqueued>],
    now: Timestamp,
) -> StoreResult<()> {
    let all: Vec<usize> = (0..jobs.len()).collect();
    let mut arguments = Arguments::new().with(now.0);
    add_rows_of(&mut arguments, Dialect::Postgres, (jobs, lanes), all.iter().copied(), now);
    audit::add_lines(&mut arguments, Dialect::Postgres, &riding_lines());
    let rows = columns::all(store, &INSERT_RECORDED, arguments).await?;
    if !rows.is_empty() {
        lines_taken();
    }
    let rows: Vec<Columns<'_>> = rows.iter().map(|row| Columns::of_postgres("job", INSERTED, row)).collect();
    read_inserted(&rows, jobs, answers, &all)
}

/// What a statement did that inserted jobs without keys and was its own transaction. `rows` begin as those of
/// `enqueue.sql`; jobs that were there before are looked up.
pub(crate) async fn inserted_at_once(
    store: &SqlStore,
    jobs: &[NewJob],
    lanes: &[LaneId],
    rows: &[Columns<'_>],
    now: Timestamp,
) -> StoreResult<Inserted> {
    let mut answers: Vec<Option<Enqueued>> = vec![None; jobs.len()];
    let all: Vec<usize> = (0..jobs.len()).collect();
    read_inserted(rows, jobs, &mut answers, &all)?;
    complete(store, jobs, lanes, answers, now).await
}

async fn complete(
    store: &SqlStore,
    jobs: &[NewJob],
    lanes: &[LaneId],
    mut answers: Vec<Option<Enqueued>>,
    now: Timestamp,
) -> StoreResult<Inserted> {
    let open: Vec<usize> = (0..jobs.len()).filter(|&index| answers[index].is_none()).collect();
    if !open.is_empty() {
        let rest: Vec<NewJob> = open.iter().map(|&index| jobs[index].clone()).collect();
        let rest_lanes: Vec<LaneId> = open.iter().map(|&index| lanes[index]).collect();
        let found =
            with_retry(RetryBudget::repeatable(), || enqueue_once(store, &rest, &rest_lanes, now)).await?;
        for (index, answer) in open.into_iter().zip(found) {
            answers[index] = Some(answer);
        }
    }
    let answers: Vec<Enqueued> = answers.into_iter().flatten().collect();
    Ok(Inserted { claimable: claimable(jobs, lanes, &answers), answers, ..Inserted::default() })
}

async fn enqueue_once(
    store: &SqlStore,
    jobs: &[NewJob],
    lanes: &[LaneId],
    now: Timestamp,
) -> StoreResult<Vec<Enqueued>> {
    let transaction = store.pool().begin().await?;
    let inserted = insert(&transaction, jobs, lanes, now).await?;
    let bumps = bump_epoch(&transaction, inserted.older()).await?;
    // Lines record what is new.
    if inserted.answers.iter().all(|answer| answer.existing) {
        commit(transaction).await?;
    } else {
        commit_change(transaction).await?;
    }
    inserted.record(store);
    bumps.record(store);
    Ok(inserted.answers)
}

/// The lanes of jobs, in order; makes lanes and tenants that are new. To be called before the transaction.
pub(crate) async fn prepare<'a>(
    store: &SqlStore,
    jobs: impl IntoIterator<Item = &'a NewJob> + Clone,
    now: Timestamp,
) -> StoreResult<Vec<LaneId>> {
    lanes::record_tenants(store, jobs.clone().into_iter().map(|job| &job.tenant), now).await?;
    // Jobs that come together mostly share their lane: it is looked up once for all that follow one another.
    let (mut keys, mut places): (Vec<LaneKey>, Vec<usize>) = (Vec::new(), Vec::new());
    for job in jobs {
        if !keys.last().is_some_and(|last| is_of_lane(job, last)) {
            keys.push(lane_key(job));
        }
        places.push(keys.len() - 1);
    }
    let lanes = lanes::resolve(store, &keys).await?;
    Ok(places.into_iter().map(|place| lanes[place]).collect())
}

fn is_of_lane(job: &NewJob, lane: &LaneKey) -> bool {
    job.queue == lane.queue
        && job.tier == lane.tier
        && job.tenant == lane.tenant
        && job.workflow == lane.workflow
        && job.job_type == lane.job_type
        && job.rate_key == lane.rate_key
}

fn lane_key(job: &NewJob) -> LaneKey {
    LaneKey {
        queue: job.queue,
        tier: job.tier,
        tenant: job.tenant.clone(),
        workflow: job.workflow.clone(),
        job_type: job.job_type.clone(),
        rate_key: job.rate_key.clone(),
    }
}

/// Inserts jobs with their lanes from [`prepare`] and admits those whose concurrency key is free.
pub(crate) async fn insert<C: ConnectionTrait>(
    on: &C,
    jobs: &[NewJob],
    lanes: &[LaneId],
    now: Timestamp,
) -> StoreResult<Inserted> {
    let mut answers: Vec<Option<Enqueued>> = vec![None; jobs.len()];
    for start in (0..jobs.len()).step_by(CHUNK) {
        let end = jobs.len().min(start + CHUNK);
        let mut open: Vec<usize> = (start..end).collect();
        for _ in 0..ROUNDS_MAX {
            insert_round(on, jobs, lanes, &mut answers, &open, now).await?;
            open.retain(|&index| answers[index].is_none());
            if open.is_empty() {
                break;
            }
            find_holders(on, jobs, &mut answers, &open).await?;
            open.retain(|&index| answers[index].is_none());
            if open.is_empty() {
                break;
            }
        }
    }
    let answers: Option<Vec<Enqueued>> = answers.into_iter().collect();
    let answers =
        answers.ok_or_else(|| StoreError::Contended { source: "the unique keys keep changing".into() })?;
    store_payloads(on, jobs, &answers).await?;
    expiry::set(on, jobs, &answers).await?;
    store_attributes(on, jobs, &answers).await?;
    let mut inserted =
        Inserted { claimable: claimable(jobs, lanes, &answers), answers, ..Inserted::default() };
    let keys: Vec<String> = jobs
        .iter()
        .zip(&inserted.answers)
        .filter(|(job, answer)| !answer.existing && job.run_at <= now)
        .filter_map(|(job, _)| stored_concurrency_key(job))
        .collect();
    let admitted = admit(on, &keys, now).await?;
    inserted.claimable.extend(admitted.iter().map(|job| (job.queue, job.lane, job.position)));
    // An older job that was left behind when its key became free goes first.
    let new: HashSet<JobId> = jobs.iter().map(|job| job.id).collect();
    inserted.older = admitted.iter().filter(|job| !new.contains(&job.id)).map(|job| job.queue).collect();
    Ok(inserted)
}

/// Stores the large payloads of jobs that were new.
async fn store_payloads<C: ConnectionTrait>(
    on: &C,
    jobs: &[NewJob],
    answers: &[Enqueued],
) -> StoreResult<()> {
    let is_stored = |(job, answer): &(&NewJob, &Enqueued)| !answer.existing && payloads::is_large(&job.data);
    let large = jobs.iter().zip(answers).filter(is_stored);
    let large: Vec<(Uuid, &str)> = large.map(|(job, _)| (job.id.uuid(), job.data.as_str())).collect();
    payloads::store(on, &large).await
}

/// Stores the attributes of jobs that were new.
async fn store_attributes<C: ConnectionTrait>(
    on: &C,
    jobs: &[NewJob],
    answers: &[Enqueued],
) -> StoreResult<()> {
    let new = jobs.iter().zip(answers).filter(|(_, answer)| !answer.existing);
    attributes::insert(on, new.map(|(job, _)| (job.id.uuid(), job.attributes.as_slice()))).await
}

/// The lanes of new jobs that can be claimed, each once, with its first position. Blocked ones are announced by their
/// admission.
fn claimable(jobs: &[NewJob], lanes: &[LaneId], answers: &[Enqueued]) -> Vec<(QueueName, LaneId, i64)> {
    let new = jobs.iter().zip(lanes).zip(answers).filter(|((job, _), answer)| {
        !answer.existing && answer.status == JobStatus::Queued && job.concurrency_key.is_none()
    });
    let mut claimable: Vec<_> =
        new.map(|((job, &lane), answer)| (job.queue, lane, answer.position)).collect();
    claimable.sort_unstable();
    claimable.dedup_by_key(|(queue, lane, _)| (*queue, *lane));
    claimable
}

/// Inserts the jobs at `open` and fills in the answers of those that were new.
async fn insert_round<C: ConnectionTrait>(
    on: &C,
    jobs: &[NewJob],
    lanes: &[LaneId],
    answers: &mut [Option<Enqueued>],
    open: &[usize],
    now: Timestamp,
) -> StoreResult<()> {
    let mut values: Vec<Value> = vec![now.0.into()];
    let dialect = Dialect::of(on.get_database_backend());
    add_rows_of(&mut values, dialect, (jobs, lanes), open.iter().copied(), now);
    let rows = INSERT.all(on, values).await?;
    let rows = rows.iter().map(|row| Columns::of("job", INSERTED, row));
    read_inserted(&rows.collect::<StoreResult<Vec<_>>>()?, jobs, answers, open)
}

/// Fills in the answers of jobs that were inserted, from rows with the columns of [`INSERTED`].
fn read_inserted(
    rows: &[Columns<'_>],
    jobs: &[NewJob],
    answers: &mut [Option<Enqueued>],
    open: &[usize],
) -> StoreResult<()> {
    // An id that is twice in the batch was inserted once, for the first of the two.
    let mut by_id: HashMap<Uuid, usize> = HashMap::with_capacity(open.len());
    for &index in open.iter().rev() {
        by_id.insert(jobs[index].id.uuid(), index);
    }
    for row in rows.iter().copied() {
        if let Some(&index) = by_id.get(&row.get::<Uuid>(0)?) {
            let status = status::parse(row.get(2)?).ok_or_else(|| row.fault(2))?;
            let position = row.get(1)?;
            answers[index] = Some(Enqueued { id: jobs[index].id, position, status, existing: false });
        }
    }
    Ok(())
}

/// Fills in the answers of jobs that were there before, as far as they still are.
async fn find_holders<C: ConnectionTrait>(
    on: &C,
    jobs: &[NewJob],
    answers: &mut [Option<Enqueued>],
    open: &[usize],
) -> StoreResult<()> {
    let unique_keys: Vec<Option<String>> =
        open.iter().map(|&index| stored_unique_key(&jobs[index])).collect();
    let cells = open.iter().zip(&unique_keys).map(|(&index, key)| {
        [Cell::Int(index as i32), Cell::Uuid(jobs[index].id.uuid()), Cell::TextOrNull(key.as_deref())]
    });
    let rows = HOLDERS.all(on, bind::rows(Dialect::of(on.get_database_backend()), cells)).await?;
    let mut found: HashMap<usize, (i32, Enqueued)> = HashMap::with_capacity(open.len());
    for row in &rows {
        let row = Row::new("job", row);
        let (index, how) = (row.int("ord")? as usize, row.int("how")?);
        let holder = Enqueued {
            id: JobId::from_uuid(row.uuid("id")?),
            position: row.long("position")?,
            status: status::status(row, "state")?,
            existing: true,
        };
        if found.get(&index).is_none_or(|(known, _)| how < *known) {
            found.insert(index, (how, holder));
        }
    }
    for (index, (_, holder)) in found {
        answers[index] = Some(holder);
    }
    Ok(())
}
