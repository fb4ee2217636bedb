//! Enqueueing jobs of the common kind: without keys, and alike but for id, lane, time and payload. One statement that
//! is its own transaction, with only what differs bound for each job.

use std::borrow::Cow;
use std::collections::HashMap;
use std::slice;
use std::time::Instant;

use domain::job::JobStatus;
use domain::names::{CallerKey, TenantName};
use domain::queue::{LaneId, QueueName, Tier};
use domain::retry::Backoff;
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, Value};
use store::audit::{AuditRecord, lines_taken, riding_lines};
use store::jobs::{Enqueued, NewJob};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::status;
use crate::audit::recorded;
use crate::bind::{self, Cell, Parameters};
use crate::columns::{Arguments, Columns};
use crate::dialect::Dialect;
use crate::errors::is_unique_violation;
use crate::pool::commit;
use crate::sql::Sql;
use crate::store::SqlStore;
use crate::{audit, columns, packed, payloads};

const FAST: &str = include_str!("../../sql/enqueue_fast_postgres.sql");

pub(super) static POSTGRES: Sql = Sql::new("enqueue_fast", FAST);
// The same, with lines of the audit log.
static POSTGRES_RECORDED: Sql = Sql::joined(
    "enqueue_fast_recorded",
    ["WITH made AS (\n", FAST, concat!(recorded!("14"), ") SELECT made.* FROM made")],
);
pub(super) static SQLITE: Sql = Sql::new("enqueue_fast", include_str!("../../sql/enqueue_fast_sqlite.sql"));

// Which of a batch were inserted, where not all were: those of the last places up to that of the last insert. One may
// have ended since.
static NEWEST: Sql = Sql::new(
    "enqueue_fast_newest",
    "SELECT id, position FROM job WHERE id {any $1 uuid} AND position <= $2
     UNION ALL
     SELECT id, position FROM job_done WHERE id {any $1 uuid} AND position <= $2
     ORDER BY position DESC LIMIT $3",
);

const COLUMNS: &[&str] = &["id", "position"];

/// Whether these jobs are of this kind.
pub(super) fn is_eligible(jobs: &[NewJob]) -> bool {
    let Some((first, rest)) = jobs.split_first() else {
        return false;
    };
    let is_plain = |job: &NewJob| {
        job.unique_key.is_none()
            && job.concurrency_key.is_none()
            && job.execution_id.is_none()
            && job.node_id.is_none()
    };
    let is_alike = |job: &NewJob| {
        job.queue == first.queue
            && job.tier == first.tier
            && job.retries_max == first.retries_max
            && job.timeout == first.timeout
            && job.backoff == first.backoff
            && job.tags == first.tags
            && job.traceparent == first.traceparent
    };
    jobs.len() <= CHUNK && is_plain(first) && rest.iter().all(|job| is_plain(job) && is_alike(job))
}

/// What came of it.
pub(super) struct EnqueuedFast {
    /// `None` in the place of those that were there before, as far as that is known: where any is found in the way,
    /// none may have been inserted.
    pub(super) answers: Vec<Option<Enqueued>>,
    /// Whether the statement notified the other nodes of what it inserted.
    pub(super) is_announced: bool,
}

/// Inserts them.
pub(super) async fn insert(
    store: &SqlStore,
    jobs: &[NewJob],
    lanes: &[LaneId],
    now: Timestamp,
) -> StoreResult<EnqueuedFast> {
    // A single job announces itself. A batch would notify once for each of its jobs.
    let arrivals = &store.memory().queue(jobs[0].queue).arrivals;
    let mut head = if jobs.len() == 1 { arrivals.head_for_insert(Instant::now()) } else { None };
    let mut inserted = match store.dialect() {
        Dialect::Postgres => insert_on_postgres(store, jobs, lanes, head, now).await,
        Dialect::Sqlite => insert_on_sqlite(store, jobs, lanes, now).await,
    };
    let is_refused =
        |error: &StoreError| matches!(error, StoreError::Refused { .. }) && !is_unique_violation(error);
    if head.is_some() && inserted.as_ref().is_err_and(is_refused) {
        // No job is lost because a notification cannot be stored, as where somebody listens and never reads.
        head = None;
        inserted = insert_on_postgres(store, jobs, lanes, head, now).await;
    }
    let inserted = match inserted {
        Err(error) if is_unique_violation(&error) => Vec::new(),
        inserted => inserted?,
    };
    let is_announced = head.is_some() && !inserted.is_empty();
    Ok(EnqueuedFast { answers: answers(jobs, inserted, now), is_announced })
}

/// Answers by the ids and positions of what was inserted.
fn answers(jobs: &[NewJob], inserted: Vec<(Uuid, i64)>, now: Timestamp) -> Vec<Option<Enqueued>> {
    let answer = |job: &NewJob, position| Enqueued {
        id: job.id,
        position,
        status: if job.run_at > now { JobStatus::Scheduled } else { JobStatus::Queued },
        existing: false,
    };
    // Rows come in the order of the jobs, as long as none is left out.
    if inserted.len() == jobs.len() && inserted.iter().zip(jobs).all(|((id, _), job)| *id == job.id.uuid()) {
        return jobs.iter().zip(inserted).map(|(job, (_, position))| Some(answer(job, position))).collect();
    }
    // An id that is twice in the batch was inserted once, for the first of the two.
    let mut positions: HashMap<Uuid, i64> = inserted.into_iter().collect();
    jobs.iter().map(|job| Some(answer(job, positions.remove(&job.id.uuid())?))).collect()
}

/// The insert of no job, for a connection that is to know the statement. The line is not written.
pub(super) fn enqueue_of_nothing(line: &AuditRecord) -> (&'static Sql, Arguments) {
    let mut arguments = Arguments::new()
        .with(0_i64)
        .with(QueueName::Node.code())
        .with(0_i32)
        .with(Tier::Normal.code())
        .with(None::<i64>)
        .with(None::<String>)
        .with(None::<String>)
        .with(None::<&str>)
        .with_uuids(std::iter::empty())
        .with(Vec::<i32>::new())
        .with(Vec::<i64>::new())
        .with_texts(std::iter::empty())
        .with(None::<&str>);
    audit::add_lines(&mut arguments, Dialect::Postgres, slice::from_ref(line));
    (&POSTGRES_RECORDED, arguments)
}

async fn insert_on_postgres(
    store: &SqlStore,
    jobs: &[NewJob],
    lanes: &[LaneId],
    head: Option<&str>,
    now: Timestamp,
) -> StoreResult<Vec<(Uuid, i64)>> {
    let (first, lines) = (&jobs[0], riding_lines());
    let mut arguments = Arguments::new()
        .with(now.0)
        .with(first.queue.code())
        .with(retries(first))
        .with(first.tier.code())
        .with(first.timeout.map(|timeout| timeout.0))
        .with(backoff_text(&first.backoff))
        .with(tags_text(&first.tags))
        .with(first.traceparent.as_deref())
        .with_uuids(jobs.iter().map(|job| job.id.uuid()))
        .with(lanes.iter().map(|lane| lane.0).collect::<Vec<i32>>())
        .with(jobs.iter().map(|job| job.run_at.0).collect::<Vec<i64>>())
        .with_texts(jobs.iter().map(|job| job.data.as_str()))
        .with(head);
    let statement = if lines.is_empty() {
        &POSTGRES
    } else {
        audit::add_lines(&mut arguments, Dialect::Postgres, &lines);
        &POSTGRES_RECORDED
    };
    let rows = columns::all(store, statement, arguments).await?;
    if !rows.is_empty() {
        lines_taken();
    }
    rows.iter().map(|row| inserted(Columns::of_postgres("job", COLUMNS, row))).collect()
}

async fn insert_on_sqlite(
    store: &SqlStore,
    jobs: &[NewJob],
    lanes: &[LaneId],
    now: Timestamp,
) -> StoreResult<Vec<(Uuid, i64)>> {
    let first = &jobs[0];
    let mut values: Vec<Value> = vec![
        now.0.into(),
        first.queue.code().into(),
        retries(first).into(),
        first.tier.code().into(),
        first.timeout.map(|timeout| timeout.0).into(),
        backoff_text(&first.backoff).into(),
        tags_text(&first.tags).into(),
        first.traceparent.clone().into(),
        packed::uuids(jobs.iter().map(|job| job.id.uuid())),
        packed::lanes_and_instants(jobs.iter().zip(lanes).map(|(job, lane)| (lane.0, job.run_at.0))),
    ];
    values.extend(packed::texts(jobs.iter().map(|job| Some(job.data.as_str()))));
    let smallest = jobs.iter().map(|job| job.id.uuid()).min().unwrap_or_default();
    values.extend([packed::uuids(std::iter::once(smallest)), packed::longs(distinct(lanes).into_iter())]);
    let lines = riding_lines();
    if lines.is_empty() {
        return insert_values(store.pool().write(), jobs, values).await;
    }
    let transaction = store.pool().begin().await?;
    let inserted = insert_values(&transaction, jobs, values).await?;
    if !inserted.is_empty() {
        audit::append(&transaction, Dialect::Sqlite, &lines).await?;
        lines_taken();
    }
    commit(transaction).await?;
    Ok(inserted)
}

/// Runs the statement of SQLite; answers ids and positions of what it inserted.
async fn insert_values<C: ConnectionTrait>(
    on: &C,
    jobs: &[NewJob],
    values: Vec<Value>,
) -> StoreResult<Vec<(Uuid, i64)>> {
    let (count, last) = SQLITE.insert(on, values).await?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let last = i64::try_from(last).unwrap_or(i64::MAX);
    if count == jobs.len() as u64 {
        // Nobody else writes meanwhile, so that their places follow on each other, up to the last one's.
        let first = last - (jobs.len() as i64 - 1);
        return Ok(jobs.iter().map(|job| job.id.uuid()).zip(first..).collect());
    }
    let list = bind::uuids(Dialect::Sqlite, jobs.iter().map(|job| job.id.uuid()));
    let values = vec![list, last.into(), i64::try_from(count).unwrap_or(i64::MAX).into()];
    let rows = NEWEST.all(on, values).await?;
    rows.iter().map(|row| inserted(Columns::of("job", COLUMNS, row)?)).collect()
}

/// Each of the lanes once.
fn distinct(lanes: &[LaneId]) -> Vec<i64> {
    let mut distinct: Vec<i64> = lanes.iter().map(|lane| i64::from(lane.0)).collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

fn inserted(row: Columns<'_>) -> StoreResult<(Uuid, i64)> {
    Ok((row.get(0)?, row.get(1)?))
}

fn retries(job: &NewJob) -> i32 {
    i32::try_from(job.retries_max).unwrap_or(i32::MAX)
}

// Unique and concurrency keys as they are stored: with their scope in front. Names hold no `/`.

/// A unique key counts within its tenant.
pub(crate) fn unique_key(tenant: &TenantName, key: &CallerKey) -> String {
    format!("{tenant}/{key}")
}

/// The caller's part of a stored unique key.
pub(crate) fn shown_unique_key(stored: &str) -> String {
    stored.split_once('/').map_or(stored, |(_, key)| key).to_owned()
}

/// A concurrency key counts within its tenant and queue.
pub(crate) fn concurrency_key(tenant: &TenantName, queue: QueueName, key: &CallerKey) -> String {
    format!("{tenant}/{}/{key}", queue.code())
}

/// The caller's part of a stored concurrency key.
pub(crate) fn shown_concurrency_key(stored: &str) -> String {
    stored.splitn(3, '/').nth(2).unwrap_or(stored).to_owned()
}

/// Tenant, queue and the caller's part of a stored concurrency key.
pub(super) fn parts_of_concurrency_key(stored: &str) -> Option<(&str, QueueName, &str)> {
    let mut parts = stored.splitn(3, '/');
    let (tenant, code, key) = (parts.next()?, parts.next()?, parts.next()?);
    Some((tenant, QueueName::from_code(code.parse().ok()?)?, key))
}

// Jobs as the rows of the statement that inserts them.

/// Adds the parameters of the row source of `enqueue.sql`, for the jobs at `open`; there may be none.
pub(crate) fn add_rows_of(
    to: &mut impl Parameters,
    dialect: Dialect,
    (jobs, lanes): (&[NewJob], &[LaneId]),
    open: impl ExactSizeIterator<Item = usize> + Clone,
    now: Timestamp,
) {
    let texts: Vec<Texts<'_>> = open.clone().map(|index| Texts::of(&jobs[index])).collect();
    let cells = open.zip(&texts).enumerate().map(|(place, (index, texts))| {
        let job = &jobs[index];
        [
            Cell::Int(place as i32),
            Cell::Uuid(job.id.uuid()),
            Cell::Int(i32::from(job.queue.code())),
            Cell::Int(lanes[index].0),
            Cell::Text(first_state(job, now)),
            Cell::Int(i32::try_from(job.retries_max).unwrap_or(i32::MAX)),
            Cell::Long(job.run_at.0),
            Cell::Long(job.run_at.max(now).0),
            Cell::Int(i32::from(job.tier.code())),
            Cell::LongOrNull(job.timeout.map(|timeout| timeout.0)),
            Cell::TextOrNull(texts.backoff.as_deref()),
            Cell::TextOrNull(texts.unique_key.as_deref()),
            Cell::TextOrNull(texts.concurrency_key.as_deref()),
            Cell::TextOrNull(texts.tags.as_deref()),
            Cell::TextOrNull(job.traceparent.as_deref()),
            Cell::UuidOrNull(job.execution_id.map(domain::id::Id::uuid)),
            Cell::TextOrNull(job.node_id.as_ref().map(domain::names::NodeId::as_str)),
            Cell::Text(&texts.data),
        ]
    });
    bind::add_rows_or_none(to, dialect, SHAPE, cells);
}

/// A row of the row source of `enqueue.sql`, for its types.
const SHAPE: [Cell<'static>; 18] = [
    Cell::Int(0),
    Cell::Uuid(Uuid::nil()),
    Cell::Int(0),
    Cell::Int(0),
    Cell::Text(""),
    Cell::Int(0),
    Cell::Long(0),
    Cell::Long(0),
    Cell::Int(0),
    Cell::LongOrNull(None),
    Cell::TextOrNull(None),
    Cell::TextOrNull(None),
    Cell::TextOrNull(None),
    Cell::TextOrNull(None),
    Cell::TextOrNull(None),
    Cell::UuidOrNull(None),
    Cell::TextOrNull(None),
    Cell::Text(""),
];

/// Jobs with a concurrency key start out blocked; they are admitted in the same transaction if the key is free.
fn first_state(job: &NewJob, now: Timestamp) -> &'static str {
    if job.run_at > now {
        status::SCHEDULED
    } else if job.concurrency_key.is_some() {
        status::BLOCKED
    } else {
        status::QUEUED
    }
}

/// Columns that are made of several values.
struct Texts<'a> {
    backoff: Option<String>,
    unique_key: Option<String>,
    concurrency_key: Option<String>,
    tags: Option<String>,
    data: Cow<'a, str>,
}

impl<'a> Texts<'a> {
    fn of(job: &'a NewJob) -> Self {
        Self {
            backoff: backoff_text(&job.backoff),
            unique_key: stored_unique_key(job),
            concurrency_key: stored_concurrency_key(job),
            tags: tags_text(&job.tags),
            data: payloads::in_row(&job.data),
        }
    }
}

/// A backoff as it is stored; null for the default.
pub(crate) fn backoff_text(backoff: &Backoff) -> Option<String> {
    if *backoff == Backoff::default() { None } else { serde_json::to_string(backoff).ok() }
}

/// Tags as they are stored: a JSON array, null for none.
pub(crate) fn tags_text(tags: &[domain::names::Tag]) -> Option<String> {
    if tags.is_empty() { None } else { serde_json::to_string(tags).ok() }
}

/// How many jobs one statement inserts.
pub(super) const CHUNK: usize = 1_000;

pub(super) fn stored_unique_key(job: &NewJob) -> Option<String> {
    job.unique_key.as_ref().map(|key| unique_key(&job.tenant, key))
}

pub(super) fn stored_concurrency_key(job: &NewJob) -> Option<String> {
    job.concurrency_key.as_ref().map(|key| concurrency_key(&job.tenant, job.queue, key))
}
