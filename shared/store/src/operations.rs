//! What operators look at and what upkeep does: workers, the audit log, retention, processes, and what a database says
//! of itself.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::doctor::{DatabaseFacts, DoctorPolicy};
use domain::id::ServerId;
use domain::names::{CallerKey, JobType, TenantName, WorkerId};
use domain::retention::RetentionSubject;
use domain::sqlite_maintenance::{FileBounds, FileFigures};
use domain::time::{DurationMs, Timestamp};
use uuid::Uuid;

use crate::audit::AuditRecord;
use crate::error::StoreResult;

/// A worker that showed itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerRecord {
    /// The name under which it polls.
    pub id: WorkerId,
    /// `external`, or `pool` for our own pools.
    pub kind: String,
    /// The tenant its key is bound to.
    pub tenant: Option<TenantName>,
    /// The job types it takes.
    pub job_types: Vec<JobType>,
    /// When it first showed itself.
    pub first_seen_at: Timestamp,
    /// When it last polled or sent a heartbeat.
    pub last_seen_at: Timestamp,
    /// Jobs that it holds. Ignored on writes.
    pub leased: u32,
    /// The build that it runs, as it calls it.
    pub build: Option<CallerKey>,
    /// Since when it is drained. Ignored on writes.
    pub draining_at: Option<Timestamp>,
    /// The most jobs that it asked for at once since it began; of a pool of ours how many it works on. Absent where it never
    /// asks, because its jobs come through Kafka.
    pub slots: Option<u32>,
}

/// From when on finished things are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention {
    /// COMPLETED jobs that ended before this are removed.
    pub completed_before: Timestamp,
    /// FAILED jobs, and the jobs of requeued or archived dead letters.
    pub failed_before: Timestamp,
    /// CANCELLED jobs that ended before this are removed.
    pub cancelled_before: Timestamp,
    /// Dead letters that were archived before this are removed.
    pub archive_before: Timestamp,
    /// Executions that ended, with their nodes, events and commands.
    pub executions_before: Timestamp,
    /// What became of slots of schedules; the newest of each schedule stays.
    pub schedule_runs_before: Timestamp,
    /// Idempotency keys from before this are removed.
    pub idempotency_before: Timestamp,
    /// Webhook deliveries, with their bodies.
    pub deliveries_before: Timestamp,
    /// Lines of the audit log from before this are removed.
    pub audit_before: Timestamp,
    /// Lines that handlers logged before this are removed.
    pub logs_before: Timestamp,
    /// Workers that were not seen since.
    pub workers_before: Timestamp,
    /// From this instant the times are counted that tenants have of their own
    /// ([`RetentionStore`](crate::retention::RetentionStore)): those are the store's to know.
    pub now: Timestamp,
    /// Other instants for single kinds of things, which count in place of those above; and payloads, which are kept for as
    /// long as what they belong to where nothing is said here.
    pub subjects: Vec<(RetentionSubject, Timestamp)>,
}

impl Retention {
    /// From when on things of a kind are kept, of tenants that have no time of their own; `None` where nothing is removed.
    pub fn before(&self, subject: RetentionSubject) -> Option<Timestamp> {
        let own = self.subjects.iter().find(|(named, _)| *named == subject);
        own.map(|(_, before)| *before).or(match subject {
            RetentionSubject::Completed(_) => Some(self.completed_before),
            RetentionSubject::Failed(_) => Some(self.failed_before),
            RetentionSubject::Cancelled(_) => Some(self.cancelled_before),
            RetentionSubject::Executions => Some(self.executions_before),
            RetentionSubject::Archive => Some(self.archive_before),
            RetentionSubject::Deliveries => Some(self.deliveries_before),
            RetentionSubject::Audit => Some(self.audit_before),
            RetentionSubject::Payloads(_)
            | RetentionSubject::ExecutionPayloads
            | RetentionSubject::DeliveryBodies
            | RetentionSubject::Alerts => None,
        })
    }
}

/// How patient the removal of lanes is that nobody uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneRemovalPace {
    /// How long a lane without any job has to be marked before it goes. A job that comes meanwhile keeps it.
    pub idle_for: DurationMs,
    /// How long after a round the next one begins.
    pub every: DurationMs,
}

/// What a step of the removal of lanes did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LaneRemoval {
    /// How many lanes went.
    pub removed: u64,
    /// Whether the next step can follow at once.
    pub has_more: bool,
}

/// What a step of care for the database's file found and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileReport {
    /// The file as it was.
    pub figures: FileFigures,
    /// How many pages were given back.
    pub pages_freed: u64,
    /// Whether there is more to give back.
    pub has_more: bool,
    /// The log beside the file.
    pub log: LogState,
}

/// What is under way in the store and what comes next, for a clock that skips.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standstill {
    /// Jobs that are leased, but for those of executions.
    pub leased: u64,
    /// Executions that somebody owns.
    pub executions_leased: u64,
    /// Jobs for outside workers that can be claimed.
    pub queued_for_workers: u64,
    /// All jobs that can be claimed.
    pub queued: u64,
    /// Whether an entry of an inbox is not applied yet.
    pub has_inbox: bool,
    /// When the first job, parked execution or put-off start is due.
    pub first_due: Option<Timestamp>,
    /// When the first schedule fires that is not paused.
    pub first_schedule: Option<Timestamp>,
}

/// Whether the log of a database's file keeps within its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogState {
    /// It does.
    Within,
    /// It had outgrown it and was emptied.
    Emptied,
    /// It has outgrown it and cannot be emptied: somebody reads what stands in it.
    Held,
}

/// The store's operations for operators and upkeep.
#[async_trait]
pub trait OperationsStore {
    /// Records that workers called.
    async fn record_workers(&self, workers: &[WorkerRecord]) -> StoreResult<()>;

    /// Workers seen since `since`, with how many jobs they hold.
    async fn list_workers(
        &self,
        scope: &TenantScope,
        since: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<WorkerRecord>>;

    /// Marks an outside worker as drained, with its line of the audit log. Answers whether it was seen since `since`; the
    /// mark goes when another process of that name shows itself after a minute of silence.
    async fn drain_worker(
        &self,
        tenant: Option<&TenantName>,
        id: &WorkerId,
        since: Timestamp,
        now: Timestamp,
        audit: &[AuditRecord],
    ) -> StoreResult<bool>;

    /// Workers that are drained and were seen since, by tenant and name, at most 1,000.
    async fn draining_workers(&self, since: Timestamp) -> StoreResult<Vec<(Option<TenantName>, WorkerId)>>;

    /// Removes what retention no longer keeps, at most `limit` rows of each kind, and drops payloads that it keeps for a shorter
    /// time. Answers how many rows went or lost their payload.
    async fn prune(&self, retention: &Retention, limit: u32) -> StoreResult<u64>;

    /// One bounded step of the removal of lanes that hold no job, finished or not. No job is lost to it: a call that
    /// brings one into such a lane keeps the lane, or finds it gone and makes another one under a number of its own.
    async fn remove_idle_lanes(&self, pace: &LaneRemovalPace, now: Timestamp) -> StoreResult<LaneRemoval>;

    /// What is under way and what comes next. Reads all jobs that are not finished: for development servers only.
    async fn standstill(&self) -> StoreResult<Standstill>;

    /// One bounded step of care for the database's file. `None` where the database sees to its files by itself.
    async fn compact_file(&self, bounds: &FileBounds) -> StoreResult<Option<FileReport>>;
}

// What a database says of itself to whoever examines it.

/// The store's operation for those who examine it.
#[async_trait]
pub trait DoctorStore {
    /// Looks at the database. What is overdue by the policy is listed, the worst first, at most twenty of a kind.
    async fn diagnose(&self, policy: &DoctorPolicy, now: Timestamp) -> StoreResult<DatabaseFacts>;

    /// Names of the keys that something in the database is sealed with.
    async fn sealing_keys_in_use(&self) -> StoreResult<Vec<String>>;
}

// Processes that lease jobs for pools of their own: noticed at once when they end, where the database can tell.

/// A process with pools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRecord {
    /// Drawn at its start: no two processes have the same, wherever they run.
    pub nonce: Uuid,
    /// The names under which its pools lease jobs, each used by this process alone. Workers that poll through the process
    /// live on without it, and are none of them.
    pub pools: Vec<WorkerId>,
}

/// What became of processes that have ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LostNodes {
    /// How many processes.
    pub nodes: u32,
    /// How many leases of theirs end now, to be reaped as any others.
    pub leases: u64,
}

/// The store's operations on processes.
#[async_trait]
pub trait NodeStore {
    /// Says that this process begins, before its pools lease anything. Until the store is closed or the process ends, the
    /// database can tell that it lives, where that is possible; elsewhere its leases end in their time.
    ///
    /// A database that has one owner has no other process that lives: the leases of those before end now.
    async fn begin_node(&self, node: &NodeRecord, now: Timestamp) -> StoreResult<LostNodes>;

    /// Ends the leases of processes that the database saw end and that did not come back for
    /// [`LOST_AFTER`](domain::lease_watch::LOST_AFTER). To be called about once a second.
    async fn end_lost_nodes(&self, now: Timestamp) -> StoreResult<LostNodes>;
}

// Processes of the deployment, as they show themselves.

/// A process of the deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerRecord {
    /// Drawn at its start.
    pub id: ServerId,
    /// Its version.
    pub version: String,
    /// Its roles.
    pub roles: Vec<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it last showed itself.
    pub last_seen_at: Timestamp,
    /// How far the clock of its machine is ahead of the database's, in milliseconds.
    pub clock_offset_ms: i64,
}

/// The store's operations on processes as they show themselves. Nothing that has to hold depends on them.
#[async_trait]
pub trait ServerStore {
    /// Records that a process is there, and forgets those that were last seen before an instant.
    async fn record_server(&self, server: &ServerRecord, forget_before: Timestamp) -> StoreResult<()>;

    /// Processes that were seen since, in the order of their starts.
    async fn list_servers(&self, since: Timestamp) -> StoreResult<Vec<ServerRecord>>;

    /// Forgets a process that ends.
    async fn remove_server(&self, id: ServerId) -> StoreResult<()>;
}
