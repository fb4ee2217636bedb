//! What the driver tells a peer: options on the command line, the address in the environment.

use clap::{Parser, ValueEnum};

/// The options that all peers share.
#[derive(Debug, Parser)]
pub struct Arguments {
    /// An empty database.
    #[arg(long, env = "PEER_DATABASE_URL", hide_env_values = true)]
    pub database_url: String,
    /// What to measure.
    #[arg(long, value_enum, default_value = "bulk")]
    pub scenario: Scenario,
    /// Which settings.
    #[arg(long, value_enum, default_value = "fast")]
    pub mode: Mode,
    /// Jobs of the drain.
    #[arg(long, default_value_t = 1_000)]
    pub jobs: usize,
    /// How long the steady load of the latency lasts.
    #[arg(long, default_value_t = 3)]
    pub latency_seconds: u64,
    /// After how long a drain is cut off.
    #[arg(long, default_value_t = 20)]
    pub drain_seconds: u64,
}

/// What to measure, on an empty database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scenario {
    /// Enqueue everything, then drain.
    Bulk,
    /// A steady load: from enqueue to the start of the handler.
    Latency,
}

/// Which settings a peer runs with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// What its documentation recommends for speed.
    Fast,
    /// What it does when nothing is said.
    Defaults,
}

impl Mode {
    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Defaults => "defaults",
        }
    }
}
