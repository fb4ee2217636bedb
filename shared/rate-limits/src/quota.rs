//! How much is allowed.

use std::num::NonZeroU32;
use std::time::Duration;

use domain::time::DurationMs;

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
