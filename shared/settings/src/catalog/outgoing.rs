//! Where this server sends mail and traces.

use super::{Key, key};

/// The settings.
pub(super) const KEYS: &[Key] = &[
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
        "a password beside smtp.username",
    ),
    key(
        "smtp.from",
        "Sender of mails about alerts.",
        "an address such as Trunkline <jobs@example.com>, with smtp.host",
    ),
    key(
        "smtp.tls_ca",
        "File with additional CA certificates of the mail server in PEM.",
        "the path of a file, or \"\"",
    ),
    key(
        "otel.endpoint",
        "Address of an OpenTelemetry collector that takes spans over OTLP, such as http://127.0.0.1:4318. Empty: no spans.\n\
         OTEL_EXPORTER_OTLP_ENDPOINT, _PROTOCOL and _HEADERS, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES apply where\n\
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
        "More attributes of the service.",
        "a list of pairs such as deployment.environment=prod",
    ),
    key(
        "otel.sample",
        "Share of the traces that begin here which is kept. A caller's decision applies to its own traces.",
        "a number from 0 to 1",
    ),
    key("otel.flush_every", "How long a span may wait before it is sent.", "a duration from 100ms to 1h"),
    key(
        "otel.queue",
        "How many spans may wait; more are dropped and counted.",
        "a whole number from 1 to 1000000",
    ),
];
