//! The port: rates as they are asked and answered.

use std::num::NonZeroU32;
use std::time::Duration;

use async_trait::async_trait;
use domain::time::DurationMs;

/// Whether somebody may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Yes, and it was counted.
    Allowed,
    /// No; nothing was counted.
    Refused {
        /// When to come again.
        retry_after: DurationMs,
    },
}

/// Counts, and refuses what is too much.
#[async_trait]
pub trait RateLimits: Send + Sync {
    /// Counts one of `key`, whose quota is `quota`. Keys of different classes never meet. A key that is checked under
    /// another quota than before starts anew in this process; over all nodes it goes on from where it was.
    async fn check(&self, class: &'static str, key: &str, quota: Quota) -> Verdict;
}

// How much is allowed.

/// So many in each span of time, and so many at once after a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Quota {
    requests: NonZeroU32,
    per: DurationMs,
    burst: NonZeroU32,
}

impl Quota {
    /// A quota. Zeros count as ones: whoever wants no limit has no quota.
    pub fn new(requests: u32, per: DurationMs, burst: u32) -> Self {
        Self {
            requests: NonZeroU32::new(requests).unwrap_or(NonZeroU32::MIN),
            per: DurationMs(per.0.max(1)),
            burst: NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN),
        }
    }

    /// The time in which one becomes allowed again.
    pub(crate) fn interval(self) -> Duration {
        (Duration::from_millis(self.per.0.unsigned_abs()) / self.requests.get()).max(Duration::from_nanos(1))
    }

    /// How many at once after a pause.
    pub(crate) const fn burst(self) -> NonZeroU32 {
        self.burst
    }
}
