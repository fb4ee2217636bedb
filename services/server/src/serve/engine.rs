//! From settings to a store and an engine.

use std::sync::Arc;

use anyhow::{Context, Result};
use domain::queue::QueueName;
use domain::workflow::parse::DefinitionLimits;
use engine::{
    CalibratedClock, Engine, EngineParts, LocalLimits, Policy, QueuePolicy, Quota, RateLimits, RedisLimits,
    SealingKeys, SystemEntropy, WebhookPolicy,
};
use secrecy::ExposeSecret;
use settings::{DatabaseKind, Pooler, RateLimit, Settings, Synchronous};
use store_sql::{SqlStore, StoreOptions, TimeSource};

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
        pooler: match database.pooler {
            Pooler::Auto => store_sql::Pooler::Auto,
            Pooler::Session => store_sql::Pooler::Session,
            Pooler::Transaction => store_sql::Pooler::Transaction,
        },
        listen_url: database.listen_url.as_ref().map(|url| url.expose_secret().to_owned()),
        schema: database.schema.clone(),
        statement_timeout: database.statement_timeout.to_std(),
        limits: QueueName::ALL.map(|queue| (queue, settings.queues.get(queue).limits.into())).to_vec(),
        lease_time: TimeSource::Database,
    }
}

/// A caller that was idle may make all requests of the span at once.
fn quota(limit: RateLimit) -> Quota {
    Quota::new(limit.requests.get(), limit.per, limit.requests.get())
}

/// What the engine needs of the settings.
fn policy(settings: &Settings) -> Policy {
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
        public_url: settings.http.public_url.clone(),
        webhooks: WebhookPolicy {
            max_body_default: settings.webhooks.max_body.as_usize() as u64,
            rejected_max: settings.webhooks.rejected_kept.into(),
            rate_limit_per_address: settings.webhooks.rate_limit_per_address.map(quota),
            rate_limit_per_tenant: settings.webhooks.rate_limit_per_tenant.map(quota),
        },
        child_depth_max: settings.workflows.child_depth_max,
        park_after: settings.workflows.park_after,
        state_bytes_max: settings.workflows.state_size.as_usize(),
        definition_limits: DefinitionLimits {
            nodes_max: settings.workflows.nodes_max as usize,
            ..DefinitionLimits::default()
        },
        ..Policy::default()
    }
}

/// What all engines of a process share beside their clock.
#[derive(Clone)]
pub(super) struct Shared {
    policy: Policy,
    rate_limits: Arc<dyn RateLimits>,
    secret_keys: Option<SealingKeys>,
}

impl Shared {
    /// Reads the settings. Connects nothing.
    pub(super) fn of(settings: &Settings) -> Result<Self> {
        let rate_limits: Arc<dyn RateLimits> = match &settings.redis.url {
            Some(url) => Arc::new(RedisLimits::new(url.expose_secret()).context("cannot use redis.url")?),
            None => Arc::new(LocalLimits::new()),
        };
        Ok(Self { policy: policy(settings), rate_limits, secret_keys: secret_keys(settings)? })
    }
}

/// The keys that secrets of webhooks are sealed with, where there are any.
pub(crate) fn secret_keys(settings: &Settings) -> Result<Option<SealingKeys>> {
    let keys = &settings.secrets.keys;
    if keys.is_empty() {
        return Ok(None);
    }
    let texts = keys.iter().map(ExposeSecret::expose_secret);
    SealingKeys::parse(texts).map(Some).context("cannot use secrets.keys")
}

/// An engine over a store. All engines of a process share one clock.
pub(super) fn build(store: Arc<SqlStore>, clock: Arc<CalibratedClock>, shared: Shared) -> Engine {
    Engine::new(EngineParts {
        wakeup: store.wakeup(),
        store,
        clock,
        entropy: Arc::new(SystemEntropy::new()),
        rate_limits: shared.rate_limits,
        secret_keys: shared.secret_keys,
        policy: shared.policy,
    })
}
