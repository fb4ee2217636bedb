//! Ranges, and what values must be together. What a value must look like by itself is the business of its type.

use domain::dispatch::DispatchMode;
use domain::limits::LIMIT_MAX;
use domain::queue::QueueName;
use domain::time::DurationMs;
use secrecy::{ExposeSecret, SecretString};

use crate::sections::{
    DatabaseKind, QueueRetention, QueueSettings, is_allow_entry, is_color, is_deny_entry, is_issuer,
    is_network, is_property, is_proxy, is_public_url, is_role_rule, is_tenant_rule, is_topic_prefix,
    otel_pairs,
};
use crate::settings::Settings;
use crate::values::ByteSize;

/// A rule that does not hold.
pub(super) struct Fault {
    /// The settings that break it, the one whose description says what is expected first.
    pub(super) paths: Vec<String>,
}

const SECOND: DurationMs = DurationMs::from_secs(1);
const HOUR: DurationMs = DurationMs::from_secs(3600);
const DAY: DurationMs = DurationMs::from_secs(24 * 3600);
const CENTURY: DurationMs = DurationMs(DAY.0 * 36_500);

/// The first rule that does not hold.
pub(super) fn first_fault(settings: &Settings) -> Option<Fault> {
    let mut rules = counts(settings);
    rules.extend(doors(settings));
    rules.extend(spans(settings));
    rules.extend(sizes(settings));
    rules.extend(texts(settings));
    rules.extend(identity(settings));
    rules.extend(vault(settings));
    rules.extend(dispatch(settings));
    rules.extend(outgoing(settings));
    rules.extend(doctor(settings));
    for queue in QueueName::ALL {
        rules.extend(queue_rules(queue, settings.queues.get(queue)));
        rules.extend(queue_retention(queue, settings.retention.queues.get(queue)));
    }
    rules.into_iter().find(|(holds, _)| !holds).map(|(_, paths)| Fault { paths })
}

type Rule = (bool, Vec<String>);

fn rule(holds: bool, path: &str) -> Rule {
    (holds, vec![path.to_owned()])
}

fn counts(settings: &Settings) -> Vec<Rule> {
    vec![
        rule((1..=127).contains(&settings.http.json_depth_max), "http.json_depth_max"),
        rule((2..=1_000).contains(&settings.database.connections_max), "database.connections_max"),
        rule((1..=64).contains(&settings.database.readers_max), "database.readers_max"),
        rule((1..=64).contains(&settings.database.list_connections), "database.list_connections"),
        rule(
            (DurationMs(500)..=DurationMs::from_secs(600)).contains(&settings.database.read_lag_max),
            "database.read_lag_max",
        ),
        rule((1..=63).contains(&settings.database.schema.len()), "database.schema"),
        rule((1..=10_000).contains(&settings.workers.jobs_per_poll_max), "workers.jobs_per_poll_max"),
        rule((1..=10_000).contains(&settings.upkeep.batch), "upkeep.batch"),
        rule((1..=10_000).contains(&settings.workflows.nodes_max), "workflows.nodes_max"),
        rule((1..=100).contains(&settings.workflows.child_depth_max), "workflows.child_depth_max"),
        rule(settings.workflows.evaluation_threads <= 1_000, "workflows.evaluation_threads"),
        rule(
            settings.workflows.evaluation_threads_per_tenant <= 1_000,
            "workflows.evaluation_threads_per_tenant",
        ),
        rule(is_steps(settings.workflows.expression_steps), "workflows.expression_steps"),
        rule(is_steps(settings.workflows.step_expression_steps), "workflows.step_expression_steps"),
        rule(settings.egress.redirects_max <= 20, "egress.redirects_max"),
        rule((1..=10_000).contains(&settings.metrics.label_values_max), "metrics.label_values_max"),
        rule((1..=10_000).contains(&settings.grpc.streams_max), "grpc.streams_max"),
        rule((1..=10).contains(&settings.alerts.backoff.factor), "alerts.backoff.factor"),
        rule((1..=100).contains(&settings.alerts.backoff.tries), "alerts.backoff.tries"),
        rule((SECOND..=HOUR).contains(&settings.alerts.evaluate_every), "alerts.evaluate_every"),
        rule((SECOND..=HOUR).contains(&settings.alerts.backoff.initial), "alerts.backoff.initial"),
        rule((SECOND..=DAY).contains(&settings.alerts.backoff.max), "alerts.backoff.max"),
        rule(settings.webhooks.rejected_kept <= 1_000_000, "webhooks.rejected_kept"),
    ]
}

/// What callers may hold open.
fn doors(settings: &Settings) -> Vec<Rule> {
    let (http, count) = (&settings.http, 1..=1_000_000);
    let pair = ["http.tls_certificate", "http.tls_key"].map(str::to_owned);
    let mut rules = vec![
        rule(count.contains(&http.connections_max), "http.connections_max"),
        rule(count.contains(&http.connections_per_address_max), "http.connections_per_address_max"),
        rule((DurationMs(100)..=HOUR).contains(&http.head_timeout), "http.head_timeout"),
        rule((ByteSize(1)..=ByteSize(1 << 30)).contains(&http.body_rate_min), "http.body_rate_min"),
        (http.tls_certificate.is_empty() == http.tls_key.is_empty(), pair.into()),
        rule(http.tls_client_ca.is_empty() || http.has_tls(), "http.tls_client_ca"),
    ];
    rules.extend(settings.waiting.all().map(|(path, bound)| rule(count.contains(&bound), path)));
    rules
}

fn is_steps(steps: u64) -> bool {
    (1_000..=10_000_000_000).contains(&steps)
}

fn spans(settings: &Settings) -> Vec<Rule> {
    let tick = |span: DurationMs| (DurationMs(10)..=HOUR).contains(&span);
    let timeout = |span: DurationMs| (DurationMs(100)..=HOUR).contains(&span);
    let retention = |span: DurationMs| (DurationMs::from_secs(1)..=CENTURY).contains(&span);
    let (upkeep, kept, workers) = (&settings.upkeep, &settings.retention, &settings.workers);
    vec![
        rule(timeout(settings.http.request_timeout), "http.request_timeout"),
        rule(
            (DurationMs::from_secs(1)..=DurationMs::from_secs(600))
                .contains(&settings.database.statement_timeout),
            "database.statement_timeout",
        ),
        rule(
            (DurationMs::from_secs(1)..=DurationMs::from_secs(600)).contains(&settings.database.list_timeout),
            "database.list_timeout",
        ),
        rule(workers.drain_timeout <= HOUR, "workers.drain_timeout"),
        rule(timeout(workers.poll_wait_max), "workers.poll_wait_max"),
        rule(timeout(settings.egress.timeout), "egress.timeout"),
        rule(timeout(settings.grpc.alive_interval), "grpc.alive_interval"),
        rule(timeout(settings.grpc.silence_max), "grpc.silence_max"),
        rule(timeout(settings.grpc.receipt_timeout), "grpc.receipt_timeout"),
        rule((DurationMs(100)..=DAY).contains(&settings.grpc.age), "grpc.age"),
        rule(settings.grpc.drain_timeout <= HOUR, "grpc.drain_timeout"),
        rule(settings.workflows.park_after <= HOUR, "workflows.park_after"),
        rule(timeout(settings.workflows.evaluation_deadline), "workflows.evaluation_deadline"),
        rule(tick(upkeep.reap_every), "upkeep.reap_every"),
        rule(tick(upkeep.promote_every), "upkeep.promote_every"),
        rule(tick(upkeep.prune_every), "upkeep.prune_every"),
        rule(retention(kept.completed), "retention.completed"),
        rule(retention(kept.failed), "retention.failed"),
        rule(retention(kept.cancelled), "retention.cancelled"),
        rule(retention(kept.archive), "retention.archive"),
        rule(retention(kept.executions), "retention.executions"),
        rule(retention(kept.idempotency), "retention.idempotency"),
        rule(retention(kept.deliveries), "retention.deliveries"),
        rule(retention(kept.logs), "retention.logs"),
        rule(retention(kept.audit), "retention.audit"),
        rule(retention(kept.alerts), "retention.alerts"),
        rule(kept.payloads.is_none_or(retention), "retention.payloads"),
        rule(kept.execution_payloads.is_none_or(retention), "retention.execution_payloads"),
        rule(kept.delivery_bodies.is_none_or(retention), "retention.delivery_bodies"),
    ]
}

fn doctor(settings: &Settings) -> Vec<Rule> {
    let of = &settings.doctor;
    let month = DurationMs(DAY.0 * 30);
    vec![
        rule((SECOND..=month).contains(&of.snapshot_age), "doctor.snapshot_age"),
        rule((DurationMs(10)..=HOUR).contains(&of.clock_offset), "doctor.clock_offset"),
        rule((SECOND..=DAY).contains(&of.lease_overdue), "doctor.lease_overdue"),
        rule((SECOND..=DAY).contains(&of.parked_overdue), "doctor.parked_overdue"),
        rule((0.1..=0.97).contains(&of.disk_used), "doctor.disk_used"),
    ]
}

fn queue_retention(queue: QueueName, kept: &QueueRetention) -> impl Iterator<Item = Rule> {
    let holds = |span: DurationMs| (DurationMs::from_secs(1)..=CENTURY).contains(&span);
    let all = kept.all().into_iter();
    all.map(move |(name, span)| (span.is_none_or(holds), vec![format!("retention.queues.{queue}.{name}")]))
}

fn sizes(settings: &Settings) -> Vec<Rule> {
    let size = |bytes: ByteSize| (ByteSize(1 << 10)..=ByteSize(1 << 30)).contains(&bytes);
    vec![
        rule(size(settings.http.max_body), "http.max_body"),
        rule(size(settings.http.json_size), "http.json_size"),
        rule(size(settings.grpc.message_size), "grpc.message_size"),
        rule(size(settings.http.max_single_body), "http.max_single_body"),
        rule(size(settings.http.bodies_size), "http.bodies_size"),
        rule(size(settings.egress.response_bytes_max), "egress.response_bytes_max"),
        rule(size(settings.workflows.state_size), "workflows.state_size"),
        rule(size(settings.workflows.expression_memory), "workflows.expression_memory"),
        rule(size(settings.workflows.step_size), "workflows.step_size"),
        rule(settings.webhooks.held_max <= ByteSize(1 << 30), "webhooks.held_max"),
        rule(
            (ByteSize(1 << 10)..=ByteSize(25 << 20)).contains(&settings.webhooks.max_body),
            "webhooks.max_body",
        ),
    ]
}

fn texts(settings: &Settings) -> Vec<Rule> {
    let key_ok = settings.bootstrap_key.as_ref().is_none_or(|key| {
        let key = key.expose_secret();
        (32..=200).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
    });
    let redis_ok = settings.redis.url.as_ref().is_none_or(|url| {
        let url = url.expose_secret();
        url.starts_with("redis://") || url.starts_with("rediss://")
    });
    let is_postgres = |url: &Option<SecretString>| {
        url.as_ref().is_none_or(|url| DatabaseKind::of(url.expose_secret()) == Some(DatabaseKind::Postgres))
    };
    vec![
        rule(!settings.roles.is_empty(), "roles"),
        rule(is_public_url(&settings.http.public_url), "http.public_url"),
        rule(settings.http.trusted_proxies.iter().all(|entry| is_network(entry)), "http.trusted_proxies"),
        rule(key_ok, "bootstrap_key"),
        rule(DatabaseKind::of(settings.database.url.expose_secret()).is_some(), "database.url"),
        rule(is_postgres(&settings.database.listen_url), "database.listen_url"),
        rule(is_postgres(&settings.database.read_url), "database.read_url"),
        rule(redis_ok, "redis.url"),
        rule(settings.secrets.keys.iter().all(|key| is_named_key(key.expose_secret())), "secrets.keys"),
        rule(settings.egress.allow.iter().all(|entry| is_allow_entry(entry)), "egress.allow"),
        rule(settings.egress.deny.iter().all(|entry| is_deny_entry(entry)), "egress.deny"),
        rule(settings.egress.proxy.as_ref().is_none_or(|url| is_proxy(url.expose_secret())), "egress.proxy"),
        rule(settings.egress.tenants.iter().all(|rule| is_tenant_rule(rule)), "egress.tenants"),
        rule(!settings.log.filter.trim().is_empty(), "log.filter"),
    ]
}

/// The identity provider. What its settings need of one another is found at the start, not at the first sign-in.
fn identity(settings: &Settings) -> Vec<Rule> {
    let oidc = &settings.oidc;
    let is_token = |text: &String| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    let both = |second: &str| vec!["oidc.client_id".to_owned(), second.to_owned()];
    vec![
        rule(is_issuer(&oidc.issuer), "oidc.issuer"),
        rule(!oidc.is_on() || oidc.audiences().iter().all(|audience| !audience.is_empty()), "oidc.audience"),
        (oidc.client_id.is_empty() || oidc.is_on(), both("oidc.issuer")),
        (!oidc.signs_in() || !settings.http.public_url.is_empty(), both("http.public_url")),
        rule(oidc.scopes.iter().all(is_token), "oidc.scopes"),
        rule(oidc.roles.iter().all(|rule| is_role_rule(rule)), "oidc.roles"),
        rule(!oidc.is_on() || !oidc.roles.is_empty(), "oidc.roles"),
        rule(
            (DurationMs::from_secs(60)..=DurationMs(7 * DAY.0)).contains(&oidc.session_ttl),
            "oidc.session_ttl",
        ),
        rule((1..=60).contains(&oidc.label.chars().count()), "oidc.label"),
        rule(settings.console.environment.chars().count() <= 40, "console.environment"),
        rule(is_color(&settings.console.color), "console.color"),
        rule((0.0..=1_000_000.0).contains(&settings.console.worker_hour_price), "console.worker_hour_price"),
        rule(settings.console.currency.chars().count() <= 8, "console.currency"),
    ]
}

/// The secret manager.
fn vault(settings: &Settings) -> Vec<Rule> {
    let vault = &settings.vault;
    let has_token = vault.token.is_some() || !vault.token_file.is_empty();
    let is_path = |text: &str| text.split('/').all(|part| !part.is_empty() && part != ".." && part != ".");
    let is_plain =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte));
    let needs = ["vault.token", "vault.token_file", "vault.address"].map(str::to_owned);
    vec![
        rule(is_issuer(&vault.address), "vault.address"),
        (!vault.is_on() || has_token, needs.into()),
        rule(is_path(&vault.mount) && is_plain(&vault.mount), "vault.mount"),
        rule(is_plain(&vault.namespace), "vault.namespace"),
        rule(vault.cache <= DurationMs::from_secs(600), "vault.cache"),
    ]
}

/// How jobs come to outside workers. What Kafka needs is found at the start, not with the first job.
fn dispatch(settings: &Settings) -> Vec<Rule> {
    let (dispatch, kafka) = (&settings.dispatch, &settings.kafka);
    let pushes = dispatch.mode == DispatchMode::KafkaOutbox;
    let is_postgres = DatabaseKind::of(settings.database.url.expose_secret()) == Some(DatabaseKind::Postgres);
    let is_broker = |text: &str| {
        text.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
    };
    let brokers_ok = kafka.brokers.split(',').map(str::trim).all(is_broker);
    let both = |second: &str| vec!["dispatch.mode".to_owned(), second.to_owned()];
    vec![
        rule((1..=100_000).contains(&dispatch.window), "dispatch.window"),
        rule((SECOND..=HOUR).contains(&dispatch.offer_timeout), "dispatch.offer_timeout"),
        (!pushes || is_postgres, both("database.url")),
        rule(kafka.brokers.is_empty() || brokers_ok, "kafka.brokers"),
        (!pushes || !kafka.brokers.is_empty(), both("kafka.brokers")),
        rule(is_topic_prefix(&kafka.topic_prefix), "kafka.topic_prefix"),
        rule((1..=10_000).contains(&kafka.partitions), "kafka.partitions"),
        rule(kafka.replication_factor <= 100, "kafka.replication_factor"),
        rule(kafka.properties.iter().all(|text| is_property(text.expose_secret())), "kafka.properties"),
    ]
}

/// Traces and mail.
fn outgoing(settings: &Settings) -> Vec<Rule> {
    let (otel, smtp) = (&settings.otel, &settings.smtp);
    let is_http = |url: &str| url.is_empty() || url.starts_with("http://") || url.starts_with("https://");
    let headers = otel.headers.as_ref().map(ExposeSecret::expose_secret);
    let both = ["otel.headers", "otel.headers_file"].map(str::to_owned);
    let sign_in = ["smtp.password", "smtp.username"].map(str::to_owned);
    vec![
        rule(is_http(&otel.endpoint), "otel.endpoint"),
        rule(headers.is_none_or(|text| otel_pairs(text).is_some()), "otel.headers"),
        (headers.is_none() || otel.headers_file.is_empty(), both.into()),
        rule(!otel.service_name.trim().is_empty(), "otel.service_name"),
        rule(otel.resource().is_some(), "otel.resource_attributes"),
        rule((0.0..=1.0).contains(&otel.sample), "otel.sample"),
        rule((DurationMs(100)..=HOUR).contains(&otel.flush_every), "otel.flush_every"),
        rule((1..=1_000_000).contains(&otel.queue), "otel.queue"),
        rule(smtp.port > 0, "smtp.port"),
        rule(!smtp.is_on() || smtp.from.contains('@'), "smtp.from"),
        (smtp.username.is_empty() == smtp.password.is_none(), sign_in.into()),
    ]
}

/// A name, a colon and something: whether it is 32 bytes is checked where the key is read.
fn is_named_key(key: &str) -> bool {
    key.split_once(':').is_some_and(|(name, key)| !name.trim().is_empty() && !key.trim().is_empty())
}

fn queue_rules(queue: QueueName, settings: &QueueSettings) -> Vec<Rule> {
    let path = |rest: &str| format!("queues.{queue}.{rest}");
    let limit_ok = |limit: Option<u32>| limit.is_none_or(|limit| (1..=LIMIT_MAX).contains(&limit));
    let (backoff, limits) = (&settings.backoff, &settings.limits);
    vec![
        ((1..=10_000).contains(&settings.workers), vec![path("workers")]),
        ((DurationMs::from_secs(1)..=DAY).contains(&settings.lease), vec![path("lease")]),
        (settings.max_retries <= 1_000, vec![path("max_retries")]),
        ((1.0..=100.0).contains(&backoff.factor), vec![path("backoff.factor")]),
        (backoff.max >= backoff.initial, vec![path("backoff.max"), path("backoff.initial")]),
        (limit_ok(limits.global), vec![path("limits.global")]),
        (limit_ok(limits.tenant), vec![path("limits.tenant")]),
        (limit_ok(limits.workflow), vec![path("limits.workflow")]),
        (settings.age_after.is_none_or(|span| span >= DurationMs(100)), vec![path("age_after")]),
        ((DurationMs(10)..=HOUR).contains(&settings.poll_every), vec![path("poll_every")]),
    ]
}
