//! The eager start: jobs that come while nothing waits and a pool has idle hands are leased by the statement that inserts
//! them, which spares the second flush of a claim.
//!
//! It is a claim with remembered counts (see `claim/expected.rs`) of jobs that are not there yet: the statement compares
//! the epoch of the queue's claim row and adds one. Where the epoch is another one, the jobs are queued as usual.
//! PostgreSQL only.

use std::time::Duration;

use domain::claim::all_may_start;
use domain::job::{AttemptFacts, JobStatus};
use domain::lane::LaneId;
use sea_orm::{QueryResult, Value};
use store::jobs::{ClaimRequest, ClaimedJob, EagerlyEnqueued, Enqueued, NewJob};
use store::{StoreError, StoreResult};
use tokio::sync::MutexGuard;

use super::claim::{Track, filter, note_waits};
use super::enqueue::{enqueue_prepared, fit_one_statement, inserted_at_once, prepare};
use super::enqueue_rows::rows_of;
use crate::bind;
use crate::dialect::Dialect;
use crate::memory::{ClaimMemory, LaneMemory};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

/// The statement up to the end of the insert, also as a part of others: more parameters come from 27 on.
pub(crate) const INSERT: &str = include_str!("../../sql/enqueue_leased_postgres.sql");

/// Its end: a row for each job that was inserted, or one without any.
pub(crate) const INSERTED: &str =
    ") SELECT made.id, made.position, made.state, claim.place FROM claim LEFT JOIN made ON true";

pub(super) static ENQUEUE: Sql = Sql::joined("enqueue_leased", [INSERT, INSERTED, ""]);

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
    if let Some(leave) = Leave::ask(store, jobs, &lanes, claim)
        && let Some(made) = leave.use_for(&ENQUEUE, Vec::new()).await?
    {
        return Ok(made);
    }
    let enqueued = enqueue_prepared(store, jobs, &lanes, claim.now).await?;
    Ok(EagerlyEnqueued { enqueued, leased: Vec::new() })
}

/// Leave to lease jobs that are about to be inserted, if the epoch is still the expected one by then.
pub(crate) struct Leave<'a> {
    store: &'a SqlStore,
    jobs: &'a [NewJob],
    lanes: &'a [LaneId],
    claim: &'a ClaimRequest,
    epoch: i64,
    /// Nobody else of this node claims from the queue meanwhile.
    _turn: MutexGuard<'a, ClaimMemory>,
}

impl<'a> Leave<'a> {
    /// `None` where the jobs are to be queued: something waits, a limit is in the way, or it is not known.
    pub(crate) fn ask(
        store: &'a SqlStore,
        jobs: &'a [NewJob],
        lanes: &'a [LaneId],
        claim: &'a ClaimRequest,
    ) -> Option<Self> {
        let is_due = |job: &NewJob| job.queue == claim.queue && job.run_at <= claim.now;
        let hands = claim.tokens.len().min(claim.jobs_max as usize);
        if store.dialect() != Dialect::Postgres || jobs.len() > hands {
            return None;
        }
        if !fit_one_statement(jobs) || !jobs.iter().all(is_due) {
            return None;
        }
        let queue = store.memory().queue(claim.queue);
        let turn = queue.try_claiming()?;
        let limits = turn.limits.as_ref()?;
        let epoch = {
            let memory = queue.lanes();
            let LaneMemory { lanes: known, counts, .. } = &*memory;
            let (epoch, running) = counts.expected().filter(|_| memory.is_known_empty())?;
            let filter = filter(claim, &limits.paused);
            all_may_start(known, running, &limits.table, &filter, lanes).then_some(epoch)?
        };
        Some(Self { store, jobs, lanes, claim, epoch, _turn: turn })
    }

    /// Runs a statement that begins with [`INSERT`] and ends with [`INSERTED`]. `None`: it failed in a way that may pass,
    /// and the jobs are to be enqueued as usual, which finds out about those that are there.
    pub(crate) async fn use_for(
        self,
        sql: &'static Sql,
        more: Vec<Value>,
    ) -> StoreResult<Option<EagerlyEnqueued>> {
        let track = Track::new(self.store, self.claim);
        let mut values = self.values();
        values.extend(more);
        let rows = tokio::time::timeout(TIMEOUT, sql.all(self.store.pool().write(), values)).await;
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
        let made = self.note(&rows).await?;
        track.keep();
        Ok(Some(made))
    }

    fn values(&self) -> Vec<Value> {
        let claim = self.claim;
        let all: Vec<usize> = (0..self.jobs.len()).collect();
        let mut values = vec![claim.now.0.into()];
        values.extend(rows_of(Dialect::Postgres, self.jobs, self.lanes, &all, claim.now));
        values.extend([
            claim.queue.code().into(),
            self.epoch.into(),
            self.store.memory().queue(claim.queue).claim_place(self.epoch).into(),
            bind::uuids(Dialect::Postgres, claim.tokens.iter().map(|token| token.0)),
            claim.worker_id.as_str().into(),
            claim.lease.0.into(),
            claim.now.plus(claim.lease).0.into(),
        ]);
        values
    }

    /// Tells the memory of the queue what was leased, and whether the epoch was the expected one.
    async fn note(&self, rows: &[QueryResult]) -> StoreResult<EagerlyEnqueued> {
        let queue = self.store.memory().queue(self.claim.queue);
        let mut place: Option<String> = None;
        let mut made: &[QueryResult] = rows;
        if let Some(first) = rows.first() {
            let first = Row::new("job", first);
            place = first.text_or_null("place")?;
            if first.uuid_or_null("id")?.is_none() {
                made = &[];
            }
        }
        let is_open = place.is_some();
        if is_open {
            queue.note_claim_place(self.epoch + 1, place);
        }
        // Jobs that were there before are looked up, and are not leased.
        let inserted = inserted_at_once(self.store, self.jobs, self.lanes, made, self.claim.now).await?;
        inserted.note(self.store);
        let leased: Vec<ClaimedJob> = if is_open { self.leased(&inserted.answers) } else { Vec::new() };
        let mut memory = queue.lanes();
        let LaneMemory { lanes: known, counts, .. } = &mut *memory;
        if is_open {
            let of_leased = |(answer, _): &(&Enqueued, &LaneId)| is_leased(answer);
            let lanes = inserted.answers.iter().zip(self.lanes).filter(of_leased).map(|(_, &lane)| lane);
            counts.was_right();
            counts.add_claimed(known, self.epoch, lanes);
        } else if counts.epoch() == Some(self.epoch) {
            counts.was_wrong();
        }
        drop(memory);
        note_waits(self.claim, &leased);
        Ok(EagerlyEnqueued { enqueued: inserted.answers, leased })
    }

    fn leased(&self, answers: &[Enqueued]) -> Vec<ClaimedJob> {
        let jobs = self.jobs.iter().zip(answers).zip(&self.claim.tokens);
        let leased = jobs.filter(|((_, answer), _)| is_leased(answer)).map(|((job, answer), &token)| {
            let lease_until = self.claim.now.plus(self.claim.lease);
            let until = |timeout| lease_until.min(self.claim.now.plus(timeout));
            ClaimedJob {
                id: job.id,
                queue: job.queue,
                job_type: job.job_type.clone(),
                tenant: job.tenant.clone(),
                workflow: job.workflow.clone(),
                tier: job.tier,
                position: answer.position,
                data: job.data.clone(),
                attempt: 1,
                facts: AttemptFacts {
                    attempt: 1,
                    retries_max: job.retries_max,
                    crashes: 0,
                    backoff: job.backoff.clone(),
                },
                timeout: job.timeout,
                token,
                // A lease ends with its attempt, as the statement writes it.
                lease_until: job.timeout.map_or(lease_until, until),
                created_at: self.claim.now,
                queued_at: job.run_at.max(self.claim.now),
                traceparent: job.traceparent.clone(),
                execution_id: job.execution_id,
                node_id: job.node_id.clone(),
            }
        });
        let mut leased: Vec<ClaimedJob> = leased.collect();
        leased.sort_by_key(|job| job.tier);
        leased
    }
}

fn is_leased(answer: &Enqueued) -> bool {
    !answer.existing && answer.status == JobStatus::Processing
}
