//! Every setting with what it is for and what may be written there.
//!
//! The default file and the error messages are made from this list. It holds no defaults: those are in the `Default`
//! of each section.

use domain::queue::QueueName;

use key::{ADDRESS, COUNT, LIMIT, RATE, SIZE, STEPS, TICK, TIMEOUT, WAITERS, key};

pub(crate) use key::Key;

mod kept;
mod key;
mod outside;
mod retention;

/// Settings that are secrets, or may hold a password. Each may be in a file that a variable names.
/// `vault.token` and `otel.headers` are not among them: their files are settings of their own.
pub(crate) const SECRETS: [&str; 11] = [
    "bootstrap_key",
    "database.url",
    "database.listen_url",
    "database.read_url",
    "redis.url",
    "secrets.keys",
    "egress.proxy",
    "egress.tenants",
    "oidc.client_secret",
    "kafka.properties",
    "smtp.password",
];

/// Whether a setting is a secret, or may hold a password.
pub(crate) fn is_secret(path: &str) -> bool {
    SECRETS.contains(&path)
}

/// All settings, in the order of the default file.
fn all() -> impl Iterator<Item = &'static Key> {
    KEYS.iter()
        .chain(kept::KEYS)
        .chain(UPKEEP_KEYS)
        .chain(outside::OUTGOING_KEYS)
        .chain(outside::KEYS)
        .chain(outside::DISPATCH_KEYS)
        .chain(retention::KEYS)
        .chain(retention::QUEUE_KEYS)
}

/// The settings of this server and its database.
const KEYS: &[Key] = &[
    key(
        "roles",
        "Roles of this process. Environment: TRUNKLINE_ROLES, comma-separated.",
        "a list of roles out of api, webhooks, scheduler, execution, node, scheduled, webhook",
    ),
    key(
        "bootstrap_key",
        "The first admin API key. Without it, one is generated at the first start and written to a private file. Changing it\n\
         revokes the previous key. Prefer TRUNKLINE_BOOTSTRAP_KEY or TRUNKLINE_BOOTSTRAP_KEY_FILE.",
        "32 to 200 printable ASCII characters without spaces",
    ),
    key(
        "http.addr",
        "Listen address of REST, console and webhooks. Environment: TRUNKLINE_HTTP; PORT sets the port.",
        ADDRESS,
    ),
    key(
        "http.public_url",
        "Public URL of the server; callback URLs of workflows begin with it. Without it\n\
         they are relative paths.",
        "an address such as https://jobs.example.com, without a slash at the end, or \"\"",
    ),
    key(
        "http.trusted_proxies",
        "Networks of trusted reverse proxies. The last address in X-Forwarded-For outside these networks is the client\n\
         address, for limits per address and the delivery log. The header is ignored from other senders.",
        "a list of networks and addresses, such as 10.0.0.0/8 and ::1",
    ),
    key(
        "http.open",
        "Whether local callers are administrators without an API key while no keys exist. No first key is created then.\n\
         For evaluation only: this includes every program and user of the machine.",
        "true or false",
    ),
    key("http.max_body", "Maximum size of a request body; a batch of 10,000 jobs must fit.", SIZE),
    key(
        "http.rate_limit",
        "Rate limit of each API key; an idle caller may use all of it in one burst.",
        RATE,
    ),
    key("http.request_timeout", "Maximum duration of a request, including long polls and waits.", TIMEOUT),
    key("http.json_depth_max", "Maximum nesting depth of JSON.", "a whole number from 1 to 127"),
    key("http.json_size", "Maximum size of a single input, job payload or definition.", SIZE),
    key(
        "http.max_single_body",
        "Maximum body size of a request with a single item. Batches and worker reports may use max_body.",
        SIZE,
    ),
    key(
        "http.bodies_size",
        "Maximum total size of the bodies of concurrent requests. One key or address may use at most as much as remains for\n\
         others; requests beyond it get 503.",
        SIZE,
    ),
    key(
        "http.body_rate_min",
        "Minimum upload rate of a body per second, after ten seconds of grace; slower requests are aborted.",
        "a number of bytes from 1 to 1GiB, such as 4KiB",
    ),
    key(
        "http.connections_max",
        "Maximum number of open connections. Excess callers get 503, except for /healthz and /readyz. Reduced if the\n\
         limit of open files is low.",
        "a whole number from 1 to 1000000",
    ),
    key(
        "http.connections_per_address_max",
        "Maximum number of open connections per client address; IPv6 counts by /64. Not applied to trusted_proxies.",
        "a whole number from 1 to 1000000",
    ),
    key(
        "http.head_timeout",
        "Timeout of a request's headers, from the connection or the previous response on; idle connections are closed\n\
         after it. Behind a load balancer, set it above the balancer's idle timeout (often 60s).",
        TIMEOUT,
    ),
    key(
        "http.http2",
        "Whether HTTP/2 is enabled: negotiated over TLS, with prior knowledge without TLS.",
        "true or false",
    ),
    key(
        "http.tls_certificate",
        "File with the TLS certificate chain in PEM; empty to disable TLS. TLS files are reloaded when they change\n\
         and on SIGHUP.",
        "the path of a file, or \"\", with http.tls_key",
    ),
    key(
        "http.tls_key",
        "File with the private key of the TLS certificate in PEM.",
        "the path of a file, with http.tls_certificate",
    ),
    key(
        "http.tls_client_ca",
        "File with the CA certificates for mutual TLS in PEM: every caller must present a certificate. Probes then use the\n\
         metrics address.",
        "the path of a file, or \"\", with http.tls_certificate",
    ),
    key(
        "grpc.addr",
        "Listen address of gRPC. TLS, trusted proxies, rate limits and connection limits are those of http. Environment:\n\
         TRUNKLINE_GRPC.",
        ADDRESS,
    ),
    key("grpc.enabled", "Whether gRPC is served, in processes with the role api.", "true or false"),
    key("grpc.message_size", "Maximum size of a gRPC message; a batch of 10,000 jobs must fit.", SIZE),
    key(
        "grpc.streams_max",
        "Maximum number of concurrent calls and streams of one connection.",
        "a whole number from 1 to 10000",
    ),
    key(
        "grpc.alive_interval",
        "How often the server sends a message on each worker stream, so that proxies keep it open.",
        TIMEOUT,
    ),
    key("grpc.silence_max", "A worker stream from which nothing arrives for this time is closed.", TIMEOUT),
    key(
        "grpc.receipt_timeout",
        "A job offered to a worker returns to its queue if the worker does not confirm it within this time.",
        TIMEOUT,
    ),
    key(
        "grpc.age",
        "Age at which connections and worker streams are drained and closed, varied by up to a fifth, so that workers\n\
         spread over new servers.",
        "a duration from 100ms to 1d, such as 10m",
    ),
    key(
        "grpc.drain_timeout",
        "How long workers may report their jobs on a drained stream before it is closed.",
        "a duration of at most 1h, such as 30s",
    ),
    key(
        "metrics.addr",
        "Listen address of /metrics for Prometheus. Environment: TRUNKLINE_METRICS.",
        ADDRESS,
    ),
    key("metrics.tenant_label", "Add the label tenant to counters and histograms of jobs.", "true or false"),
    key(
        "metrics.job_type_label",
        "Add the label job_type to counters and histograms of jobs.",
        "true or false",
    ),
    key(
        "metrics.label_values_max",
        "Maximum number of values of each of these two labels per process. Further values are counted as other.",
        "a whole number from 1 to 10000",
    ),
    key(
        "database.url",
        "Database URL. Environment: TRUNKLINE_DATABASE_URL or DATABASE_URL.",
        "sqlite://path/file.db, sqlite::memory: or postgres://…",
    ),
    key(
        "database.connections_max",
        "PostgreSQL: maximum number of connections of this process.",
        "a whole number from 2 to 1000",
    ),
    key(
        "database.readers_max",
        "SQLite: number of read connections in addition to the single write connection.",
        "a whole number from 1 to 64",
    ),
    key(
        "database.tls_ca",
        "PostgreSQL: file with the CA certificates of the server in PEM. With it the server's certificate and\n\
         name are verified (sslmode=verify-full), unless the URL sets another sslmode.",
        "the path of a file, or \"\"",
    ),
    key(
        "database.synchronous",
        "When a commit is durable: \"full\" waits until it is on disk. \"normal\" is faster, but a power loss or\n\
         a crash of the database server may lose the last acknowledged commits.",
        "\"full\" or \"normal\"",
    ),
    key(
        "database.pooler",
        "PostgreSQL: mode of a connection pooler such as PgBouncer: \"transaction\", or \"session\"\n\
         (also without a pooler). \"auto\" detects it at the start. See docs/operations.md.",
        "\"auto\", \"session\" or \"transaction\"",
    ),
    key(
        "database.listen_url",
        "PostgreSQL behind a transaction pooler: the URL of the server itself, for the connections that\n\
         send and receive notifications. Without it, this process polls for work of other nodes.",
        "postgres://…",
    ),
    key(
        "database.read_url",
        "PostgreSQL: URL of a streaming replica of database.url. Lists of jobs, executions, dead letters, deliveries, schedules,\n\
         the audit log and statistics are read from it while it is at most read_lag_max behind, and otherwise from database.url.",
        "postgres://…",
    ),
    key(
        "database.read_lag_max",
        "Maximum lag of the replica. Lists may lack changes of this period.",
        "500ms to 10m",
    ),
    key(
        "database.schema",
        "PostgreSQL: schema of the tables. The first migration creates it.",
        "the name of a schema",
    ),
    key(
        "database.statement_timeout",
        "PostgreSQL: timeout of a statement, a commit or the wait for a connection. Then the connection\n\
         is closed and the call gets 503.",
        "1s to 10m",
    ),
    key(
        "database.list_connections",
        "Number of dedicated connections for lists, counts and statistics, in addition to connections_max or readers_max,\n\
         so that slow lists do not delay claims and reports.",
        "a whole number from 1 to 64",
    ),
    key(
        "database.list_timeout",
        "Timeout of a list's wait for such a connection, and of its statement. Then the statement is cancelled and the call\n\
         gets 503.",
        "1s to 10m",
    ),
    key(
        "database.migrate",
        "Whether a PostgreSQL database is migrated at startup; SQLite always is. Flag: --no-migrate.",
        "true or false",
    ),
    key(
        "redis.url",
        "Redis URL, for cluster-wide rate limits; while Redis is unavailable, limits apply per node.\n\
         Environment: REDIS_URL.",
        "redis://… or rediss://… (TLS)",
    ),
    key(
        "redis.tls_ca",
        "File with the CA certificates of Redis in PEM (default: the system's).",
        "the path of a file, or \"\"",
    ),
    key(
        "secrets.keys",
        "Encryption keys of webhook and tenant secrets, as name:base64 of 32 bytes (openssl rand -base64 32). The first\n\
         key encrypts, all keys decrypt. To rotate, append the new key on all nodes, then move it to the front, and\n\
         remove the old one a day later. Without keys, a key stored in the database is used.\n\
         Prefer TRUNKLINE_SECRETS__KEYS or TRUNKLINE_SECRETS__KEYS_FILE.",
        "a list of keys, each name:base64 of 32 bytes",
    ),
    key(
        "secrets.directory",
        "Directory of files that tenant secrets may reference, such as a mounted Kubernetes Secret. Empty: disabled.",
        "a path, or \"\"",
    ),
    key(
        "queues.*.workers",
        "Number of worker slots of this process. An execution occupies its slot while it runs.",
        COUNT,
    ),
    key("queues.*.lease", "Lease duration without a heartbeat.", "a duration from 1s to 1d, such as 30s"),
    key(
        "queues.*.max_retries",
        "Maximum number of retries of a failed job.",
        "a whole number from 0 to 1000",
    ),
    key("queues.*.backoff.initial", "Delay before the first retry.", "a duration, such as 1s"),
    key(
        "queues.*.backoff.factor",
        "Multiplier of consecutive delays.",
        "a number from 1 to 100, such as 2.0",
    ),
    key("queues.*.backoff.max", "Maximum delay.", "a duration that is not below backoff.initial, such as 5m"),
    key(
        "queues.*.backoff.jitter",
        "Whether delays are randomized, so that many failures are not retried at the same time.",
        "true or false",
    ),
    key("queues.*.limits.global", "Maximum number of concurrent jobs on all nodes together.", LIMIT),
    key("queues.*.limits.tenant", "Maximum number of concurrent jobs of each tenant.", LIMIT),
    key("queues.*.limits.workflow", "Maximum number of concurrent jobs of each workflow.", LIMIT),
    key(
        "queues.*.age_after",
        "Waiting time after which a job moves up one priority.",
        "a duration from 100ms on, such as 10m, or \"off\"",
    ),
    key("queues.*.poll_every", "Polling interval for jobs that arrive without a notification.", TICK),
    key(
        "workers.drain_timeout",
        "How long a stopping process waits for running jobs before it releases them.",
        "a duration of at most 1h, such as 25s",
    ),
    key("workers.poll_wait_max", "Maximum wait of a poll of an external worker.", TIMEOUT),
    key("workers.jobs_per_poll_max", "Maximum number of jobs per poll.", COUNT),
    key(
        "waiting.polls_per_key",
        "Maximum number of concurrent long polls of each API key in this process. Requests beyond these limits get 429.",
        WAITERS,
    ),
    key("waiting.polls_per_tenant", "Maximum number of concurrent long polls of each tenant.", WAITERS),
    key(
        "waiting.streams_per_key",
        "Maximum number of concurrent event streams of each API key in this process.",
        WAITERS,
    ),
    key("waiting.streams_per_tenant", "Maximum number of concurrent event streams of each tenant.", WAITERS),
    key(
        "waiting.ends_per_key",
        "Maximum number of concurrent requests with wait=true of each API key in this process.",
        WAITERS,
    ),
    key(
        "waiting.ends_per_tenant",
        "Maximum number of concurrent requests with wait=true of each tenant.",
        WAITERS,
    ),
    key(
        "waiting.workers_per_key",
        "Maximum number of worker IDs of each API key within ten minutes.",
        WAITERS,
    ),
    key(
        "waiting.workers_per_tenant",
        "Maximum number of worker IDs of each tenant within ten minutes.",
        WAITERS,
    ),
    key("workflows.nodes_max", "Maximum number of nodes of a definition.", COUNT),
    key(
        "workflows.child_depth_max",
        "Maximum nesting depth of child executions.",
        "a whole number from 1 to 100",
    ),
    key("workflows.state_size", "Maximum size of the state of an execution, including node outputs.", SIZE),
    key(
        "workflows.park_after",
        "A waiting execution releases its slot unless its next timer is due within this duration.",
        "a duration of at most 1h, such as 200ms",
    ),
    key(
        "workflows.evaluation_threads",
        "Number of threads that parse definitions, validate inputs and evaluate expressions, for calls and for executions\n\
         each; 0 for the number of processors, at least two.",
        "a whole number from 0 to 1000",
    ),
    key(
        "workflows.evaluation_threads_per_tenant",
        "Maximum number of these threads for one tenant; 0 for half of them, at least one.",
        "a whole number from 0 to 1000",
    ),
    key(
        "workflows.evaluation_deadline",
        "Timeout of parsing a definition or validating an input in a call, which then gets 503, and of evaluating\n\
         the expressions of one step of an execution; the remaining ones then fail their nodes.",
        "a duration from 100ms to 1h, such as 10s",
    ),
    key(
        "workflows.expression_steps",
        "Maximum number of evaluation steps of one expression; a million take about 100 ms.",
        STEPS,
    ),
    key(
        "workflows.expression_memory",
        "Maximum memory allocated by one expression, including temporary values.",
        SIZE,
    ),
    key(
        "workflows.step_expression_steps",
        "Maximum number of evaluation steps of all expressions in one step of an execution. When half are used, deferrable\n\
         work moves to the next step.",
        STEPS,
    ),
    key(
        "workflows.step_size",
        "Maximum size of inputs and outputs produced by one step of an execution; remaining MAP items and\n\
         results move to the next step.",
        SIZE,
    ),
];

/// The settings after those of webhooks and quotas.
const UPKEEP_KEYS: &[Key] = &[
    key("upkeep.reap_every", "Interval of the search for expired leases.", TICK),
    key("upkeep.promote_every", "Interval of the search for due jobs.", TICK),
    key("upkeep.prune_every", "Interval of the deletion of expired data.", TICK),
    key("upkeep.batch", "Maximum number of rows per maintenance step.", COUNT),
    key("alerts.evaluate_every", "Evaluation interval of alert rules.", "a duration from 1s to 1h"),
    key(
        "alerts.backoff.initial",
        "Delay before the first retry of a notification.",
        "a duration from 1s to 1h",
    ),
    key("alerts.backoff.factor", "Multiplier of consecutive delays.", "a whole number from 1 to 10"),
    key("alerts.backoff.max", "Maximum delay.", "a duration from 1s to 24h"),
    key(
        "alerts.backoff.tries",
        "Maximum number of attempts, after which a notification fails.",
        "a whole number from 1 to 100",
    ),
    key(
        "egress.allow",
        "Private, loopback, link-local and metadata addresses that HTTP nodes may call.",
        "a list of networks such as 10.1.0.0/16, addresses, and hosts or addresses with a port such as intranet:8443",
    ),
    key(
        "egress.deny",
        "Destinations that HTTP nodes must not call, even if public or allowed; \"*\" for everything not in egress.allow.",
        "a list of networks, addresses, and hosts or addresses with a port, or \"*\"",
    ),
    key(
        "egress.proxy",
        "Proxy for calls of HTTP nodes. The proxy resolves names and must block internal addresses.",
        "http://host:port or https://host:port, with user:password@ before the host if needed",
    ),
    key(
        "egress.tenants",
        "Additional egress rules per tenant: \"acme allow 10.1.0.0/16\", \"acme deny evil.example\",\n\
         \"acme deny *\", \"acme proxy http://proxy:3128\".",
        "a list of rules, each a tenant, allow, deny or proxy, and an entry, \"*\" or an address without a password",
    ),
    key("egress.response_bytes_max", "Maximum response size of an HTTP node.", SIZE),
    key("egress.timeout", "Timeout of a call of an HTTP node, including redirects.", TIMEOUT),
    key(
        "egress.redirects_max",
        "Maximum number of redirects that an HTTP node follows.",
        "a whole number from 0 to 20",
    ),
    key("log.format", "Format of log lines.", "\"text\" or \"json\""),
    key("log.filter", "Filter of log lines.", "directives such as info or info,engine=debug"),
];

/// The setting at a path without `*`.
pub(crate) fn find(path: &str) -> Option<&'static Key> {
    if path.contains('*') {
        return None;
    }
    let general = general_path(path);
    all().find(|key| key.path == general)
}

/// All paths that are settings, queue by queue.
pub(crate) fn paths() -> Vec<(String, &'static Key)> {
    let (queues, others): (Vec<_>, Vec<_>) = all().partition(|key| key.path.starts_with("queues."));
    let mut paths: Vec<_> = others.into_iter().map(|key| (key.path.to_owned(), key)).collect();
    let queue_paths = QueueName::ALL
        .into_iter()
        .flat_map(|queue| queues.iter().map(move |key| (key.path.replace('*', queue.as_str()), *key)));
    let place = paths.iter().position(|(path, _)| path.starts_with("workers.")).unwrap_or(paths.len());
    paths.splice(place..place, queue_paths);
    paths
}

/// What could stand in place of the last part of an unknown `path`: what the deepest table on the way holds.
pub(crate) fn known_near(path: &str) -> Vec<String> {
    let known = paths();
    let mut table = path;
    while let Some((outer, _)) = table.rsplit_once('.') {
        table = outer;
        let prefix = format!("{table}.");
        let found = parts_under(known.iter().filter_map(|(path, _)| path.strip_prefix(&prefix)));
        if !found.is_empty() {
            return found.into_iter().map(|part| format!("{prefix}{part}")).collect();
        }
    }
    parts_under(known.iter().map(|(path, _)| path.as_str()))
}

/// The first parts of `paths`, each once.
fn parts_under<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut parts: Vec<String> =
        paths.map(|path| path.split('.').next().unwrap_or(path).to_owned()).collect();
    parts.dedup();
    parts
}

fn general_path(path: &str) -> String {
    match path.strip_prefix("queues.").and_then(|rest| rest.split_once('.')) {
        Some((queue, rest)) if QueueName::parse(queue).is_some() => format!("queues.*.{rest}"),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests;
