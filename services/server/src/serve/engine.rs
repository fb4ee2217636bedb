//! From settings to a store and an engine.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use domain::alerting::SendBackoff;
use domain::queue::QueueName;
use domain::quota::{QuotaKind, Quotas};
use domain::workflow::expression::EvaluationLimits;
use domain::workflow::parse::DefinitionLimits;
use engine::{
    AlertPolicy, CalibratedClock, Engine, EngineParts, LocalLimits, Outside, Policy, QueuePolicy,
    QueueRetention, Quota, QuotaPolicy, RateLimits, RedisLimits, RetentionPolicy, SealingKeys, SystemEntropy,
    WaitingBound, WaitingPolicy, WebhookPolicy, WorkbenchPolicy,
};
use secrecy::ExposeSecret;
use settings::{ByteSize, DatabaseKind, Pooler, RateLimit, Settings, Synchronous};
use store::Clock;
use store_sql::{ListOptions, ReplicaOptions, SqlStore, StoreOptions, TimeSource};

use crate::serve::dispatch;
use crate::serve::outside::outside;

/// What the store needs of the settings.
pub(crate) fn store_options(settings: &Settings) -> StoreOptions {
    let database = &settings.database;
    let url = database.url.expose_secret();
    StoreOptions {
        url: with_tls_ca(url, &database.tls_ca),
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
        listen_url: database
            .listen_url
            .as_ref()
            .map(|url| with_tls_ca(url.expose_secret(), &database.tls_ca)),
        schema: database.schema.clone(),
        statement_timeout: database.statement_timeout.to_std(),
        limits: QueueName::ALL.map(|queue| (queue, settings.queues.get(queue).limits.into())).to_vec(),
        lease_time: TimeSource::Database,
    }
}

/// The address of a PostgreSQL, with the file of the authorities that may vouch for it. Its certificate and name are checked
/// then, unless the address says otherwise.
fn with_tls_ca(url: &str, tls_ca: &str) -> String {
    if tls_ca.is_empty() || DatabaseKind::of(url) != Some(DatabaseKind::Postgres) {
        return url.to_owned();
    }
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let names: Vec<&str> = query.split('&').map(|pair| pair.split('=').next().unwrap_or_default()).collect();
    let mut full = url.to_owned();
    let mut add = |name: &str, value: &str| {
        full.push(if full.contains('?') { '&' } else { '?' });
        full.push_str(name);
        full.push('=');
        full.push_str(value);
    };
    if !names.contains(&"sslmode") {
        add("sslmode", "verify-full");
    }
    if !names.contains(&"sslrootcert") {
        add("sslrootcert", &escaped(tls_ca));
    }
    full
}

/// Text as the value of a parameter.
fn escaped(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    text.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// The replica that lists are read from, where the settings name one.
pub(crate) fn replica_options(settings: &Settings) -> Option<ReplicaOptions> {
    let database = &settings.database;
    database.read_url.as_ref().map(|url| ReplicaOptions {
        url: with_tls_ca(url.expose_secret(), &database.tls_ca),
        lag_max: database.read_lag_max.to_std(),
    })
}

/// What the store needs of the settings for lists.
pub(crate) fn list_options(settings: &Settings) -> ListOptions {
    ListOptions {
        connections_max: settings.database.list_connections,
        timeout: settings.database.list_timeout.to_std(),
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
        alerts: alerts(settings),
        queues: QueueName::ALL.map(queue_policy),
        payload_bytes_max: settings.http.json_size.bytes() as usize,
        poll_jobs_max: settings.workers.jobs_per_poll_max,
        poll_wait_max: settings.workers.poll_wait_max,
        idempotency_ttl: settings.retention.idempotency,
        upkeep_batch: settings.upkeep.batch,
        retention: retention(settings),
        doctor: settings.doctor,
        public_url: settings.http.public_url.clone(),
        quotas: quotas(settings),
        waiting: waiting(settings),
        webhooks: WebhookPolicy {
            max_body_default: settings.webhooks.max_body.as_usize() as u64,
            rejected_max: settings.webhooks.rejected_kept.into(),
            held_bytes_max: settings.webhooks.held_max.bytes(),
            rate_limit_per_address: settings.webhooks.rate_limit_per_address.map(quota),
            rate_limit_per_tenant: settings.webhooks.rate_limit_per_tenant.map(quota),
        },
        secrets_directory: Some(&settings.secrets.directory)
            .filter(|directory| !directory.is_empty())
            .map(PathBuf::from),
        child_depth_max: settings.workflows.child_depth_max,
        park_after: settings.workflows.park_after,
        state_bytes_max: settings.workflows.state_size.as_usize(),
        evaluation: EvaluationLimits {
            steps_max: settings.workflows.expression_steps,
            bytes_max: settings.workflows.expression_memory.bytes(),
            execution_steps_max: settings.workflows.step_expression_steps,
            effect_bytes_max: settings.workflows.step_size.as_usize(),
        },
        workbench: workbench(settings),
        definition_limits: DefinitionLimits {
            nodes_max: settings.workflows.nodes_max as usize,
            ..DefinitionLimits::default()
        },
        dispatch: dispatch::policy(settings),
        ..Policy::default()
    }
}

/// How long finished things are kept.
fn retention(settings: &Settings) -> RetentionPolicy {
    let kept = &settings.retention;
    let of = |queue: QueueName| {
        let kept = kept.queues.get(queue);
        QueueRetention {
            completed: kept.completed,
            failed: kept.failed,
            cancelled: kept.cancelled,
            payloads: kept.payloads,
        }
    };
    RetentionPolicy {
        completed: kept.completed,
        failed: kept.failed,
        cancelled: kept.cancelled,
        payloads: kept.payloads,
        queues: QueueName::ALL.map(of),
        archive: kept.archive,
        executions: kept.executions,
        execution_payloads: kept.execution_payloads,
        idempotency: kept.idempotency,
        deliveries: kept.deliveries,
        delivery_bodies: kept.delivery_bodies,
        logs: kept.logs,
        audit: kept.audit,
        alerts: kept.alerts,
        ..RetentionPolicy::default()
    }
}

/// What may be kept.
fn quotas(settings: &Settings) -> QuotaPolicy {
    let (each, webhooks) = (&settings.quotas, &settings.webhooks);
    let defaults = Quotas::default()
        .with(QuotaKind::OpenJobs, each.open_jobs)
        .with(QuotaKind::OpenExecutions, each.open_executions)
        .with(QuotaKind::PayloadBytes, each.payload_bytes.map(ByteSize::bytes))
        .with(QuotaKind::HistoryRows, each.history_rows)
        .with(QuotaKind::DeliveryBytes, each.delivery_bytes.map(ByteSize::bytes))
        .with(QuotaKind::IdempotencyKeys, each.idempotency_keys)
        .with(QuotaKind::WorkflowVersions, each.workflow_versions)
        .with(QuotaKind::Schedules, each.schedules)
        .with(QuotaKind::Webhooks, each.webhooks)
        .with(QuotaKind::ApiKeys, each.api_keys)
        .with(QuotaKind::DefinitionBytes, each.definition_bytes.map(ByteSize::bytes))
        .with(QuotaKind::LogBytes, each.log_bytes.map(ByteSize::bytes))
        .with(QuotaKind::WaitingStartBytes, each.waiting_start_bytes.map(ByteSize::bytes));
    QuotaPolicy {
        defaults,
        webhook_bytes: webhooks.stored_per_webhook.map(ByteSize::bytes),
        tenant_delivery_bytes: webhooks.stored_per_tenant.map(ByteSize::bytes),
        all_delivery_bytes: webhooks.stored.map(ByteSize::bytes),
    }
}

/// When rules are looked at, and notifications tried.
fn alerts(settings: &Settings) -> AlertPolicy {
    let of = &settings.alerts;
    let backoff = SendBackoff {
        initial: of.backoff.initial,
        factor: f64::from(of.backoff.factor),
        max: of.backoff.max,
        tries: of.backoff.tries,
    };
    AlertPolicy { evaluate_every: of.evaluate_every, backoff }
}

/// How many requests may wait.
fn waiting(settings: &Settings) -> WaitingPolicy {
    let bounds = &settings.waiting;
    let bound = |per_key, per_tenant| WaitingBound { per_key, per_tenant };
    WaitingPolicy {
        polls: bound(bounds.polls_per_key, bounds.polls_per_tenant),
        streams: bound(bounds.streams_per_key, bounds.streams_per_tenant),
        ends: bound(bounds.ends_per_key, bounds.ends_per_tenant),
        workers: bound(bounds.workers_per_key, bounds.workers_per_tenant),
    }
}

/// Zeros stand for the defaults.
fn workbench(settings: &Settings) -> WorkbenchPolicy {
    let of = &settings.workflows;
    let default = WorkbenchPolicy::default();
    let threads = if of.evaluation_threads == 0 { default.threads } else { of.evaluation_threads as usize };
    let threads_per_tenant = match of.evaluation_threads_per_tenant {
        0 => (threads / 2).max(1),
        threads => threads as usize,
    };
    WorkbenchPolicy { threads, threads_per_tenant, deadline: of.evaluation_deadline }
}

/// What all engines of a process share beside their clock.
#[derive(Clone)]
pub(super) struct Shared {
    policy: Policy,
    rate_limits: Arc<dyn RateLimits>,
    secret_keys: Option<SealingKeys>,
    outside: Outside,
}

impl Shared {
    /// Reads the settings. Connects nothing.
    pub(super) fn of(settings: &Settings) -> Result<Self> {
        let rate_limits: Arc<dyn RateLimits> = match &settings.redis.url {
            Some(url) => Arc::new(redis_limits(url.expose_secret(), &settings.redis.tls_ca)?),
            None => Arc::new(LocalLimits::new()),
        };
        Ok(Self {
            policy: policy(settings),
            rate_limits,
            secret_keys: secret_keys(settings)?,
            outside: outside(settings)?,
        })
    }
}

fn redis_limits(url: &str, tls_ca: &str) -> Result<RedisLimits> {
    if tls_ca.is_empty() {
        return RedisLimits::new(url).context("cannot use redis.url");
    }
    let authorities =
        std::fs::read(tls_ca).with_context(|| format!("cannot read redis.tls_ca ({tls_ca})"))?;
    RedisLimits::trusting(url, authorities).context("cannot use redis.url with redis.tls_ca")
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

/// An engine for a command that works on a database without a server.
pub(crate) async fn offline_engine(store: &Arc<SqlStore>, settings: &Settings) -> Result<Engine> {
    let clock = Arc::new(CalibratedClock::start(store.as_ref()).await?);
    Ok(build(Arc::clone(store), clock, Shared::of(settings)?))
}

/// An engine over a store. All engines of a process share one clock.
pub(super) fn build(store: Arc<SqlStore>, clock: Arc<dyn Clock>, shared: Shared) -> Engine {
    Engine::new(EngineParts {
        wakeup: store.wakeup(),
        store,
        clock,
        entropy: Arc::new(SystemEntropy::new()),
        rate_limits: shared.rate_limits,
        secret_keys: shared.secret_keys,
        secret_variable: settings::secret_variable,
        outside: shared.outside,
        policy: shared.policy,
    })
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use sqlx::ConnectOptions;
    use sqlx::postgres::{PgConnectOptions, PgSslMode};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

    use super::*;
    use crate::serve::authority::Authority;
    use crate::serve::listeners::install_provider;

    fn mode_of(url: &str) -> PgSslMode {
        PgConnectOptions::from_str(url).expect("an address").get_ssl_mode()
    }

    #[test]
    fn a_file_of_authorities_has_the_server_checked() {
        let ca = "/etc/trunkline/my ca.pem";
        let full = with_tls_ca("postgres://u:p@db/t", ca);
        assert_eq!(full, "postgres://u:p@db/t?sslmode=verify-full&sslrootcert=/etc/trunkline/my%20ca.pem");
        assert!(matches!(mode_of(&full), PgSslMode::VerifyFull));
        let looser = with_tls_ca("postgres://u:p@db/t?sslmode=verify-ca", ca);
        assert!(matches!(mode_of(&looser), PgSslMode::VerifyCa), "the address decides");
        assert!(looser.contains("sslrootcert="));
        for url in ["sqlite::memory:", "postgres://db/t"] {
            assert_eq!(with_tls_ca(url, ""), url);
        }
        assert_eq!(with_tls_ca("sqlite::memory:", ca), "sqlite::memory:");
    }

    /// Whether a client of PostgreSQL at this address lets a server finish the handshake that has the authority's
    /// certificate.
    async fn trusts(url_of: impl FnOnce(u16) -> String, server: &Authority) -> bool {
        install_provider();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = url_of(listener.local_addr().expect("bound").port());
        let chain = vec![CertificateDer::from_pem_file(server.file("localhost.crt")).expect("a certificate")];
        let key = PrivateKeyDer::from_pem_file(server.file("localhost.key")).expect("a key");
        let config =
            ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).expect("they fit");
        let client = tokio::spawn(async move {
            // Nobody answers behind the handshake.
            drop(PgConnectOptions::from_str(&url).expect("an address").connect().await);
        });
        let (mut stream, _) = listener.accept().await.expect("it connects");
        let mut asked = [0; 8];
        stream.read_exact(&mut asked).await.expect("it asks for TLS");
        assert_eq!(asked, SSL_REQUEST);
        stream.write_all(b"S").await.expect("it is told that there is");
        let is_trusted = TlsAcceptor::from(Arc::new(config)).accept(stream).await.is_ok();
        client.abort();
        is_trusted
    }

    /// What a client of PostgreSQL sends first where it wants TLS.
    const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

    #[tokio::test]
    async fn a_database_is_trusted_by_its_authority_and_name() {
        let (known, stranger) = (Authority::new(), Authority::new());
        let ca = |of: &Authority| of.file("ca.crt").display().to_string();
        let at = |host: &'static str, ca: String| {
            move |port: u16| with_tls_ca(&format!("postgres://u:p@{host}:{port}/t"), &ca)
        };
        assert!(trusts(at("localhost", ca(&known)), &known).await);
        assert!(!trusts(at("localhost", ca(&stranger)), &known).await, "somebody else vouches for it");
        assert!(!trusts(at("127.0.0.1", ca(&known)), &known).await, "it is vouched for under another name");
    }

    #[test]
    fn an_unreadable_file_of_authorities_stops_the_start() {
        let error = redis_limits("rediss://cache:6380", "/there/is/none.pem").err().expect("refused");
        assert!(error.to_string().contains("redis.tls_ca"), "{error:#}");
    }
}
