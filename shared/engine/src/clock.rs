//! One timeline for all nodes: the database's time at the last calibration plus monotonic time since.
//!
//! Jumps of a machine's wall clock change nothing. Where the database's own clock was set back, this one goes on at half
//! speed until the database has caught up: timers and leases still end, and no instant comes twice. Correctness rests on lease tokens, not on this clock: skew can
//! cost an early repeat of an attempt at most.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use domain::time::{DurationMs, Timestamp};
use parking_lot::RwLock;
use store::{Clock, Store, StoreResult};

/// A clock that follows the database's and never steps backwards.
#[derive(Debug)]
pub struct CalibratedClock {
    anchor: RwLock<Anchor>,
    /// The latest instant that was given out.
    latest_ms: AtomicI64,
}

#[derive(Debug, Clone, Copy)]
struct Anchor {
    read_at: Instant,
    database_ms: i64,
    /// How far this clock was ahead of the database when it was read.
    ahead_ms: i64,
}

impl Anchor {
    fn now_ms_at(self, instant: Instant) -> i64 {
        let elapsed_ms = instant.saturating_duration_since(self.read_at).as_millis() as i64;
        let slowed_ms = self.ahead_ms.saturating_add(elapsed_ms / 2);
        self.database_ms.saturating_add(elapsed_ms.max(slowed_ms))
    }
}

impl CalibratedClock {
    /// How often a deployment calibrates its clocks.
    pub const INTERVAL: DurationMs = DurationMs::from_secs(30);

    /// A clock that is calibrated now.
    pub async fn start(store: &dyn Store) -> StoreResult<Self> {
        Ok(Self::at(read(store).await?))
    }

    fn at(anchor: Anchor) -> Self {
        Self { anchor: RwLock::new(anchor), latest_ms: AtomicI64::new(anchor.database_ms) }
    }

    /// Calibrates again. If the database is behind what was given out already, the clock goes slower until it is not.
    pub async fn recalibrate(&self, store: &dyn Store) -> StoreResult<()> {
        self.adopt(read(store).await?);
        Ok(())
    }

    fn adopt(&self, read: Anchor) {
        let mut anchor = self.anchor.write();
        let ahead_ms = anchor.now_ms_at(read.read_at).saturating_sub(read.database_ms);
        *anchor = Anchor { ahead_ms: ahead_ms.max(0), ..read };
    }

    fn now_at(&self, instant: Instant) -> Timestamp {
        let now_ms = self.anchor.read().now_ms_at(instant);
        let before_ms = self.latest_ms.fetch_max(now_ms, Ordering::AcqRel);
        Timestamp(before_ms.max(now_ms))
    }
}

impl Clock for CalibratedClock {
    fn now(&self) -> Timestamp {
        self.now_at(Instant::now())
    }
}

/// Reads the database's time and assumes that it was read half-way through the round trip.
async fn read(store: &dyn Store) -> StoreResult<Anchor> {
    let asked_at = Instant::now();
    let database = store.database_now().await?;
    let round_trip = asked_at.elapsed();
    Ok(Anchor { read_at: asked_at + round_trip / 2, database_ms: database.0, ahead_ms: 0 })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn anchor(read_at: Instant, database_ms: i64) -> Anchor {
        Anchor { read_at, database_ms, ahead_ms: 0 }
    }

    #[test]
    fn goes_on_from_the_anchor_and_never_back() {
        let start = Instant::now();
        let after = |ms| start + Duration::from_millis(ms);
        let clock = CalibratedClock::at(anchor(start, 1_000));
        assert_eq!(clock.now_at(after(500)), Timestamp(1_500));
        // 300 ms behind.
        clock.adopt(anchor(after(500), 1_200));
        assert_eq!(clock.now_at(after(500)), Timestamp(1_500));
        assert_eq!(clock.now_at(after(700)), Timestamp(1_600), "goes at half speed");
        clock.adopt(anchor(after(700), 1_400));
        assert_eq!(clock.now_at(after(900)), Timestamp(1_700), "also after the next calibration");
        assert_eq!(clock.now_at(after(1_100)), Timestamp(1_800), "caught up");
        assert_eq!(clock.now_at(after(1_200)), Timestamp(1_900), "goes at full speed again");
        assert_eq!(clock.now_at(after(1_000)), Timestamp(1_900), "an earlier question");
    }

    #[test]
    fn timers_go_on_when_the_database_was_set_far_back() {
        let start = Instant::now();
        let clock = CalibratedClock::at(anchor(start, 7_200_000));
        clock.adopt(anchor(start, 0));
        assert_eq!(clock.now_at(start + Duration::from_mins(1)), Timestamp(7_230_000));
    }

    #[test]
    fn steps_forward_at_once() {
        let start = Instant::now();
        let clock = CalibratedClock::at(anchor(start, 1_000));
        clock.adopt(anchor(start, 9_000));
        assert_eq!(clock.now_at(start), Timestamp(9_000));
    }
}
