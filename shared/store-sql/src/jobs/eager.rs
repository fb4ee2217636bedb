//! The eager start: jobs that come while nothing waits and a pool has idle slots are leased by the statement that
//! inserts them, which spares the second flush of a claim.
//!
//! It is a claim with remembered counts (see `claim.rs`) of jobs that are not there yet: the statement
//! compares the epoch of the queue's claim row and adds one. Where the epoch is another one, the jobs are queued as
//! usual. PostgreSQL only.

use std::borrow::Cow;
use std::time::Duration;

use domain::claim::all_may_start;
use domain::id::LeaseToken;
use domain::job::{AttemptFacts, JobStatus};
use domain::queue::LaneId;
use domain::time::Timestamp;
use store::audit::{AuditRecord, lines_taken, riding_lines};
use store::jobs::{ClaimRequest, ClaimedJob, EagerlyEnqueued, Enqueued, NewJob};
use store::{StoreError, StoreResult};
use tokio::sync::MutexGuard;
use uuid::Uuid;

use super::claim::{CacheGuard, filter, record_waits};
use super::enqueue::{enqueue_prepared, fit_one_statement, inserted_at_once, prepare};
use super::enqueue_fast::add_rows_of;
use crate::audit::{self, recorded};
use crate::bind::{List, Parameters};
use crate::claim_row::{expected_mark, left};
use crate::columns;
use crate::columns::{Arguments, Columns};
use crate::dialect::Dialect;
use crate::errors::corrupt;
use crate::memory::ClaimMemory;
use crate::memory_counts::{Change, Epoch};
use crate::memory_lanes::LaneMemory;
use crate::sql::Sql;
use crate::store::SqlStore;

/// The statement up to the end of the insert, also as a part of others: more parameters come from 29 on.
pub(crate) const INSERT: &str = include_str!("../../sql/enqueue_leased_postgres.sql");

/// Its end: a row for each job that was inserted, or one without any.
pub(crate) const INSERTED: &str =
    ") SELECT made.id, made.position, made.state, claim.place, claim.at FROM claim LEFT JOIN made ON true";

const COLUMNS: &[&str] = &["id", "position", "state", "place", "at"];
const PLACE: usize = 3;

/// What a statement says that leased jobs as it inserted them.
#[derive(Debug)]
pub(crate) struct Opened {
    /// How and where it left the queue's row.
    mark: String,
    /// When the leases began.
    at: Timestamp,
}

impl Opened {
    /// From a row with how the queue's row was left and the instant at these places; `None` where nothing could be
    /// leased.
    pub(crate) fn read(row: Columns<'_>, place: usize) -> StoreResult<Option<Self>> {
        let Some(mark) = row.get_or_null(place)? else {
            return Ok(None);
        };
        Ok(Some(Self { mark, at: Timestamp(row.get(place + 1)?) }))
    }
}

pub(super) static ENQUEUE: Sql = Sql::joined("enqueue_leased", [INSERT, INSERTED, ""]);
// The same, with lines of the audit log.
static ENQUEUE_RECORDED: Sql = Sql::joined("enqueue_leased_recorded", [INSERT, recorded!("29"), INSERTED]);

/// The insert of no job, for a connection that is to know the statement. The line is not written.
pub(super) fn enqueue_leased_of_nothing(line: &AuditRecord) -> (&'static Sql, Arguments) {
    let now = Timestamp(0);
    let mut arguments = Arguments::new().with(now.0);
    add_rows_of(&mut arguments, Dialect::Postgres, (&[], &[]), 0..0, now);
    add_no_leave(&mut arguments);
    audit::add_lines(&mut arguments, Dialect::Postgres, std::slice::from_ref(line));
    (&ENQUEUE_RECORDED, arguments)
}

/// How long the statement may take, during which this node claims nothing else from the queue.
const TIMEOUT: Duration = Duration::from_secs(10);

/// `JobStore::enqueue_eagerly`.
pub(super) async fn enqueue(
    store: &SqlStore,
    jobs: &[NewJob],
    claim: &ClaimRequest,
) -> StoreResult<EagerlyEnqueued> {
    if jobs.is_empty() {
        return Ok(EagerlyEnqueued::default());
    }
    let lanes = prepare(store, jobs, claim.now).await?;
    if let Some(leave) = EagerLeasePermit::try_acquire(store, jobs, &lanes, claim)
        && let Some(made) = leave.use_for([&ENQUEUE, &ENQUEUE_RECORDED], |_| {}).await?
    {
        return Ok(made);
    }
    let enqueued = enqueue_prepared(store, jobs, &lanes, claim.now).await?;
    Ok(EagerlyEnqueued { enqueued, leased: Vec::new() })
}

/// More jobs are not leased by one insert. Those that come in large batches are claimed.
const JOBS_MAX: usize = 256;

/// Leave to lease jobs that are about to be inserted, if the epoch is still the expected one by then.
pub(crate) struct EagerLeasePermit<'a> {
    store: &'a SqlStore,
    jobs: &'a [NewJob],
    lanes: &'a [LaneId],
    claim: &'a ClaimRequest,
    /// Which of the jobs, in the order in which to start them.
    picks: Vec<usize>,
    /// The lanes of those, each once, with the positions after which to look for jobs that wait.
    floors: Vec<(LaneId, i64)>,
    epoch: Epoch,
    /// Nobody else of this node claims from the queue meanwhile.
    _turn: MutexGuard<'a, ClaimMemory>,
    track: CacheGuard<'a>,
}

impl<'a> EagerLeasePermit<'a> {
    /// `None` where all jobs are to be queued: something waits, a limit is in the way, or it is not known.
    pub(crate) fn try_acquire(
        store: &'a SqlStore,
        jobs: &'a [NewJob],
        lanes: &'a [LaneId],
        claim: &'a ClaimRequest,
    ) -> Option<Self> {
        if store.dialect() != Dialect::Postgres || jobs.len() > JOBS_MAX || !fit_one_statement(jobs) {
            return None;
        }
        let picks = picks(jobs, claim);
        if picks.is_empty() {
            return None;
        }
        let queue = store.memory().queue(claim.queue);
        let turn = queue.try_claiming()?;
        let limits = turn.limits.as_ref()?;
        let (epoch, floors) = {
            let memory = queue.lanes();
            let LaneMemory { lanes: known, counts, .. } = &*memory;
            let (epoch, running) = counts.expected().filter(|_| memory.is_known_empty())?;
            let filter = filter(claim, Some(limits));
            let mut picked: Vec<LaneId> = picks.iter().map(|&pick| lanes[pick]).collect();
            if !all_may_start(known, running, &limits.table, &filter, &picked) {
                return None;
            }
            picked.sort_unstable();
            picked.dedup();
            (epoch, picked.into_iter().map(|lane| (lane, counts.floor(lane))).collect())
        };
        let track = CacheGuard::new(store, claim);
        Some(Self { store, jobs, lanes, claim, picks, floors, epoch, _turn: turn, track })
    }

    /// Runs a statement that begins with [`INSERT`] and ends with [`INSERTED`], or, where the call has lines of the audit
    /// log, the one beside it, which writes them, too. `None`: it failed in a way that may pass, and the jobs are to be
    /// enqueued as usual, which finds out about those that are there.
    pub(crate) async fn use_for(
        self,
        [plain, recorded]: [&'static Sql; 2],
        add_more: impl FnOnce(&mut Arguments),
    ) -> StoreResult<Option<EagerlyEnqueued>> {
        let now = self.claim.now;
        let mut arguments = Arguments::new().with(now.0);
        let places = 0..self.jobs.len();
        add_rows_of(&mut arguments, Dialect::Postgres, (self.jobs, self.lanes), places, now);
        self.add_parameters(&mut arguments);
        add_more(&mut arguments);
        let lines = riding_lines();
        let sql = if lines.is_empty() { plain } else { recorded };
        if !lines.is_empty() {
            audit::add_lines(&mut arguments, Dialect::Postgres, &lines);
        }
        let rows = tokio::time::timeout(TIMEOUT, columns::all(self.store, sql, arguments)).await;
        let rows = match rows {
            Ok(Ok(rows)) => rows,
            Ok(Err(error)) if error.is_retryable() => {
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "jobs are queued instead of leased"
                );
                return Ok(None);
            }
            Ok(Err(error)) => return Err(error),
            Err(elapsed) => return Err(StoreError::Unavailable { source: Box::new(elapsed) }),
        };
        let mut rows: Vec<Columns<'_>> =
            rows.iter().map(|row| Columns::of_postgres("job", COLUMNS, row)).collect();
        let Some(first) = rows.first() else {
            return Err(corrupt("queue_claim", "rows", 0));
        };
        let opened = Opened::read(*first, PLACE)?;
        if first.get_or_null::<Uuid>(0)?.is_none() {
            rows.clear();
        } else {
            lines_taken();
        }
        // Jobs that were there before are looked up, and are not leased.
        let inserted = inserted_at_once(self.store, self.jobs, self.lanes, &rows, self.claim.now).await?;
        inserted.record(self.store);
        let leased = self.record(opened, &inserted.answers);
        Ok(Some(EagerlyEnqueued { enqueued: inserted.answers, leased }))
    }

    /// Adds the parameters after those of the jobs. Without leave, `null`s in place of them ([`add_no_leave`]) keep the
    /// statement from leasing anything.
    pub(crate) fn add_parameters(&self, to: &mut impl Parameters) {
        let claim = self.claim;
        let mut tokens = vec![Uuid::nil(); self.jobs.len()];
        for (&pick, token) in self.picks.iter().zip(&claim.tokens) {
            tokens[pick] = token.0;
        }
        to.add(claim.queue.code());
        to.add(self.epoch.number);
        let place = self.store.memory().queue(claim.queue).claim_place(self.epoch);
        to.add(expected_mark(self.epoch, place.as_deref()));
        to.add_list(List::Uuids(tokens));
        to.add_list(List::Texts(self.workers().into_iter().map(Cow::Owned).collect()));
        to.add(claim.lease.0);
        to.add(self.store.lease_now(claim.now));
        to.add_list(List::Ints(self.floors.iter().map(|(lane, _)| lane.0).collect()));
        to.add_list(List::Longs(self.floors.iter().map(|(_, floor)| *floor).collect()));
    }

    /// Who leases: one name for all jobs where only one does, and one for each of the jobs otherwise.
    fn workers(&self) -> Vec<String> {
        let claim = self.claim;
        if claim.others.is_empty() {
            return vec![claim.worker_id.as_str().to_owned()];
        }
        let mut workers = vec![String::new(); self.jobs.len()];
        for (token, &pick) in self.picks.iter().enumerate() {
            claim.worker_of(token).as_str().clone_into(&mut workers[pick]);
        }
        workers
    }

    /// Records in the queue's memory whether the epoch was the expected one, and what was leased. To be called after
    /// the commit, with the answers for all jobs.
    pub(crate) fn record(self, opened: Option<Opened>, answers: &[Enqueued]) -> Vec<ClaimedJob> {
        let queue = self.store.memory().queue(self.claim.queue);
        let is_open = opened.is_some();
        let begun_at = opened.as_ref().map_or(self.claim.now, |opened| opened.at);
        // What cannot be read is not known; the jobs are leased all the same.
        let left = opened.and_then(|opened| left(self.epoch, &opened.mark).ok());
        let change = left.as_ref().map(|(after, _)| Change { before: self.epoch, after: *after });
        if left.is_some() {
            queue.record_claim_place(left);
        }
        let leased: Vec<(LaneId, ClaimedJob)> = self
            .picks
            .iter()
            .zip(&self.claim.tokens)
            .filter(|&(&pick, _)| is_open && is_leased(&answers[pick]))
            .map(|(&pick, &token)| {
                (self.lanes[pick], self.leased(pick, answers[pick].position, (token, begun_at)))
            })
            .collect();
        {
            let mut memory = queue.lanes();
            let LaneMemory { lanes: known, counts, .. } = &mut *memory;
            if let Some(change) = change {
                counts.was_right();
                counts.add_claimed(known, change, leased.iter().map(|(lane, _)| *lane));
            } else if is_open {
                counts.forget();
            } else if counts.epoch() == Some(self.epoch) {
                counts.was_wrong();
            }
        }
        self.track.commit();
        let leased: Vec<ClaimedJob> = leased.into_iter().map(|(_, job)| job).collect();
        record_waits(self.claim, &leased);
        leased
    }

    fn leased(&self, pick: usize, position: i64, (token, begun_at): (LeaseToken, Timestamp)) -> ClaimedJob {
        let (job, now) = (&self.jobs[pick], self.claim.now);
        let queued_at = job.run_at.max(now);
        ClaimedJob {
            id: job.id,
            queue: job.queue,
            job_type: job.job_type.clone(),
            tenant: job.tenant.clone(),
            workflow: job.workflow.clone(),
            tier: job.tier,
            position,
            data: job.data.clone(),
            attempt: 1,
            facts: AttemptFacts {
                attempt: 1,
                retries_max: job.retries_max,
                crashes: 0,
                backoff: job.backoff,
            },
            timeout: job.timeout,
            token,
            lease_until: self.claim.lease_until(begun_at, job.timeout),
            started_at: begun_at.max(queued_at),
            created_at: now,
            queued_at,
            traceparent: job.traceparent.clone(),
            execution_id: job.execution_id,
            node_id: job.node_id.clone(),
        }
    }
}

/// As many of the jobs that are due and asked for as there are slots, the highest tiers first.
fn picks(jobs: &[NewJob], claim: &ClaimRequest) -> Vec<usize> {
    let is_asked_for = |job: &NewJob| {
        job.queue == claim.queue
            && job.run_at <= claim.now
            && claim.job_types.as_ref().is_none_or(|types| types.contains(&job.job_type))
            && claim.tenant.as_ref().is_none_or(|tenant| *tenant == job.tenant)
    };
    let mut picks: Vec<usize> = (0..jobs.len()).filter(|&index| is_asked_for(&jobs[index])).collect();
    picks.sort_by_key(|&index| jobs[index].tier);
    picks.truncate(claim.tokens.len().min(claim.jobs_max as usize));
    picks
}

/// Adds what [`EagerLeasePermit::add_parameters`] would where nothing may be leased.
pub(crate) fn add_no_leave(to: &mut impl Parameters) {
    to.add(None::<i16>);
    to.add(None::<i64>);
    to.add(None::<String>);
    to.add_list(List::Uuids(Vec::new()));
    to.add_list(List::Texts(Vec::new()));
    to.add(None::<i64>);
    to.add(None::<i64>);
    to.add_list(List::Ints(Vec::new()));
    to.add_list(List::Longs(Vec::new()));
}

fn is_leased(answer: &Enqueued) -> bool {
    !answer.existing && answer.status == JobStatus::Processing
}
