//! Interfaces: REST, documentation pages, webhook ingress, the console and gRPC.

use std::net::{Ipv4Addr, SocketAddr};

use domain::time::DurationMs;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::values::{ByteSize, RateLimit, rate_limit_or_off, secret, size_or_unlimited};

/// The HTTP port and what a request may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HttpSettings {
    /// Where the server listens.
    pub addr: SocketAddr,
    /// Under which address the world reaches the server, for callback addresses of workflows; without a slash at the
    /// end. Empty: the addresses are only paths.
    pub public_url: String,
    /// Networks of proxies that may say where a request comes from, by `X-Forwarded-For`.
    pub trusted_proxies: Vec<String>,
    /// Whether callers on this machine need no key while there is none. No first key is made then.
    pub open: bool,
    /// The largest request body; a batch of 10,000 jobs must fit.
    pub max_body: ByteSize,
    /// How many requests each API key may make; `None` is no limit.
    #[serde(with = "rate_limit_or_off")]
    pub rate_limit: Option<RateLimit>,
    /// How long a request may take, waiting calls included.
    pub request_timeout: DurationMs,
    /// How deep JSON may be nested.
    pub json_depth_max: u32,
    /// The largest single input, job data or definition.
    pub json_size: ByteSize,
    /// The largest body of a request that carries one thing, and no batch.
    pub max_single_body: ByteSize,
    /// What the bodies of all requests that are under way may take together.
    pub bodies_size: ByteSize,
    /// How much of a body must come in a second, after ten seconds of grace.
    pub body_rate_min: ByteSize,
    /// How many connections may be open at once.
    pub connections_max: u32,
    /// The same from one source address. Trusted proxies are not bounded by it.
    pub connections_per_address_max: u32,
    /// How long the head of a request may take to arrive, from the connection or the answer before it on.
    pub head_timeout: DurationMs,
    /// Whether callers may speak HTTP/2.
    pub http2: bool,
    /// The file of the certificate and those between it and its root, as PEM; empty for no TLS.
    pub tls_certificate: String,
    /// The file of its key, as PEM.
    pub tls_key: String,
    /// The file of the authorities of which callers must show a certificate, as PEM; empty where none is asked for.
    pub tls_client_ca: String,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            addr: (Ipv4Addr::LOCALHOST, 8080).into(),
            public_url: String::new(),
            trusted_proxies: Vec::new(),
            open: false,
            max_body: ByteSize::mebibytes(32),
            rate_limit: RateLimit::per_second(10_000),
            request_timeout: DurationMs::from_secs(60),
            json_depth_max: 64,
            json_size: ByteSize::mebibytes(1),
            max_single_body: ByteSize::mebibytes(4),
            bodies_size: ByteSize::mebibytes(256),
            body_rate_min: ByteSize(4 << 10),
            connections_max: 10_000,
            connections_per_address_max: 5_000,
            head_timeout: DurationMs::from_secs(15),
            http2: false,
            tls_certificate: String::new(),
            tls_key: String::new(),
            tls_client_ca: String::new(),
        }
    }
}

impl HttpSettings {
    /// Whether callers speak TLS.
    pub const fn has_tls(&self) -> bool {
        !self.tls_certificate.is_empty()
    }
}

/// Whether `url` is empty, or an `http` or `https` address with a host and without anything that could not stand before
/// a path.
pub(crate) fn is_public_url(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_plain = |rest: &str| {
        !rest.is_empty()
            && !rest.starts_with('/')
            && !rest.ends_with('/')
            && rest.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#' | b'@' | b'"'))
    };
    url.is_empty() || rest.is_some_and(is_plain)
}

// The tables that hold little but an address.

/// The Prometheus endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MetricsSettings {
    /// Where `/metrics` is served.
    pub addr: SocketAddr,
    /// Whether metrics of jobs have the label `tenant`.
    pub tenant_label: bool,
    /// Whether metrics of jobs have the label `job_type`.
    pub job_type_label: bool,
    /// How many values each of these labels has; more are `other`.
    pub label_values_max: u32,
}

impl Default for MetricsSettings {
    fn default() -> Self {
        Self {
            addr: (Ipv4Addr::LOCALHOST, 9091).into(),
            tenant_label: false,
            job_type_label: false,
            label_values_max: 100,
        }
    }
}

/// Redis, for rate limits over a whole cluster.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RedisSettings {
    /// `redis://…`, or `rediss://…` over TLS; absent when there is none.
    #[serde(with = "secret::optional_address", skip_serializing_if = "Option::is_none")]
    pub url: Option<SecretString>,
    /// The file of the authorities that may vouch for Redis, as PEM; empty for the system's.
    pub tls_ca: String,
}

// What people call this server, so that nobody takes production for something else, and what an hour of a worker costs.

/// Labels of the server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConsoleSettings {
    /// The name of the environment, such as `production`; empty for none.
    pub environment: String,
    /// Its color, as `#rrggbb`; empty for none.
    pub color: String,
    /// Whether sessions of the console only look, whatever the role of their key.
    pub read_only: bool,
    /// What an hour of a worker costs, for the cost of a tenant; 0 for no price.
    pub worker_hour_price: f64,
    /// The currency of prices, such as `EUR`; empty for none.
    pub currency: String,
}

/// Whether a color is empty or `#` and six hexadecimal digits.
pub(crate) fn is_color(color: &str) -> bool {
    let is_hex = |digits: &str| digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    color.is_empty() || color.strip_prefix('#').is_some_and(is_hex)
}

// The gRPC interface. TLS, proxies, rates and bounds of requests are those of `http`.

/// The gRPC port and the streams of workers on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GrpcSettings {
    /// Where the server listens.
    pub addr: SocketAddr,
    /// Whether it listens at all.
    pub enabled: bool,
    /// The largest message.
    pub message_size: ByteSize,
    /// How many calls and streams of one connection may be under way.
    pub streams_max: u32,
    /// How often the server says on a stream that it is there.
    pub alive_interval: DurationMs,
    /// After which silence a stream is dead.
    pub silence_max: DurationMs,
    /// How long a worker may take to confirm an offered job.
    pub receipt_timeout: DurationMs,
    /// How old connections and streams get, up to a fifth more or less.
    pub age: DurationMs,
    /// How long a worker on a drained stream may take to report what it has.
    pub drain_timeout: DurationMs,
}

impl Default for GrpcSettings {
    fn default() -> Self {
        Self {
            addr: (Ipv4Addr::LOCALHOST, 9090).into(),
            enabled: true,
            message_size: ByteSize::mebibytes(32),
            streams_max: 256,
            alive_interval: DurationMs::from_secs(20),
            silence_max: DurationMs::from_secs(60),
            receipt_timeout: DurationMs::from_secs(2),
            age: DurationMs::from_secs(600),
            drain_timeout: DurationMs::from_secs(30),
        }
    }
}

// Webhook endpoints.

/// Bounds of webhook endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookSettings {
    /// The largest body of endpoints that set none themselves.
    pub max_body: ByteSize,
    /// How many rejected deliveries of each endpoint are kept.
    pub rejected_kept: u32,
    /// How many bytes of deliveries each endpoint holds while it is paused or over its rate.
    pub held_max: ByteSize,
    /// The most bytes of deliveries that are kept of one endpoint, 4 KiB for each beside its body; `None` is unlimited.
    #[serde(with = "size_or_unlimited")]
    pub stored_per_webhook: Option<ByteSize>,
    /// The same of a tenant that has no quota of deliveries.
    #[serde(with = "size_or_unlimited")]
    pub stored_per_tenant: Option<ByteSize>,
    /// The same of all endpoints together.
    #[serde(with = "size_or_unlimited")]
    pub stored: Option<ByteSize>,
    /// How many requests each source address may make; `None` is no limit.
    #[serde(with = "rate_limit_or_off")]
    pub rate_limit_per_address: Option<RateLimit>,
    /// How many requests the endpoints of a tenant take together; `None` is no limit.
    #[serde(with = "rate_limit_or_off")]
    pub rate_limit_per_tenant: Option<RateLimit>,
}

impl Default for WebhookSettings {
    fn default() -> Self {
        Self {
            max_body: ByteSize::mebibytes(1),
            rejected_kept: 1_000,
            held_max: ByteSize(64 << 20),
            stored_per_webhook: Some(ByteSize(4 << 30)),
            stored_per_tenant: Some(ByteSize(16 << 30)),
            stored: Some(ByteSize(64 << 30)),
            rate_limit_per_address: RateLimit::per_second(10_000),
            rate_limit_per_tenant: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_public_url;

    #[test]
    fn public_addresses_can_stand_before_a_path() {
        for url in ["", "https://jobs.example.com", "http://127.0.0.1:8080", "https://example.com/trunkline"]
        {
            assert!(is_public_url(url), "{url}");
        }
        for url in ["example.com", "https://", "https://x/", "https://x?a", "ftp://x", "https://me:pw@x"] {
            assert!(!is_public_url(url), "{url}");
        }
    }
}
