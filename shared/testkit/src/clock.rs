//! A clock that stands still until a test moves it.

use std::sync::atomic::{AtomicI64, Ordering};

use domain::time::{DurationMs, Timestamp};
use store::Clock;

/// A clock that stands still until a test moves it.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// Where a clock starts that nobody set: 2026-11-20T12:00:00Z.
    pub const START: Timestamp = Timestamp(1_795_176_000_000);

    /// A clock that stands at `now`.
    pub const fn at(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.0))
    }

    /// Moves the clock on and answers where it stands then.
    pub fn advance(&self, by: DurationMs) -> Timestamp {
        Timestamp(self.0.fetch_add(by.0, Ordering::SeqCst) + by.0)
    }

    /// Puts the clock to an instant, earlier ones included.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.0, Ordering::SeqCst);
    }
}

impl Default for FixedClock {
    fn default() -> Self {
        Self::at(Self::START)
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_only_on_request() {
        let clock = FixedClock::default();
        assert_eq!(clock.now().to_string(), "2026-11-20T12:00:00.000Z");
        assert_eq!(clock.advance(DurationMs(5)), clock.now());
        clock.set(Timestamp(7));
        assert_eq!(clock.now(), Timestamp(7));
    }
}
