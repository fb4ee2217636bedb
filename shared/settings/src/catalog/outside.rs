//! Settings of the console and the doctor, of external services that the server calls, and of dispatch.

use super::key::{Key, key};

/// The settings.
pub(super) const KEYS: &[Key] = &[
    key(
        "console.environment",
        "Name of the environment, such as production, shown by the console and `GET /v1/me`. Empty: none.",
        "at most 40 characters",
    ),
    key("console.color", "Color of the environment in the console. Empty: none.", "#rrggbb, or \"\""),
    key(
        "console.read_only",
        "Whether console sessions are read-only, regardless of the role of their key or person. Keys, tokens and the\n\
         command line are not affected.",
        "true or false",
    ),
    key(
        "console.worker_hour_price",
        "Price of one hour of worker time, used for the cost of each tenant in the console. 0: no cost is shown.",
        "a number from 0 to 1000000",
    ),
    key(
        "console.currency",
        "Currency of prices, such as EUR, for display only. Empty: none.",
        "at most 8 characters",
    ),
    key(
        "doctor.snapshot_age",
        "Age of a database transaction above which `trunkline doctor` warns; six times this age is a failure.",
        "a duration from 1s to 30d",
    ),
    key(
        "doctor.clock_offset",
        "Offset between the clocks of a machine and the database above which it warns; six times this offset is a\n\
         failure.",
        "a duration from 10ms to 1h",
    ),
    key(
        "doctor.lease_overdue",
        "Time within which an expired lease must be reclaimed; otherwise it is a failure.",
        "a duration from 1s to 1d",
    ),
    key(
        "doctor.parked_overdue",
        "Time within which a due parked execution must be resumed; otherwise it is a failure.",
        "a duration from 1s to 1d",
    ),
    key(
        "doctor.disk_used",
        "Used fraction of the disk above which it warns; 0.97 is a failure.",
        "a number from 0.1 to 0.97",
    ),
    key(
        "oidc.issuer",
        "Issuer URL of an OpenID Connect identity provider, exactly as spelled in its tokens. Its tokens (RS256, ES256,\n\
         EdDSA) are accepted as bearer tokens in addition to API keys. Empty: disabled.",
        "an https address, or an http address of this machine, or \"\"",
    ),
    key(
        "oidc.audience",
        "Accepted audiences (`aud`) of bearer tokens (default: oidc.client_id).",
        "a list of names; at least one, or oidc.client_id",
    ),
    key(
        "oidc.client_id",
        "Client ID for sign-in to the console. Requires http.public_url; register\n\
         <http.public_url>/auth/oidc/callback as redirect URI. Empty: no sign-in.",
        "a client ID, with oidc.issuer and http.public_url, or \"\"",
    ),
    key(
        "oidc.client_secret",
        "Client secret for sign-in; without it, the client is public and uses PKCE alone. Prefer\n\
         TRUNKLINE_OIDC__CLIENT_SECRET.",
        "a text",
    ),
    key("oidc.scopes", "Scopes that sign-in requests.", "a list of scopes, such as openid and email"),
    key(
        "oidc.groups_claim",
        "Claim with the groups of the caller; dots lead into objects, such as realm_access.roles.",
        "the name of a claim",
    ),
    key(
        "oidc.tenant_claim",
        "Claim with the tenant of the caller, for rules without a tenant. Callers without it are rejected. Empty: such\n\
         rules grant access to all tenants.",
        "the name of a claim, or \"\"",
    ),
    key(
        "oidc.person_claim",
        "Claim with the name of the person, as used by user tasks. An unverified email is ignored.",
        "the name of a claim, or \"\"",
    ),
    key(
        "oidc.roles",
        "Roles of groups; the first rule that matches a group of the caller applies. GROUP=ROLE takes the tenant from\n\
         oidc.tenant_claim, GROUP=ROLE@TENANT binds to a tenant, GROUP=ROLE@* allows all tenants; group * matches every\n\
         caller. Callers without a matching rule are rejected. The role viewer sees no payloads; viewer+payloads does.",
        "a list of rules, such as platform=admin@* and acme-ops=operator@acme; at least one with oidc.issuer",
    ),
    key(
        "oidc.hosts",
        "Hosts of the provider's endpoints other than the issuer's, such as www.googleapis.com. No others are called.",
        "a list of host names",
    ),
    key(
        "oidc.tls_ca",
        "File with additional CA certificates of the provider in PEM.",
        "the path of a file, or \"\"",
    ),
    key("oidc.session_ttl", "Duration of console sessions after sign-in.", "a duration from 1m to 7d"),
    key("oidc.label", "Label of the console's sign-in button.", "1 to 60 characters"),
    key(
        "vault.address",
        "Address of a secret manager with the HTTP API of HashiCorp Vault or OpenBao (key-value store, version 2), whose\n\
         secrets can be referenced by tenant secrets. Empty: disabled.",
        "an https address, or an http address of this machine, or \"\"",
    ),
    key(
        "vault.token",
        "Token of the secret manager. Prefer vault.token_file or TRUNKLINE_VAULT__TOKEN.",
        "a token",
    ),
    key(
        "vault.token_file",
        "File with the token; it is read for each call, so that an agent may renew it.",
        "the path of a file, or \"\"",
    ),
    key("vault.mount", "Mount path of the key-value store.", "a path, such as secret"),
    key("vault.namespace", "Namespace in the secret manager.", "a name, or \"\""),
    key(
        "vault.tls_ca",
        "File with additional CA certificates of the secret manager in PEM.",
        "the path of a file, or \"\"",
    ),
    key(
        "vault.cache",
        "How long a value is cached before it is read again.",
        "a duration from 0ms to 10m, such as 30s",
    ),
];

// Where this server sends mail and traces.

/// The settings.
pub(super) const OUTGOING_KEYS: &[Key] = &[
    key(
        "smtp.host",
        "Mail server of alert routes of the type mail. Empty: such routes fail.",
        "the name or address of a host, or \"\"",
    ),
    key("smtp.port", "Port of the mail server.", "a port, a whole number from 1 to 65535"),
    key(
        "smtp.encryption",
        "Encryption: starttls (required after connecting), tls (from the start) or none.",
        "starttls, tls or none",
    ),
    key("smtp.username", "User name at the mail server. Empty: no sign-in.", "a name, or \"\""),
    key(
        "smtp.password",
        "Password at the mail server. Prefer TRUNKLINE_SMTP__PASSWORD or TRUNKLINE_SMTP__PASSWORD_FILE.",
        "a password for smtp.username",
    ),
    key(
        "smtp.from",
        "Sender address of alert emails.",
        "an address such as Trunkline <jobs@example.com>, with smtp.host",
    ),
    key(
        "smtp.tls_ca",
        "File with additional CA certificates of the mail server in PEM.",
        "the path of a file, or \"\"",
    ),
    key(
        "otel.endpoint",
        "URL of an OpenTelemetry collector that accepts spans over OTLP, such as http://127.0.0.1:4318. Empty: no spans.\n\
         OTEL_EXPORTER_OTLP_ENDPOINT, _PROTOCOL and _HEADERS, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES apply if\n\
         these settings are not set.",
        "an http or https address, or \"\"",
    ),
    key("otel.protocol", "Protocol of the collector.", "http/protobuf or grpc"),
    key(
        "otel.headers",
        "Headers of each request, percent-encoded. Prefer otel.headers_file or TRUNKLINE_OTEL__HEADERS.",
        "pairs such as name=value, separated by commas; either this or otel.headers_file",
    ),
    key("otel.headers_file", "File with the headers.", "the path of a file, or \"\""),
    key("otel.service_name", "Service name of the spans.", "a name"),
    key(
        "otel.resource_attributes",
        "Additional resource attributes.",
        "a list of pairs such as deployment.environment=prod",
    ),
    key(
        "otel.sample",
        "Fraction of traces that is sampled, of those that this process starts. A caller's decision applies to its traces.",
        "a number from 0 to 1",
    ),
    key("otel.flush_every", "Maximum delay before a span is exported.", "a duration from 100ms to 1h"),
    key(
        "otel.queue",
        "Maximum number of spans that wait to be exported. Further spans are dropped and counted.",
        "a whole number from 1 to 1000000",
    ),
];

// How external workers receive jobs, and the Kafka cluster that carries them.

/// The settings.
pub(super) const DISPATCH_KEYS: &[Key] = &[
    key(
        "dispatch.mode",
        "How external workers receive jobs: \"polling\" (workers poll) or \"kafka_outbox\" (jobs are published to Kafka).\n\
         It must be the same on all nodes; a node with another mode does not start. kafka_outbox requires PostgreSQL,\n\
         kafka.brokers and a binary built with the feature \"kafka\".",
        "\"polling\", or \"kafka_outbox\" with a PostgreSQL database.url and kafka.brokers",
    ),
    key(
        "dispatch.window",
        "Maximum number of open offers of a job type. It is lower while few offers are accepted.",
        "a whole number from 1 to 100000",
    ),
    key(
        "dispatch.offer_timeout",
        "How long an offered job waits for a worker before it returns to its queue without consuming an attempt.",
        "a duration from 1s to 1h, such as 60s",
    ),
    key(
        "kafka.brokers",
        "Kafka brokers, such as kafka-1:9092,kafka-2:9092.",
        "addresses as host:port, separated by commas, or \"\"",
    ),
    key(
        "kafka.topic_prefix",
        "Prefix of topic names.",
        "1 to 100 letters, digits, dots, underscores or hyphens",
    ),
    key(
        "kafka.topics",
        "Topics: \"per_type\" (PREFIX.jobs.JOB_TYPE.PRIORITY), or \"single\" (PREFIX.jobs.PRIORITY).",
        "\"per_type\" or \"single\"",
    ),
    key("kafka.create_topics", "Whether missing topics are created.", "true or false"),
    key("kafka.partitions", "Number of partitions of created topics.", "a whole number from 1 to 10000"),
    key(
        "kafka.replication_factor",
        "Replication factor of created topics. 0: the brokers' default.",
        "a whole number from 0 to 100",
    ),
    key("kafka.envelope", "Encoding of messages: \"json\" or \"protobuf\".", "\"json\" or \"protobuf\""),
    key(
        "kafka.properties",
        "Properties for librdkafka, such as security.protocol=SASL_SSL, sasl.mechanism=SCRAM-SHA-512, sasl.username and\n\
         sasl.password. Prefer TRUNKLINE_KAFKA__PROPERTIES_FILE, a file with one property per line.",
        "a list of name=value",
    ),
];
