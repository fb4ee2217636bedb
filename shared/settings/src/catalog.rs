//! Every setting with what it is for and what may be written there.
//!
//! The default file and the error messages are made from this list. It holds no defaults: those are in the `Default`
//! of each section.

use domain::queue::QueueName;

/// One setting.
pub(crate) struct Key {
    /// Its place, with dots. `queues.*` stands for each of the four queues.
    pub(crate) path: &'static str,
    /// What it is for, as a comment in the default file.
    pub(crate) about: &'static str,
    /// What may be written there, as the end of "expected …".
    pub(crate) expected: &'static str,
}

const fn key(path: &'static str, about: &'static str, expected: &'static str) -> Key {
    Key { path, about, expected }
}

const ADDRESS: &str = "an address with a port, such as 127.0.0.1:8080 or [::1]:8080";
const COUNT: &str = "a whole number from 1 to 10000";
const LIMIT: &str = "a whole number from 1 to 1000000, or \"unlimited\"";
const QUOTA_COUNT: &str = "a whole number, or \"unlimited\"";
const QUOTA_SIZE: &str = "a number of bytes such as 10GiB, or \"unlimited\"";
const WAITERS: &str = "a whole number from 1 to 1000000";
const SIZE: &str = "a number of bytes from 1KiB to 1GiB, such as 512KiB, 32MiB or 1048576";
const TICK: &str = "a duration from 10ms to 1h, such as 250ms";
const TIMEOUT: &str = "a duration from 100ms to 1h, such as 30s";
const RATE: &str =
    "requests per second such as 100, requests in a span such as 100/1s or 6000/1m, or \"off\"";
const STEPS: &str = "a whole number from 1000 to 10000000000";
const RETENTION: &str = "a duration of at least 1s, such as 12h or 30d";

/// All settings, in the order of the default file.
pub(crate) const KEYS: &[Key] = &[
    key(
        "roles",
        "Which parts of the work this process does. Environment: TRUNKLINE_ROLES, comma-separated.",
        "a list of roles out of api, webhooks, scheduler, execution, node, scheduled, webhook",
    ),
    key(
        "bootstrap_key",
        "The first admin key. Without it one is made up at the first start and written to a private file. Setting another\n\
         one retires the one before. Better set TRUNKLINE_BOOTSTRAP_KEY or TRUNKLINE_BOOTSTRAP_KEY_FILE.",
        "32 to 200 printable ASCII characters without spaces",
    ),
    key(
        "http.addr",
        "Where REST and webhook ingress listen. Environment: TRUNKLINE_HTTP; PORT sets the port.",
        ADDRESS,
    ),
    key(
        "http.public_url",
        "Under which address the world reaches the server; callback addresses of workflows begin with it. Without it\n\
         they are only paths.",
        "an address such as https://jobs.example.com, without a slash at the end, or \"\"",
    ),
    key(
        "http.trusted_proxies",
        "Proxies before this server, as networks: the last address in X-Forwarded-For that is none of theirs is where a\n\
         request comes from, for limits per address and the delivery log. Nobody else is believed about it.",
        "a list of networks and addresses, such as 10.0.0.0/8 and ::1",
    ),
    key(
        "http.open",
        "Whether callers on this machine are administrators without a key while there is none. No first key is made then.\n\
         For trying things out only: every program and user of the machine is such a caller.",
        "true or false",
    ),
    key("http.max_body", "The largest request body; a batch of 10,000 jobs must fit.", SIZE),
    key(
        "http.rate_limit",
        "How many requests each API key may make; a caller that was idle may make all of them at once.",
        RATE,
    ),
    key("http.request_timeout", "How long a request may take, waiting calls included.", TIMEOUT),
    key("http.json_depth_max", "How deep JSON may be nested.", "a whole number from 1 to 127"),
    key("http.json_size", "The largest single input, job data or definition.", SIZE),
    key(
        "http.max_single_body",
        "The largest body of a request that carries one thing. Batches, and what workers report, may have max_body.",
        SIZE,
    ),
    key(
        "http.bodies_size",
        "What the bodies of all requests under way may take together. No key and no address may take more than is left for\n\
         others; what finds no room is answered 503.",
        SIZE,
    ),
    key(
        "http.body_rate_min",
        "How much of a body must come in each second, after ten seconds of grace; slower ones are cut.",
        "a number of bytes from 1 to 1GiB, such as 4KiB",
    ),
    key(
        "http.connections_max",
        "How many connections may be open. Callers beyond it are answered 503, but for /healthz and /readyz. Fewer where the\n\
         bound on open files is low.",
        "a whole number from 1 to 1000000",
    ),
    key(
        "http.connections_per_address_max",
        "The same for each source address; IPv6 counts by /64. Not for trusted_proxies.",
        "a whole number from 1 to 1000000",
    ),
    key(
        "http.head_timeout",
        "How long the head of a request may take, from the connection or the answer before it on: an idle connection is closed\n\
         then. Behind a load balancer, set it above that one's idle time (often 60s).",
        TIMEOUT,
    ),
    key(
        "http.http2",
        "Whether callers may speak HTTP/2: over TLS as they choose, without TLS by prior knowledge.",
        "true or false",
    ),
    key(
        "http.tls_certificate",
        "The file of the certificate and those between it and its root, as PEM; empty for no TLS. The files of TLS are read\n\
         again when they change, and on SIGHUP.",
        "the path of a file, or \"\", with http.tls_key",
    ),
    key(
        "http.tls_key",
        "The file of the certificate's key, as PEM.",
        "the path of a file, with http.tls_certificate",
    ),
    key(
        "http.tls_client_ca",
        "The file of the authorities of which every caller must show a certificate (mutual TLS), as PEM. Probes then use the\n\
         metrics address.",
        "the path of a file, or \"\", with http.tls_certificate",
    ),
    key(
        "grpc.addr",
        "Where gRPC will listen. Nothing listens there yet. Environment: TRUNKLINE_GRPC.",
        ADDRESS,
    ),
    key("metrics.addr", "Where Prometheus finds /metrics. Environment: TRUNKLINE_METRICS.", ADDRESS),
    key(
        "database.url",
        "Where everything is stored. Environment: TRUNKLINE_DATABASE_URL or DATABASE_URL.",
        "sqlite://path/file.db, sqlite::memory: or postgres://…",
    ),
    key(
        "database.connections_max",
        "PostgreSQL: the most connections this process opens.",
        "a whole number from 2 to 1000",
    ),
    key(
        "database.readers_max",
        "SQLite: how many connections read beside the one that writes.",
        "a whole number from 1 to 64",
    ),
    key(
        "database.tls_ca",
        "PostgreSQL: the file of the authorities that may vouch for the server, as PEM. With it the server's certificate and\n\
         name are checked (sslmode=verify-full), unless the address names another sslmode.",
        "the path of a file, or \"\"",
    ),
    key(
        "database.synchronous",
        "When a commit counts as durable: \"full\" is after it reached the disk. \"normal\" is faster, and a power cut or\n\
         a crash of the database server may take back the last acknowledged commits.",
        "\"full\" or \"normal\"",
    ),
    key(
        "database.pooler",
        "PostgreSQL: whether a pooler such as PgBouncer lends connections out by \"transaction\", or only by \"session\"\n\
         (which also says that there is none). \"auto\" finds out at the start. See docs/operations.md.",
        "\"auto\", \"session\" or \"transaction\"",
    ),
    key(
        "database.listen_url",
        "PostgreSQL behind a pooler by transaction: the address of the server itself, for the one connection each that\n\
         sends and hears notifications. Without it, work of other nodes is found by polling.",
        "postgres://…",
    ),
    key(
        "database.schema",
        "PostgreSQL: the schema in which the tables are. The first migration makes it.",
        "the name of a schema",
    ),
    key(
        "database.statement_timeout",
        "PostgreSQL: how long a statement, a commit or the wait for a connection may take. Afterwards the connection\n\
         is closed and the call answered 503.",
        "1s to 10m",
    ),
    key(
        "database.list_connections",
        "How many connections of their own lists, counts and figures are read on, beside connections_max or readers_max:\n\
         however slow they are, claims and reports do not wait for them.",
        "a whole number from 1 to 64",
    ),
    key(
        "database.list_timeout",
        "How long a list waits for one of them, and may take then. Afterwards its statement is ended and the call\n\
         answered 503.",
        "1s to 10m",
    ),
    key(
        "database.migrate",
        "Whether a start brings a PostgreSQL schema up to date; SQLite always is. Flag: --no-migrate.",
        "true or false",
    ),
    key(
        "redis.url",
        "Redis, for rate limits over a whole cluster; while it does not answer, each node counts for itself.\n\
         Environment: REDIS_URL.",
        "redis://… or rediss://… (TLS)",
    ),
    key(
        "redis.tls_ca",
        "The file of the authorities that may vouch for Redis, as PEM; the system's where it is empty.",
        "the path of a file, or \"\"",
    ),
    key(
        "secrets.keys",
        "The keys that secrets of webhooks and of tenants are sealed with, as name:base64 of 32 bytes (openssl rand -base64 32). The first\n\
         seals, all open: to change keys, add the new one at the end on all nodes, then put it first, and drop the old one\n\
         a day later. Without any, a key that the database keeps is used.\n\
         Better set TRUNKLINE_SECRETS__KEYS or TRUNKLINE_SECRETS__KEYS_FILE.",
        "a list of keys, each name:base64 of 32 bytes",
    ),
    key(
        "secrets.directory",
        "Where files are that secrets of tenants can name, such as a mounted Kubernetes Secret. Empty: nowhere.",
        "a path, or \"\"",
    ),
    key(
        "queues.*.workers",
        "How many jobs this process works on at once. An execution holds its worker while it runs.",
        COUNT,
    ),
    key(
        "queues.*.lease",
        "How long a claim holds without a heartbeat.",
        "a duration from 1s to 1d, such as 30s",
    ),
    key("queues.*.max_retries", "How often a failed job is tried again.", "a whole number from 0 to 1000"),
    key("queues.*.backoff.initial", "The wait before the first retry.", "a duration, such as 1s"),
    key(
        "queues.*.backoff.factor",
        "By how much each wait is longer than the one before.",
        "a number from 1 to 100, such as 2.0",
    ),
    key(
        "queues.*.backoff.max",
        "The longest wait.",
        "a duration that is not below backoff.initial, such as 5m",
    ),
    key(
        "queues.*.backoff.jitter",
        "Whether waits are spread, so that a crowd of failures does not come back at once.",
        "true or false",
    ),
    key("queues.*.limits.global", "How many jobs may be processed at once, on all nodes together.", LIMIT),
    key("queues.*.limits.tenant", "The same for each tenant.", LIMIT),
    key("queues.*.limits.workflow", "The same for each workflow.", LIMIT),
    key(
        "queues.*.age_after",
        "After which wait a job is lifted by one tier.",
        "a duration from 100ms on, such as 10m, or \"off\"",
    ),
    key("queues.*.poll_every", "How often the pool looks for jobs that nobody announced.", TICK),
    key(
        "workers.drain_timeout",
        "How long a stopping process waits for running jobs before it gives them back.",
        "a duration of at most 1h, such as 25s",
    ),
    key("workers.poll_wait_max", "The longest that a poll of an external worker is held open.", TIMEOUT),
    key("workers.jobs_per_poll_max", "The most jobs that one poll hands out.", COUNT),
    key(
        "waiting.polls_per_key",
        "How many long polls of each API key this process holds open. Callers beyond a bound on waiting are answered 429.",
        WAITERS,
    ),
    key("waiting.polls_per_tenant", "The same for all keys of a tenant.", WAITERS),
    key(
        "waiting.streams_per_key",
        "How many event streams of each API key this process holds open.",
        WAITERS,
    ),
    key("waiting.streams_per_tenant", "The same for all keys of a tenant.", WAITERS),
    key(
        "waiting.ends_per_key",
        "How many requests of each API key wait for an end (wait=true) in this process.",
        WAITERS,
    ),
    key("waiting.ends_per_tenant", "The same for all keys of a tenant.", WAITERS),
    key(
        "waiting.workers_per_key",
        "Under how many worker ids each API key may poll within ten minutes.",
        WAITERS,
    ),
    key("waiting.workers_per_tenant", "The same for all keys of a tenant.", WAITERS),
    key("workflows.nodes_max", "The most nodes that a definition may list.", COUNT),
    key(
        "workflows.child_depth_max",
        "How many levels of executions may start executions.",
        "a whole number from 1 to 100",
    ),
    key(
        "workflows.state_size",
        "The largest state of an execution, the outputs of its nodes included.",
        SIZE,
    ),
    key(
        "workflows.park_after",
        "An execution that only waits gives its slot back, unless the clock lets it go on within this span.",
        "a duration of at most 1h, such as 200ms",
    ),
    key(
        "workflows.evaluation_threads",
        "How many definitions are read, inputs checked and steps with expressions made at once, those of calls and those of\n\
         executions apart; 0 for as many as there are processors, and at least two.",
        "a whole number from 0 to 1000",
    ),
    key(
        "workflows.evaluation_threads_per_tenant",
        "How many of them may be of one tenant; 0 for half of them, and at least one.",
        "a whole number from 0 to 1000",
    ),
    key(
        "workflows.evaluation_deadline",
        "How long a call waits until its definition is read or its input is checked, before it is answered 503; and how\n\
         long the expressions of one step of an execution may take, before those that are left fail their nodes.",
        "a duration from 100ms to 1h, such as 10s",
    ),
    key(
        "workflows.expression_steps",
        "The most steps of one expression; a million take about a tenth of a second.",
        STEPS,
    ),
    key(
        "workflows.expression_memory",
        "The most memory of the values that one expression makes, those included that it drops again.",
        SIZE,
    ),
    key(
        "workflows.step_expression_steps",
        "The most steps of all expressions of one step of an execution. When half of them are used, what can wait is left\n\
         to the next step.",
        STEPS,
    ),
    key(
        "workflows.step_size",
        "How many bytes of inputs and outputs one step of an execution brings about before the other items of a MAP and the\n\
         other results are left to the next step.",
        SIZE,
    ),
    key(
        "webhooks.max_body",
        "The largest body of webhooks that set none themselves.",
        "a number of bytes from 1KiB to 25MiB, such as 512KiB",
    ),
    key(
        "webhooks.rejected_kept",
        "How many rejected deliveries of each webhook are kept for the log.",
        "a whole number from 0 to 1000000",
    ),
    key(
        "webhooks.held_max",
        "How many bytes of verified deliveries each webhook holds while it is paused or over its rate; each counts as its\n\
         body and 1KiB. Beyond it senders are answered 429. 0 holds nothing.",
        "a number of bytes up to 1GiB, such as 64MiB",
    ),
    key(
        "webhooks.stored_per_webhook",
        "The most bytes of deliveries that are kept of one webhook, 4 KiB for each beside its body; more are answered 429.",
        QUOTA_SIZE,
    ),
    key("webhooks.stored", "The same of all webhooks together.", QUOTA_SIZE),
    key(
        "webhooks.rate_limit_per_address",
        "How many requests each source address may make to webhooks; IPv6 counts by /64.",
        RATE,
    ),
    key("webhooks.rate_limit_per_tenant", "How many requests the webhooks of a tenant take together.", RATE),
    key(
        "quotas.open_jobs",
        "How many jobs of each tenant may be open; PUT /v1/tenants/{tenant}/quotas sets others for one. What is beyond a quota is\n\
         answered 429; what running executions make is not refused.",
        QUOTA_COUNT,
    ),
    key("quotas.open_executions", "How many executions of each tenant may be open.", QUOTA_COUNT),
    key(
        "quotas.payload_bytes",
        "How much the data of open jobs and the inputs of open executions of each tenant may take.",
        QUOTA_SIZE,
    ),
    key(
        "quotas.history_rows",
        "How many jobs and executions of each tenant that have ended are kept before no more are taken.",
        QUOTA_COUNT,
    ),
    key("quotas.delivery_bytes", "How much the deliveries of each tenant's webhooks may take.", QUOTA_SIZE),
    key(
        "quotas.idempotency_keys",
        "How many first answers are kept for each API key. One that was used before still gets its answer.",
        QUOTA_COUNT,
    ),
    key("upkeep.reap_every", "How often expired leases are looked for.", TICK),
    key("upkeep.promote_every", "How often jobs that have become due are looked for.", TICK),
    key("upkeep.prune_every", "How often what is past its retention is deleted.", TICK),
    key("upkeep.batch", "The most rows that one step of a duty touches.", COUNT),
    key("retention.completed", "How long completed jobs are kept.", RETENTION),
    key("retention.failed", "How long failed jobs and dead letters are kept.", RETENTION),
    key("retention.cancelled", "How long cancelled jobs are kept.", RETENTION),
    key("retention.archive", "How long archived dead letters are kept.", RETENTION),
    key(
        "retention.executions",
        "How long finished executions are kept, with their node results and events.",
        RETENTION,
    ),
    key(
        "retention.idempotency",
        "How long the first answer of a call with an Idempotency-Key is kept.",
        RETENTION,
    ),
    key("retention.deliveries", "How long deliveries of webhooks are kept, with their bodies.", RETENTION),
    key("retention.audit", "How long the audit log is kept.", RETENTION),
    key(
        "egress.allow",
        "Private, loopback, link-local and metadata addresses that HTTP nodes may call all the same.",
        "a list of networks such as 10.1.0.0/16, addresses, and hosts or addresses with a port such as intranet:8443",
    ),
    key(
        "egress.deny",
        "What HTTP nodes may not call, whatever is public or allowed; \"*\" for all that egress.allow does not name.",
        "a list of networks, addresses, and hosts or addresses with a port, or \"*\"",
    ),
    key(
        "egress.proxy",
        "The proxy that calls of HTTP nodes go through. It resolves names then, and must keep them from inner addresses.",
        "http://host:port or https://host:port, with user:password@ before the host if needed",
    ),
    key(
        "egress.tenants",
        "The same for single tenants, beside what holds for all: \"acme allow 10.1.0.0/16\", \"acme deny evil.example\",\n\
         \"acme deny *\", \"acme proxy http://proxy:3128\".",
        "a list of rules, each a tenant, allow, deny or proxy, and an entry, \"*\" or an address without a password",
    ),
    key("egress.response_bytes_max", "The largest response that an HTTP node reads.", SIZE),
    key("egress.timeout", "How long a call of an HTTP node may take, redirects included.", TIMEOUT),
    key("egress.redirects_max", "How many redirects an HTTP node follows.", "a whole number from 0 to 20"),
    key("log.format", "The shape of a log line.", "\"text\" or \"json\""),
    key("log.filter", "Which log lines are written.", "directives such as info or info,engine=debug"),
];

/// The setting at a path without `*`.
pub(crate) fn find(path: &str) -> Option<&'static Key> {
    if path.contains('*') {
        return None;
    }
    let general = general_path(path);
    KEYS.iter().find(|key| key.path == general)
}

/// All paths that are settings, queue by queue.
pub(crate) fn paths() -> Vec<(String, &'static Key)> {
    let (queues, others): (Vec<_>, Vec<_>) = KEYS.iter().partition(|key| key.path.starts_with("queues."));
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
