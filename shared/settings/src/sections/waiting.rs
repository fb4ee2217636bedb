//! How many requests may wait, in each process.

use serde::{Deserialize, Serialize};

/// How many requests may wait, in each process. A request that waits costs memory, and a look now and then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WaitingSettings {
    /// Long polls of a key.
    pub polls_per_key: u32,
    /// Long polls of all keys of a tenant.
    pub polls_per_tenant: u32,
    /// Event streams of a key.
    pub streams_per_key: u32,
    /// Event streams of all keys of a tenant.
    pub streams_per_tenant: u32,
    /// Requests of a key that wait for an end (`wait=true`).
    pub ends_per_key: u32,
    /// The same of all keys of a tenant.
    pub ends_per_tenant: u32,
    /// Worker ids under which a key polled within ten minutes.
    pub workers_per_key: u32,
    /// The same of all keys of a tenant.
    pub workers_per_tenant: u32,
}

impl WaitingSettings {
    /// All bounds with the names of their settings.
    pub(crate) const fn all(&self) -> [(&'static str, u32); 8] {
        [
            ("waiting.polls_per_key", self.polls_per_key),
            ("waiting.polls_per_tenant", self.polls_per_tenant),
            ("waiting.streams_per_key", self.streams_per_key),
            ("waiting.streams_per_tenant", self.streams_per_tenant),
            ("waiting.ends_per_key", self.ends_per_key),
            ("waiting.ends_per_tenant", self.ends_per_tenant),
            ("waiting.workers_per_key", self.workers_per_key),
            ("waiting.workers_per_tenant", self.workers_per_tenant),
        ]
    }
}

impl Default for WaitingSettings {
    fn default() -> Self {
        Self {
            polls_per_key: 2_000,
            polls_per_tenant: 4_000,
            streams_per_key: 200,
            streams_per_tenant: 400,
            ends_per_key: 1_000,
            ends_per_tenant: 2_000,
            workers_per_key: 2_000,
            workers_per_tenant: 4_000,
        }
    }
}
