//! One timeline for all nodes: the database's time at the last calibration plus monotonic time since.
//!
//! Jumps of a machine's wall clock change nothing. Where the database's own clock was set back, this one goes on at half
//! speed until the database has caught up: timers still end, and no instant comes twice. Leases do not depend on it: they
//! are written and judged by the database's own clock.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

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

    /// After a calibration whose readings were all too slow, it is tried again so soon.
    pub const INTERVAL_AFTER_SLOW: DurationMs = DurationMs::from_secs(1);

    /// A clock that is calibrated now, as well as the connection allows.
    pub async fn start(store: &dyn Store) -> StoreResult<Self> {
        Ok(Self::at(read(store).await?.anchor))
    }

    fn at(anchor: Anchor) -> Self {
        Self { anchor: RwLock::new(anchor), latest_ms: AtomicI64::new(anchor.database_ms) }
    }

    /// Calibrates again; answers whether that was done. Readings that took long say little about the time between question
    /// and answer and are dropped: the clock goes on by its last calibration, which drifts by milliseconds an hour. If the
    /// database is behind what was given out already, the clock goes slower until it is not.
    pub async fn recalibrate(&self, store: &dyn Store) -> StoreResult<bool> {
        Ok(self.adopt_if_quick(read(store).await?))
    }

    fn adopt_if_quick(&self, read: Read) -> bool {
        let is_quick = read.round_trip <= ROUND_TRIP_MAX;
        if is_quick {
            self.adopt(read.anchor);
        }
        is_quick
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

/// A reading is off by half of its round trip at most. Slower ones were held up somewhere, waiting for a connection or
/// for a machine that stood still, and are not used.
const ROUND_TRIP_MAX: Duration = Duration::from_millis(500);

/// A reading as quick as this is not worth repeating.
const ROUND_TRIP_GOOD: Duration = Duration::from_millis(20);

/// How often the time is read for one calibration, at most.
const READINGS_MAX: usize = 5;

/// A reading of the database's time.
#[derive(Debug, Clone, Copy)]
struct Read {
    anchor: Anchor,
    round_trip: Duration,
}

/// Reads the database's time and assumes that it was read half-way through the round trip. The quickest of a few readings
/// counts, because the first may have waited for a connection.
async fn read(store: &dyn Store) -> StoreResult<Read> {
    let mut best = read_once(store).await?;
    for _ in 1..READINGS_MAX {
        if best.round_trip <= ROUND_TRIP_GOOD {
            break;
        }
        let next = read_once(store).await?;
        if next.round_trip < best.round_trip {
            best = next;
        }
    }
    Ok(best)
}

async fn read_once(store: &dyn Store) -> StoreResult<Read> {
    let asked_at = Instant::now();
    let database = store.database_now().await?;
    let round_trip = asked_at.elapsed();
    let anchor = Anchor { read_at: asked_at + round_trip / 2, database_ms: database.0, ahead_ms: 0 };
    Ok(Read { anchor, round_trip })
}

#[cfg(test)]
mod tests {
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
    fn a_slow_reading_changes_nothing() {
        let start = Instant::now();
        let clock = CalibratedClock::at(anchor(start, 1_000));
        // The connection was waited for, and five seconds of that were taken for the way to the database.
        let slow = Read {
            anchor: anchor(start + Duration::from_secs(5), 1_000),
            round_trip: Duration::from_secs(10),
        };
        assert!(!clock.adopt_if_quick(slow));
        assert_eq!(clock.now_at(start + Duration::from_secs(10)), Timestamp(11_000));
        let quick = Read { anchor: anchor(start, 9_000), round_trip: Duration::from_millis(1) };
        assert!(clock.adopt_if_quick(quick));
    }

    #[test]
    fn steps_forward_at_once() {
        let start = Instant::now();
        let clock = CalibratedClock::at(anchor(start, 1_000));
        clock.adopt(anchor(start, 9_000));
        assert_eq!(clock.now_at(start), Timestamp(9_000));
    }
}
