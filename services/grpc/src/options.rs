//! The settings of the gRPC interface. Reads no settings itself.

use domain::time::DurationMs;

/// Bounds of the gRPC interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrpcOptions {
    /// The largest message that is read, in bytes.
    pub message_bytes_max: usize,
    /// How long a unary call may take, waiting calls included.
    pub request_timeout: DurationMs,
    /// How streams of workers are kept.
    pub streams: StreamOptions,
}

/// How streams of workers are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamOptions {
    /// How often the server says that it is there.
    pub alive_interval: DurationMs,
    /// After which silence of a worker its stream is dead. The same for a worker that takes nothing of what is sent to it.
    pub silence_max: DurationMs,
    /// How long a worker may take to confirm an offered job before it goes back.
    pub receipt_within: DurationMs,
    /// How often it is looked whether jobs were cancelled and whether the key still holds.
    pub look_interval: DurationMs,
    /// How old a stream gets before it is drained; up to a fifth more or less.
    pub age: DurationMs,
    /// How long a worker may take from `drain` on to report what it has.
    pub drain_within: DurationMs,
    /// How many bytes of payloads may wait for a slow reader before no more jobs are claimed for it.
    pub buffer_bytes_max: usize,
    /// How many jobs a worker may have room for at once.
    pub credits_max: u32,
    /// How many reports of one stream are worked on at once; further ones are not read meanwhile.
    pub reports_max: usize,
}

impl Default for GrpcOptions {
    fn default() -> Self {
        Self {
            message_bytes_max: 32 * 1024 * 1024,
            request_timeout: DurationMs::from_secs(60),
            streams: StreamOptions::default(),
        }
    }
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            alive_interval: DurationMs::from_secs(20),
            silence_max: DurationMs::from_secs(60),
            receipt_within: DurationMs::from_secs(2),
            look_interval: DurationMs::from_secs(1),
            age: DurationMs::from_secs(600),
            drain_within: DurationMs::from_secs(30),
            buffer_bytes_max: 4 * 1024 * 1024,
            credits_max: 10_000,
            reports_max: 256,
        }
    }
}
