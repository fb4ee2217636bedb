//! What the engine remembers by itself. Nothing here is needed for correctness; all of it is bounded.

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

use domain::doctor::CertificateFacts;
use domain::id::BatchId;
use domain::stats::StatKey;
use domain::time::Timestamp;
use parking_lot::Mutex;
use tokio::sync::OnceCell;

use crate::access::{KeyCache, KeyUses};
use crate::alerts::SenderSlot;
use crate::attributes::AttributeCache;
use crate::audit_buffer::AuditBuffer;
use crate::changes::ChangeFeed;
use crate::definitions::Definitions;
use crate::events::{LookBackRound, TriggerCache};
use crate::executions::{Apart, FreshStarts, OwnerBatches, StartSink};
use crate::group_commit::GroupCommit;
use crate::intake::IntakeMemory;
use crate::jobs::{EagerPools, EnqueueSink, HeartbeatSink, NodeLeases, PollBatcher, SettleSink};
use crate::moves::MoveDesk;
use crate::operations::seal_times::SealTimes;
use crate::operations::{Drains, OwnServer, PinnedBy, WorkerSightings};
use crate::queues::{LoadCache, ModeCache};
use crate::quotas::{Histories, Meter, QuotaCache};
use crate::schedules::ScheduleMemory;
use crate::seats::{Seats, WorkerNames};
use crate::stats::StatNotes;
use crate::time_skip::TimeSkip;
use crate::waiters::Waiters;
use crate::webhooks::WebhookMemory;
use crate::workbench::Workbench;

/// A key of the cluster, once it was needed.
type ClusterKey = OnceCell<[u8; 32]>;

/// What the engine remembers by itself. Nothing here is needed for correctness; all of it is bounded.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) waiters: Arc<Waiters>,
    pub(crate) definitions: Definitions,
    pub(super) workbench: Workbench,
    /// Steps of executions without a slot that may take long.
    pub(crate) apart: Apart,
    pub(crate) keys: Arc<KeyCache>,
    pub(crate) key_uses: KeyUses,
    pub(crate) audit_buffer: Arc<AuditBuffer>,
    pub(crate) seal_times: SealTimes,
    pub(crate) modes: Arc<ModeCache>,
    pub(crate) loads: LoadCache,
    /// What changes, for those who follow it.
    pub(crate) changes: ChangeFeed,
    /// What carries notifications out of the process.
    pub(crate) alert_sender: SenderSlot,
    pub(crate) workers: WorkerSightings,
    /// What this process has done since it was last written down.
    pub(crate) stats: Arc<StatNotes>,
    /// Of what something waited or ran when it was last looked at.
    pub(crate) stat_levels: Mutex<Vec<StatKey>>,
    /// What this process says of itself.
    pub(crate) own_server: OnceLock<OwnServer>,
    /// Workers that are drained.
    pub(crate) drains: Arc<Drains>,
    /// Workers that pinned their job types.
    pub(crate) pinned_by: PinnedBy,
    /// Quotas that operators set.
    pub(crate) quotas: Arc<QuotaCache>,
    /// What is used of them.
    pub(crate) meter: Meter,
    /// How much tenants have of what has ended.
    pub(crate) histories: Histories,
    /// Requests that wait.
    pub(crate) seats: Arc<Seats>,
    /// The names under which workers poll.
    pub(crate) worker_names: WorkerNames,
    pub(crate) eager: Arc<EagerPools>,
    /// Jobs that are enqueued one by one, for their next commit.
    pub(crate) enqueues: GroupCommit<EnqueueSink>,
    /// Executions that are started one by one, likewise.
    pub(crate) starts: GroupCommit<StartSink>,
    /// Executions that were leased as they were stored.
    pub(crate) fresh: Arc<FreshStarts>,
    /// Polls that are about to claim.
    pub(crate) claims: Arc<PollBatcher>,
    /// Attempts that are reported one by one.
    pub(crate) settlements: GroupCommit<SettleSink>,
    /// Leases that are renewed one by one.
    pub(crate) heartbeats: GroupCommit<HeartbeatSink>,
    /// What owners will have to know of attempts that run here.
    pub(crate) node_leases: Arc<NodeLeases>,
    /// What the owners of executions do together.
    pub(crate) shared: OwnerBatches,
    pub(crate) callback_key: ClusterKey,
    pub(crate) session_key: ClusterKey,
    pub(crate) schedules: ScheduleMemory,
    pub(crate) webhooks: Arc<WebhookMemory>,
    /// Triggers of events.
    pub(crate) triggers: Arc<TriggerCache>,
    /// How far upkeep has come with looking for events that came before a wait.
    pub(crate) look_backs: Mutex<LookBackRound>,
    /// Declarations of attributes.
    pub(crate) attributes: Arc<AttributeCache>,
    /// The lease on the intake.
    pub(crate) intake: IntakeMemory,
    /// Bulk operations that this engine carries out at the moment.
    pub(crate) batches: Mutex<HashSet<BatchId>>,
    /// Where moves to another database are asked for.
    pub(crate) move_desk: OnceLock<Arc<MoveDesk>>,
    /// Held while a copy of the database is made.
    pub(crate) backups: tokio::sync::Mutex<()>,
    /// What the relay of this process knows of its broker.
    pub(crate) dispatch: DispatchMemory,
    /// What this process says of itself to whoever examines it.
    pub(crate) doctor: DoctorMemory,
    /// The clock that skips, where there is one.
    pub(crate) time_skip: OnceLock<Arc<TimeSkip>>,
    pub(super) listening: OnceLock<()>,
    pub(crate) sweeping: OnceLock<()>,
    pub(crate) watching_jobs: OnceLock<()>,
}

/// What reads the certificates that this process serves with.
type Certificates = Arc<dyn Fn() -> Vec<CertificateFacts> + Send + Sync>;

/// What this process says of itself to whoever examines it.
#[derive(Default)]
pub(crate) struct DoctorMemory {
    pub(super) certificates: OnceLock<Certificates>,
}

/// Since when the broker is away, for those who look at this process.
#[derive(Debug, Default)]
pub(crate) struct DispatchMemory {
    /// 0 where it is not.
    pub(super) away_since: AtomicI64,
}

impl DispatchMemory {
    pub(crate) fn set_away(&self, since: Option<Timestamp>) {
        self.away_since.store(since.map_or(0, |since| since.0), Ordering::Relaxed);
    }

    pub(crate) fn away_since(&self) -> Option<Timestamp> {
        let since = self.away_since.load(Ordering::Relaxed);
        (since != 0).then_some(Timestamp(since))
    }
}
