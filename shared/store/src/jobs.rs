//! Jobs: enqueue, claim, lease, settle, and the upkeep of their states.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::attribute::StoredAttribute;
use domain::build::WorkerBuild;
use domain::failure::JobError;
use domain::id::{ExecutionId, JobId, LeaseToken};
use domain::job::{AttemptFacts, Disposition, JobStatus};
use domain::names::{CallerKey, JobType, NodeId, Tag, TenantName, WorkerId};
use domain::queue::{LaneId, LaneKey, QueueName, Tier, WorkflowRef};
use domain::retry::Backoff;
use domain::time::{DurationMs, Timestamp};

use crate::error::StoreResult;

mod facts;
mod record;

pub use facts::{ExpiredJob, ExpiredStarts, SettledFacts, WaitFacts};
pub use record::{AttemptRecord, JobRecord};

/// A job to enqueue.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// Its id. Enqueueing an id that is there already changes nothing and answers [`Enqueued::existing`].
    pub id: JobId,
    /// The queue that it waits in.
    pub queue: QueueName,
    /// The tier at which it waits; aging may move it up.
    pub tier: Tier,
    /// The tenant that it belongs to and counts against.
    pub tenant: TenantName,
    /// The workflow it counts against.
    pub workflow: Option<WorkflowRef>,
    /// By which workers choose what they claim and which handler runs it.
    pub job_type: JobType,
    /// The payload as raw JSON text.
    pub data: String,
    /// When it may run; at or before `now` it is QUEUED at once.
    pub run_at: Timestamp,
    /// Until when it may be started for the first time; see [`JobStore::expire_unstarted`].
    pub expires_at: Option<Timestamp>,
    /// How often it is retried.
    pub retries_max: u32,
    /// How long it waits between attempts.
    pub backoff: Backoff,
    /// How long one attempt may take; `None` is unlimited.
    pub timeout: Option<DurationMs>,
    /// At most one unfinished job of a tenant has this key.
    pub unique_key: Option<CallerKey>,
    /// At most one leased job of a tenant has this key; the others wait without being scanned.
    pub concurrency_key: Option<CallerKey>,
    /// Its starts are counted under this key of the tenant besides, where a rate is set for it.
    pub rate_key: Option<CallerKey>,
    /// For filters of lists; claims ignore them.
    pub tags: Vec<Tag>,
    /// W3C trace context, carried to the worker.
    pub traceparent: Option<String>,
    /// The execution it belongs to (node jobs, and the job of the execution itself).
    pub execution_id: Option<ExecutionId>,
    /// The node it runs.
    pub node_id: Option<NodeId>,
    /// Searchable attributes, stored with it where it is new.
    pub attributes: Vec<StoredAttribute>,
}

/// What became of one enqueued job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enqueued {
    /// The job's id: the new one's, or that of the job which holds the unique key.
    pub id: JobId,
    /// Its position in its lane: smaller ones are served first.
    pub position: i64,
    /// Its state after the call.
    pub status: JobStatus,
    /// Whether the job was there before (same id, or same unique key).
    pub existing: bool,
}

/// What became of jobs that were enqueued eagerly.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EagerlyEnqueued {
    /// The answers of [`JobStore::enqueue`], in order.
    pub enqueued: Vec<Enqueued>,
    /// Those that are leased already, in the order in which to start them.
    pub leased: Vec<ClaimedJob>,
}

/// The most jobs of one claim, whatever was asked for.
pub const JOBS_PER_CLAIM_MAX: u32 = 1_000;

/// A claim for one pool, or for polling workers that ask for the same.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimRequest {
    /// The queue whose jobs are claimed.
    pub queue: QueueName,
    /// Only jobs of this tenant.
    pub tenant: Option<TenantName>,
    /// Only these job types; `None` takes every type.
    pub job_types: Option<Vec<JobType>>,
    /// The build of those who claim, for job types that are pinned to builds.
    pub build: WorkerBuild,
    /// How many at most.
    pub jobs_max: u32,
    /// How long the leases hold.
    pub lease: DurationMs,
    /// Who claims; written to the leases.
    pub worker_id: WorkerId,
    /// Others who claim the same in one go, in the order of their tokens.
    pub others: Vec<Claimer>,
    /// One fresh random token for each job that may be claimed (`jobs_max` of them).
    pub tokens: Vec<LeaseToken>,
    /// The present instant, from which leases are counted.
    pub now: Timestamp,
}

/// One of several who claim together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimer {
    /// Who it is; written to its leases.
    pub worker_id: WorkerId,
    /// Which of the tokens is its first one.
    pub first_token: usize,
}

impl ClaimRequest {
    /// Whose tokens follow each other, each with the index of the first.
    pub fn claimers(&self) -> impl Iterator<Item = (&WorkerId, usize)> {
        let others = self.others.iter().map(|other| (&other.worker_id, other.first_token));
        std::iter::once((&self.worker_id, 0)).chain(others)
    }

    /// Whose token has this index.
    pub fn worker_of(&self, token: usize) -> &WorkerId {
        let before = self.others.partition_point(|other| other.first_token <= token);
        before.checked_sub(1).map_or(&self.worker_id, |last| &self.others[last].worker_id)
    }

    /// When the lease of a job ends that begins at this instant and has this timeout: never after its attempt.
    pub fn lease_until(&self, begun_at: Timestamp, timeout: Option<DurationMs>) -> Timestamp {
        let end = begun_at.plus(self.lease);
        timeout.map_or(end, |timeout| end.min(begun_at.plus(timeout)))
    }
}

/// A leased job, as a handler gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedJob {
    /// Its id, which handlers use as an idempotency key.
    pub id: JobId,
    /// The queue that it was claimed from.
    pub queue: QueueName,
    /// Which handler runs it.
    pub job_type: JobType,
    /// The tenant that it belongs to.
    pub tenant: TenantName,
    /// The workflow it counts against.
    pub workflow: Option<WorkflowRef>,
    /// The tier at which it was served.
    pub tier: Tier,
    /// Its position in its lane.
    pub position: i64,
    /// The payload as raw JSON text.
    pub data: String,
    /// The number of this attempt, over the whole life of the job, from 1.
    pub attempt: u32,
    /// What the decision after the attempt depends on (crashes as they are now).
    pub facts: AttemptFacts,
    /// How long one attempt may take; `None` is unlimited.
    pub timeout: Option<DurationMs>,
    /// The token of this lease.
    pub token: LeaseToken,
    /// When the lease ends (never after the attempt's own deadline).
    pub lease_until: Timestamp,
    /// When the attempt and its lease began, as the store has it; never before the job was queued.
    pub started_at: Timestamp,
    /// When the job was created.
    pub created_at: Timestamp,
    /// When it last became claimable, for the wait time.
    pub queued_at: Timestamp,
    /// W3C trace context of whoever enqueued it.
    pub traceparent: Option<String>,
    /// The execution it belongs to.
    pub execution_id: Option<ExecutionId>,
    /// The node it runs.
    pub node_id: Option<NodeId>,
}

impl ClaimedJob {
    /// The lease under which it was claimed.
    pub fn lease(&self) -> LeaseRef {
        LeaseRef { id: self.id, token: self.token }
    }

    /// Whether the job may have been leased before, so that an error or progress of then may be in its row.
    pub fn may_have_history(&self) -> bool {
        self.attempt > 1 || self.queued_at > self.created_at
    }
}

/// What earlier attempts of a job left for the next one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EarlierAttempts {
    /// The error of the last attempt that failed.
    pub error: Option<JobError>,
    /// The last progress that was reported, as raw JSON text.
    pub progress: Option<String>,
}

/// A lease of a job: the job and the fencing token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LeaseRef {
    /// The job that is leased.
    pub id: JobId,
    /// The token of the lease.
    pub token: LeaseToken,
}

/// A lease to renew.
#[derive(Debug, Clone, PartialEq)]
pub struct LeaseExtension {
    /// The lease to renew.
    pub lease: LeaseRef,
    /// How much longer from now on; cut at the attempt's deadline. `None` takes the length it was claimed with.
    pub extend: Option<DurationMs>,
    /// Progress as raw JSON text, shown to whoever looks at the job and given to the attempt after this one.
    pub progress: Option<String>,
}

/// A lease that is given back without consuming an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GiveBack {
    /// The lease to give back.
    pub lease: LeaseRef,
    /// When the job may run again; `None`: at once.
    pub due: Option<Timestamp>,
    /// Whether it is an offer that nobody took in time, which the job counts.
    pub is_untaken_offer: bool,
}

impl GiveBack {
    /// An offer that nobody took in time.
    pub const fn untaken(offer: LeaseRef) -> Self {
        Self { lease: offer, due: None, is_untaken_offer: true }
    }
}

impl From<LeaseRef> for GiveBack {
    fn from(lease: LeaseRef) -> Self {
        Self { lease, due: None, is_untaken_offer: false }
    }
}

/// The answer to a write that carries a lease, from the store to the worker that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseAnswer<T = ()> {
    /// The lease held, and the change is committed.
    Ok(T),
    /// The same lease was settled before, in the same way: a repeated call after a lost answer.
    AlreadyDone,
    /// The job was cancelled under this lease. Nothing was written.
    Cancelled,
    /// The lease is gone: expired and reaped, or never this caller's. Nothing was written.
    LeaseLost,
}

impl<T> LeaseAnswer<T> {
    /// The public name: the `outcome` of a report.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Ok(_) => "ok",
            Self::AlreadyDone => "already_done",
            Self::Cancelled => "cancelled",
            Self::LeaseLost => "lease_lost",
        }
    }

    /// What the write did; `None` if the lease was not valid.
    pub const fn ok(&self) -> Option<&T> {
        match self {
            Self::Ok(done) => Some(done),
            Self::AlreadyDone | Self::Cancelled | Self::LeaseLost => None,
        }
    }

    /// The answer without what the write did.
    pub const fn bare(&self) -> LeaseAnswer {
        match self {
            Self::Ok(_) => LeaseAnswer::Ok(()),
            Self::AlreadyDone => LeaseAnswer::AlreadyDone,
            Self::Cancelled => LeaseAnswer::Cancelled,
            Self::LeaseLost => LeaseAnswer::LeaseLost,
        }
    }
}

/// What is written for an attempt: its disposition, under its lease.
#[derive(Debug, Clone, PartialEq)]
pub struct Settlement {
    /// The lease of the attempt. Without it nothing is written.
    pub lease: LeaseRef,
    /// What becomes of the job.
    pub disposition: Disposition,
}

/// The result of a settlement: the job as the commit left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettleResult {
    /// The queue of the job, whose slots became free.
    pub queue: QueueName,
    /// The state of the job now.
    pub status: JobStatus,
    /// The execution whose inbox got the result, for node jobs that ended for good.
    pub execution_id: Option<ExecutionId>,
    /// For those who measure; not known of every job.
    pub facts: Option<Box<SettledFacts>>,
}

/// What the engine needs to know of a leased job to decide what becomes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct LeasedJob {
    /// Its lease, live or ended.
    pub lease: LeaseRef,
    /// The tenant, which the caller's scope is checked against.
    pub tenant: TenantName,
    /// The queue that it was claimed from.
    pub queue: QueueName,
    /// The workflow it counts against.
    pub workflow: Option<WorkflowRef>,
    /// Which handler runs it.
    pub job_type: JobType,
    /// What the decision depends on.
    pub facts: AttemptFacts,
    /// When the attempt's time is up.
    pub deadline_at: Option<Timestamp>,
    /// When the lease ends or ended.
    pub lease_until: Timestamp,
}

/// A leased job whose lease ended.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpiredLease {
    /// The job and the lease that ended.
    pub leased: LeasedJob,
    /// The worker that held the lease.
    pub worker_id: WorkerId,
    /// The execution whose own job this is, where it is one.
    pub execution_id: Option<ExecutionId>,
}

/// What one call of promotion changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Promoted {
    /// How many jobs became QUEUED, by queue.
    pub by_queue: Vec<(QueueName, u32)>,
    /// The lane of each of them, and the tier that it was enqueued at.
    pub lanes: Vec<(QueueName, LaneId, Tier)>,
    /// Whether there may be more.
    pub more: bool,
}

/// What a change of a job by an operator did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobChange {
    /// Done; the job's state now and its queue.
    Changed {
        /// The job's state now.
        status: JobStatus,
        /// The queue of the job.
        queue: QueueName,
        /// The execution whose inbox got the result, where the job was a node's.
        execution_id: Option<ExecutionId>,
    },
    /// The job is in a state in which this cannot be done.
    Refused(JobStatus),
    /// There is no such job in this scope.
    NotFound,
}

/// The store's operations on jobs.
#[async_trait]
pub trait JobStore {
    /// Enqueues jobs in one commit, all or nothing. Answers in order.
    async fn enqueue(&self, jobs: &[NewJob], now: Timestamp) -> StoreResult<Vec<Enqueued>>;

    /// Enqueues jobs while a pool has slots for some of them, at the instant of its claim: where nothing waits, as many
    /// as it has slots for may be leased by the same commit, without being queued first, the highest tiers first.
    /// Otherwise, and whenever the store is not sure, it is [`enqueue`](Self::enqueue). All of the leased jobs are new.
    async fn enqueue_eagerly(&self, jobs: &[NewJob], claim: &ClaimRequest) -> StoreResult<EagerlyEnqueued>;

    /// Claims up to `jobs_max` jobs under the tiers, turns and limits of the queue, in the order in which they are
    /// to be started. Counts an attempt on each and writes its token and lease end. The only way to PROCESSING beside
    /// the eager start of new jobs.
    async fn claim(&self, request: &ClaimRequest) -> StoreResult<Vec<ClaimedJob>>;

    /// Whether jobs of this queue, of this tenant (`None` is any) and of one of these types may wait, as far as the
    /// store knows by its own calls and by notifications of other nodes. Asks no database. `true` where it is not
    /// known: nobody is left waiting for the sake of this answer.
    fn may_hold(&self, _queue: QueueName, _tenant: Option<&TenantName>, _job_types: &[JobType]) -> bool {
        true
    }

    /// Whose jobs are in a lane, if this process remembers it. Asks no database.
    fn lane_key(&self, _queue: QueueName, _lane: LaneId) -> Option<LaneKey> {
        None
    }

    /// Whether a claim for these would find nothing, because the store listed the queue a moment ago (at most 100 ms)
    /// and was notified of none since. For those who poll without a reason, in case a hint was lost. Asks no database.
    fn is_known_without(
        &self,
        _queue: QueueName,
        _tenant: Option<&TenantName>,
        _job_types: &[JobType],
    ) -> bool {
        false
    }

    /// When the first of the rates has room again that kept back jobs of this queue from the last claims of this process.
    /// Asks no database; `None` where none did.
    fn next_start(&self, _queue: QueueName, _now: Timestamp) -> Option<Timestamp> {
        None
    }

    /// Renews leases. Answers in order with the new ends.
    async fn extend_leases(
        &self,
        held: &[LeaseExtension],
        now: Timestamp,
    ) -> StoreResult<Vec<LeaseAnswer<Timestamp>>>;

    /// What the decision after an attempt depends on, for leases that still hold (`None` for the others), in order.
    async fn leased_jobs(&self, held: &[LeaseRef]) -> StoreResult<Vec<Option<LeasedJob>>>;

    /// Settles attempts in one commit. Each carries its lease and touches nothing without it. Answers in order.
    /// A node job that ends for good appends a `node_settled` entry to its execution's inbox in the same commit;
    /// one that dies also becomes a dead letter.
    async fn settle(
        &self,
        batch: &[Settlement],
        now: Timestamp,
    ) -> StoreResult<Vec<LeaseAnswer<SettleResult>>>;

    /// Gives leases back without consuming an attempt, each at once or for later. What was reported as progress stays.
    /// Answers in order.
    async fn give_back(&self, held: &[GiveBack], now: Timestamp) -> StoreResult<Vec<LeaseAnswer>>;

    /// Gives leases back at once (drain). Answers in order.
    async fn release(&self, held: &[LeaseRef], now: Timestamp) -> StoreResult<Vec<LeaseAnswer>> {
        let held: Vec<GiveBack> = held.iter().copied().map(GiveBack::from).collect();
        self.give_back(&held, now).await
    }

    /// What earlier attempts left for jobs that are leased now, in order. Ends before the first job whose share would
    /// make them larger than 16 MiB together, except for the first.
    async fn earlier_attempts(&self, ids: &[JobId]) -> StoreResult<Vec<EarlierAttempts>>;

    /// Which of these jobs have ended.
    async fn ended_jobs(&self, ids: &[JobId]) -> StoreResult<Vec<JobId>>;

    /// Makes due SCHEDULED and RETRY_WAIT jobs QUEUED, promotes aged jobs a tier, and admits jobs whose concurrency
    /// key is free. At most `limit` of each.
    async fn promote_due(
        &self,
        age_after: &[(QueueName, DurationMs)],
        now: Timestamp,
        limit: u32,
    ) -> StoreResult<Promoted>;

    /// Ends what nobody started in time, the longest overdue first: at most `limit` jobs whose `expires_at` has come and
    /// that were never leased, or whose only leases were given back. They become CANCELLED with the error `expired`;
    /// so do executions whose jobs they are, with what that entails for parents. Claims never lease such a job.
    async fn expire_unstarted(&self, now: Timestamp, limit: u32) -> StoreResult<ExpiredStarts>;

    /// Leases that ended before `now`, oldest first; paged by the caller with `limit`.
    async fn expired_leases(&self, now: Timestamp, limit: u32) -> StoreResult<Vec<ExpiredLease>>;

    /// Settles expired leases as decided. Touches only those that are still expired under the same token. Counts
    /// a crash on each that goes back to QUEUED, and none on one whose attempt ran out of time.
    async fn reap(&self, batch: &[Settlement], now: Timestamp)
    -> StoreResult<Vec<LeaseAnswer<SettleResult>>>;

    /// A job with its attempts.
    async fn job(&self, scope: &TenantScope, id: JobId) -> StoreResult<Option<JobRecord>>;

    /// Whose these jobs are, in no order, whether they have ended or not. Those that are not there are left out.
    async fn tenants_of_jobs(&self, ids: &[JobId]) -> StoreResult<Vec<(JobId, TenantName)>>;

    /// Cancels a job that has not ended. A leased one loses its lease at once.
    async fn cancel_job(&self, scope: &TenantScope, id: JobId, now: Timestamp) -> StoreResult<JobChange>;

    /// Makes a SCHEDULED or RETRY_WAIT job due now.
    async fn run_job_now(&self, scope: &TenantScope, id: JobId, now: Timestamp) -> StoreResult<JobChange>;

    /// Moves a waiting job to another tier.
    async fn reprioritize_job(
        &self,
        scope: &TenantScope,
        id: JobId,
        tier: Tier,
        now: Timestamp,
    ) -> StoreResult<JobChange>;

    /// Why a job waits, as far as rows tell. `None` if it is not in the hot table.
    async fn wait_facts(&self, id: JobId) -> StoreResult<Option<WaitFacts>>;
}
