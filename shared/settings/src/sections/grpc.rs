//! The gRPC interface. TLS, proxies, rates and bounds of requests are those of `http`.

use std::net::{Ipv4Addr, SocketAddr};

use domain::time::DurationMs;
use serde::{Deserialize, Serialize};

use crate::values::ByteSize;

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
