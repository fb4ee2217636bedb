//! The engine: the ports it works through and what it keeps in memory. Holds no use case.

use std::sync::Arc;

use domain::id::{Id, Kind};
use domain::queue::QueueName;
use domain::time::Timestamp;
use rate_limits::RateLimits;
use store::wakeup::{Hint, Wakeup};
use store::{Clock, Store};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use crate::access::IdentityPolicy;
use crate::caller::Caller;
use crate::encryption::NoKeys;
use crate::entropy::Entropy;
use crate::error::EngineError;
use crate::executions::Apart;
use crate::memory::Memory;
use crate::policy::Policy;
use crate::secrets::SecretManager;
use crate::webhooks::SealingKeys;
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
                let forget = || {
                    keys.clear();
                    modes.clear();
                    webhooks.settings_changed();
                    quotas.clear();
                    triggers.expire();
                    attributes.expire();
                    drains.expire();
                    store.forget_payload_keys();
                };
                loop {
                    let hint = tokio::select! {
                        () = closed.cancelled() => return,
                        hint = hints.recv() => hint,
                    };
                    match hint {
                        Ok(Hint::Settings) => forget(),
                        Ok(hint) => {
                            waiters.deliver(hint);
                            if hint.as_heard() == Hint::Queue(QueueName::Node) {
                                waiters.wake_polls(|key| {
                                    store.may_hold(QueueName::Node, key.tenant.as_ref(), &key.job_types)
                                });
                            }
                        }
                        Err(RecvError::Lagged(_)) => {
                            forget();
                            waiters.deliver_to_all();
                        }
                        Err(RecvError::Closed) => return,
                    }
                }
            });
        });
    }
}

/// Reads what is remembered again, beside a call that goes on with what it has. Where that fails, whoever finds it too old reads it.
pub(crate) fn read_beside(
    what: &'static str,
    reading: impl Future<Output = Result<(), EngineError>> + Send + 'static,
) {
    tokio::spawn(async move {
        if let Err(error) = reading.await {
            tracing::debug!(what, error = &error as &dyn std::error::Error, "a cache could not be refreshed");
        }
    });
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("policy", self.policy()).finish_non_exhaustive()
    }
}
