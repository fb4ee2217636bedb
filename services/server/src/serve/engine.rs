//! From settings to a store and an engine.

use std::sync::Arc;

use domain::queue::QueueName;
use engine::{CalibratedClock, Engine, EngineParts, Policy, QueuePolicy, SystemEntropy};
use secrecy::ExposeSecret;
use settings::{DatabaseKind, Settings, Synchronous};
use store_sql::{SqlStore, StoreOptions};

/// What the store needs of the settings.
pub(crate) fn store_options(settings: &Settings) -> StoreOptions {
    let database = &settings.database;
    let url = database.url.expose_secret();
    StoreOptions {
        url: url.to_owned(),
        connections_max: match DatabaseKind::of(url) {
            Some(DatabaseKind::Sqlite) => database.readers_max,
            Some(DatabaseKind::Postgres) | None => database.connections_max,
        },
        synchronous: match database.synchronous {
            Synchronous::Full => store_sql::Synchronous::Full,
            Synchronous::Normal => store_sql::Synchronous::Normal,
        },
        migrate: database.migrate,
        limits: QueueName::ALL.map(|queue| (queue, settings.queues.get(queue).limits.into())).to_vec(),
    }
}

/// What the engine needs of the settings.
pub(super) fn policy(settings: &Settings) -> Policy {
    let queue_policy = |queue: QueueName| {
        let of = settings.queues.get(queue);
        QueuePolicy {
            lease: of.lease,
            retries_max: of.max_retries,
            backoff: of.backoff,
            limits: of.limits.into(),
            age_after: of.age_after,
        }
    };
    Policy {
        queues: QueueName::ALL.map(queue_policy),
        payload_bytes_max: settings.http.json_size.bytes() as usize,
        poll_jobs_max: settings.workers.jobs_per_poll_max,
        poll_wait_max: settings.workers.poll_wait_max,
        idempotency_ttl: settings.retention.idempotency,
        upkeep_batch: settings.upkeep.batch,
        ..Policy::default()
    }
}

/// An engine over a store. All engines of a process share one clock.
pub(super) fn build(store: Arc<SqlStore>, clock: Arc<CalibratedClock>, policy: Policy) -> Engine {
    Engine::new(EngineParts {
        wakeup: store.wakeup(),
        store,
        clock,
        entropy: Arc::new(SystemEntropy::new()),
        policy,
    })
}
