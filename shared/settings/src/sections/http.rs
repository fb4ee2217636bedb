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
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            addr: (Ipv4Addr::LOCALHOST, 8080).into(),
            public_url: String::new(),
            trusted_proxies: Vec::new(),
            max_body: ByteSize::mebibytes(32),
            rate_limit: RateLimit::per_second(10_000),
            request_timeout: DurationMs::from_secs(60),
            json_depth_max: 64,
            json_size: ByteSize::mebibytes(1),
        }
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
