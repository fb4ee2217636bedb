//! REST, documentation pages and webhook ingress.

use std::net::{Ipv4Addr, SocketAddr};

use domain::time::DurationMs;
use serde::{Deserialize, Serialize};

use crate::values::{ByteSize, RateLimit, rate_limit_or_off};

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
