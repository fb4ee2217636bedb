//! The engine: the ports it works through and what it keeps in memory. Holds no use case.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use domain::id::{BatchId, Id, Kind};
use domain::queue::QueueName;
use domain::stats::StatKey;
use domain::time::Timestamp;
use parking_lot::Mutex;
use rate_limits::RateLimits;
use store::events::LookBackCursor;
use store::wakeup::{Hint, Wakeup};
use store::{Clock, Store};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use crate::access::{IdentityPolicy, KeyCache, KeyUses, SessionKey};
use crate::alerts::SenderSlot;
use crate::attributes::AttributeCache;
use crate::audit_buffer::AuditBuffer;
use crate::caller::Caller;
use crate::definitions::Definitions;
use crate::dispatch::DispatchMemory;
use crate::doctor::DoctorMemory;
use crate::encryption::NoKeys;
use crate::entropy::Entropy;
use crate::events::TriggerCache;
use crate::executions::{Apart, CallbackKey, FreshStarts, OwnerBatches, StartSink};
use crate::group_commit::GroupCommit;
use crate::intake::IntakeMemory;
use crate::jobs::{EagerPools, EnqueueSink, HeartbeatSink, NodeLeases, PollBatcher, SettleSink};
use crate::moves::MoveDesk;
use crate::operations::{Drains, OwnServer, PinnedBy, SealTimes, WorkerSightings};
use crate::policy::Policy;
use crate::queues::{LoadCache, ModeCache};
use crate::quotas::{Meter, QuotaCache};
use crate::schedules::ScheduleMemory;
use crate::seats::{Seats, WorkerNames};
use crate::secrets::SecretManager;
use crate::stats::StatNotes;
use crate::time_skip::TimeSkip;
use crate::waiters::Waiters;
use crate::webhooks::{SealingKeys, WebhookMemory};
use crate::workbench::Workbench;

/// What an engine is built from.
pub struct EngineParts {
    /// Remembers.
    pub store: Arc<dyn Store>,
    /// Sends and receives hints.
    pub wakeup: Arc<dyn Wakeup>,
    /// The clock that the instants of all changes come from.
    pub clock: Arc<dyn Clock>,
    /// Makes ids, tokens and jitter.
    pub entropy: Arc<dyn Entropy>,
    /// Counts how often somebody does something.
    pub rate_limits: Arc<dyn RateLimits>,
    /// The keys that secrets are sealed with; without any, the one that the database keeps.
    pub secret_keys: Option<SealingKeys>,
    /// The value of a variable that holds a secret of a tenant. Asked when the secret is sent, never kept.
    pub secret_variable: fn(&str) -> Option<String>,
    /// Who else is asked about people and secrets.
    pub outside: Outside,
    /// Bounds and defaults.
    pub policy: Policy,
}

/// Others, beyond the database, whose word counts. None by default.
#[derive(Clone, Default)]
pub struct Outside {
    /// Who vouches for people and machines.
    pub identity: Option<IdentityPolicy>,
    /// What keeps secrets of tenants beside the database.
    pub secrets: Option<Arc<dyn SecretManager>>,
}

impl std::fmt::Debug for Outside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outside").field("identity", &self.identity).finish_non_exhaustive()
    }
}

/// The use cases. Cheap to clone; all clones are the same engine.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    parts: EngineParts,
    /// Names this process in idempotency reservations.
    process: Uuid,
    memory: Memory,
    shutdown: CancellationToken,
    /// Ends the listener with the last clone of the engine.
    closing: DropGuard,
}

/// What the engine remembers by itself. Nothing here is needed for correctness; all of it is bounded.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) waiters: Arc<Waiters>,
    pub(crate) definitions: Definitions,
    workbench: Workbench,
    /// Steps of executions without a slot that may take long.
    pub(crate) apart: Apart,
    pub(crate) keys: Arc<KeyCache>,
    pub(crate) key_uses: KeyUses,
    pub(crate) audit_buffer: Arc<AuditBuffer>,
    pub(crate) seal_times: SealTimes,
    pub(crate) modes: Arc<ModeCache>,
    pub(crate) loads: LoadCache,
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
    pub(crate) callback_key: CallbackKey,
    pub(crate) session_key: SessionKey,
    pub(crate) schedules: ScheduleMemory,
    pub(crate) webhooks: Arc<WebhookMemory>,
    /// Triggers of events.
    pub(crate) triggers: Arc<TriggerCache>,
    /// Where the next look for events that came before a wait goes on.
    pub(crate) look_backs: Mutex<Option<LookBackCursor>>,
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
    listening: OnceLock<()>,
    pub(crate) sweeping: OnceLock<()>,
    pub(crate) watching_jobs: OnceLock<()>,
}

impl Engine {
    /// Builds an engine. Starts nothing: the one listener for hints starts with the first call that waits.
    pub fn new(parts: EngineParts) -> Self {
        let process = parts.entropy.uuid(parts.clock.now());
        let workbench = Workbench::new(parts.policy.workbench);
        let apart = Apart::new(parts.policy.workbench);
        parts.store.unlock_payloads(match &parts.secret_keys {
            Some(keys) => Arc::new(keys.clone()),
            None => Arc::new(NoKeys),
        });
        Self(Arc::new(Inner {
            parts,
            process,
            memory: Memory { workbench, apart, ..Memory::default() },
            shutdown: CancellationToken::new(),
            closing: CancellationToken::new().drop_guard(),
        }))
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.0.parts.store
    }

    /// The hints.
    pub fn wakeup(&self) -> &Arc<dyn Wakeup> {
        &self.0.parts.wakeup
    }

    pub(crate) fn rate_limits(&self) -> &Arc<dyn RateLimits> {
        &self.0.parts.rate_limits
    }

    pub(crate) fn secret_keys(&self) -> Option<&SealingKeys> {
        self.0.parts.secret_keys.as_ref()
    }

    pub(crate) fn secret_variable(&self) -> fn(&str) -> Option<String> {
        self.0.parts.secret_variable
    }

    pub(crate) fn identity(&self) -> Option<&IdentityPolicy> {
        self.0.parts.outside.identity.as_ref()
    }

    pub(crate) fn secret_manager(&self) -> Option<&Arc<dyn SecretManager>> {
        self.0.parts.outside.secrets.as_ref()
    }

    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.0.parts.clock
    }

    /// The source of ids, tokens and jitter.
    pub fn entropy(&self) -> &Arc<dyn Entropy> {
        &self.0.parts.entropy
    }

    /// Bounds and defaults.
    pub fn policy(&self) -> &Policy {
        &self.0.parts.policy
    }

    /// The present instant on the one timeline of the deployment.
    pub fn now(&self) -> Timestamp {
        self.0.parts.clock.now()
    }

    /// Begins the end: long polls answer empty and waits end. Other calls still work.
    pub fn begin_shutdown(&self) {
        self.0.shutdown.cancel();
    }

    /// Whether [`Engine::begin_shutdown`] was called.
    pub fn shutdown_started(&self) -> bool {
        self.0.shutdown.is_cancelled()
    }

    /// Resolves when [`Engine::begin_shutdown`] was called.
    pub async fn until_shutdown(&self) {
        self.0.shutdown.cancelled().await;
    }

    pub(crate) fn shutdown(&self) -> &CancellationToken {
        &self.0.shutdown
    }

    /// Set with the last clone of the engine.
    pub(crate) fn closed(&self) -> CancellationToken {
        self.0.closing.token().clone()
    }

    pub(crate) fn process(&self) -> Uuid {
        self.0.process
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.0.memory
    }

    /// Where work runs that takes the processor for long.
    pub(crate) fn workbench(&self) -> &Workbench {
        &self.memory().workbench
    }

    pub(crate) fn wake(&self, hints: &[Hint]) {
        if !hints.is_empty() {
            self.wakeup().send(hints);
        }
    }

    /// An id for something that `caller` makes: derived where the request can be repeated, fresh otherwise.
    pub(crate) fn make_id<K: Kind>(&self, caller: &Caller, parts: &[&str], now: Timestamp) -> Id<K> {
        caller.seed.map_or_else(|| Id::from_uuid(self.entropy().uuid(now)), |seed| Id::derive(seed, parts))
    }

    /// Starts the listener if it is not there. Hints that arrive after this call are not missed.
    pub(crate) fn listen(&self) {
        self.memory().listening.get_or_init(|| {
            let mut hints = self.wakeup().subscribe();
            let closed = self.closed();
            let waiters = Arc::clone(&self.memory().waiters);
            let store = Arc::clone(self.store());
            let keys = Arc::clone(&self.memory().keys);
            let modes = Arc::clone(&self.memory().modes);
            let webhooks = Arc::clone(&self.memory().webhooks);
            let quotas = Arc::clone(&self.memory().quotas);
            let triggers = Arc::clone(&self.memory().triggers);
            let attributes = Arc::clone(&self.memory().attributes);
            let drains = Arc::clone(&self.memory().drains);
            tokio::spawn(async move {
                use tokio::sync::broadcast::error::RecvError;
                loop {
                    let hint = tokio::select! {
                        () = closed.cancelled() => return,
                        hint = hints.recv() => hint,
                    };
                    match hint {
                        Ok(Hint::Settings) => {
                            keys.clear();
                            modes.clear();
                            webhooks.settings_changed();
                            quotas.clear();
                            triggers.expire();
                            attributes.expire();
                            drains.expire();
                            store.forget_payload_keys();
                        }
                        Ok(hint) => {
                            waiters.deliver(hint);
                            if hint.as_heard() == Hint::Queue(QueueName::Node) {
                                waiters.wake_polls(|key| {
                                    store.may_hold(QueueName::Node, key.tenant.as_ref(), &key.job_types)
                                });
                            }
                        }
                        Err(RecvError::Lagged(_)) => {
                            keys.clear();
                            modes.clear();
                            webhooks.settings_changed();
                            quotas.clear();
                            triggers.expire();
                            attributes.expire();
                            drains.expire();
                            store.forget_payload_keys();
                            waiters.deliver_to_all();
                        }
                        Err(RecvError::Closed) => return,
                    }
                }
            });
        });
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("policy", self.policy()).finish_non_exhaustive()
    }
}
