//! REST, documentation pages and webhook ingress.

use std::net::{Ipv4Addr, SocketAddr};

use domain::time::DurationMs;
use serde::{Deserialize, Serialize};

use crate::values::{ByteSize, RateLimit, rate_limit_or_off};

/// The HTTP port and what a request may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HttpSettings {
    /// Where the server listens.
    pub addr: SocketAddr,
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
            max_body: ByteSize::mebibytes(32),
            rate_limit: RateLimit::per_second(10_000),
            request_timeout: DurationMs::from_secs(60),
            json_depth_max: 64,
            json_size: ByteSize::mebibytes(1),
        }
    }
}
