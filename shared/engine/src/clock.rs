//! One timeline for all nodes: the database's time at the last calibration plus monotonic time since.
//!
//! Jumps of a machine's wall clock change nothing. Where the database's own clock was set back, this one goes on at
//! half speed until the database has caught up: timers still end, and no instant comes twice. Where it was set forward,
//! that is believed after a few seconds: what is due by a clock that is wrong for a moment would stay due so late for
//! good. Leases do not depend on it: they are written and judged by the database's own clock.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use domain::time::{DurationMs, Timestamp};
use parking_lot::{Mutex, RwLock};
use store::{Clock, Store, StoreResult};

/// A clock that follows the database's and never steps backwards.
#[derive(Debug)]
pub struct CalibratedClock {
    anchor: RwLock<Anchor>,
    /// The latest instant that was given out.
    latest_ms: AtomicI64,
    /// A leap forward of the database's clock that is not believed yet.
    doubted: Mutex<Option<Leap>>,
}

/// A leap forward of the database's clock.
#[derive(Debug, Clone, Copy)]
struct Leap {
    first_seen_at: Instant,
    /// How far.
    ms: i64,
}

#[derive(Debug, Clone, Copy)]
struct Anchor {
    read_at: Instant,
    database_ms: i64,
    /// How far this clock was ahead of the database when it was read.
    ahead_ms: i64,
}

impl Anchor {
    /// What the database's clock shows if nobody has set it.
    fn database_ms_at(self, instant: Instant) -> i64 {
        self.database_ms.saturating_add(self.elapsed_ms(instant))
    }

    fn elapsed_ms(self, instant: Instant) -> i64 {
        instant.saturating_duration_since(self.read_at).as_millis() as i64
    }

    fn now_ms_at(self, instant: Instant) -> i64 {
        let elapsed_ms = self.elapsed_ms(instant);
        let slowed_ms = self.ahead_ms.saturating_add(elapsed_ms / 2);
        self.database_ms.saturating_add(elapsed_ms.max(slowed_ms))
    }
}

impl CalibratedClock {
    /// How often a deployment calibrates its clocks.
    pub const INTERVAL: DurationMs = DurationMs::from_secs(30);

    /// After a calibration that was not done, it is tried again so soon.
    pub const INTERVAL_UNTIL_DONE: DurationMs = DurationMs::from_secs(1);

    /// A clock that is calibrated now, as well as the connection allows.
    pub async fn start(store: &dyn Store) -> StoreResult<Self> {
        Ok(Self::at(read(store).await?.anchor))
    }

    fn at(anchor: Anchor) -> Self {
        let latest_ms = AtomicI64::new(anchor.database_ms);
        Self { anchor: RwLock::new(anchor), latest_ms, doubted: Mutex::default() }
    }

    /// Calibrates again; answers whether that was done. Readings that took long say little about the time between
    /// question and answer and are dropped: the clock goes on by its last calibration, which drifts by milliseconds an
    /// hour. If the database is behind what was given out already, the clock goes slower until it is not. A leap
    /// forward is believed when readings have shown it for [five seconds](LEAP_LASTS).
    pub async fn recalibrate(&self, store: &dyn Store) -> StoreResult<bool> {
        Ok(self.adopt_if_quick(read(store).await?))
    }

    fn adopt_if_quick(&self, read: Read) -> bool {
        read.round_trip <= ROUND_TRIP_MAX && self.adopt(read.anchor)
    }

    fn adopt(&self, read: Anchor) -> bool {
        let mut anchor = self.anchor.write();
        let ahead_ms = anchor.now_ms_at(read.read_at).saturating_sub(read.database_ms);
        let leap_ms = read.database_ms.saturating_sub(anchor.database_ms_at(read.read_at));
        if ahead_ms < -LEAP_MAX_MS && !self.is_believed(leap_ms, read.read_at) {
            return false;
        }
        *self.doubted.lock() = None;
        *anchor = Anchor { ahead_ms: ahead_ms.max(0), ..read };
        true
    }

    /// Whether a leap forward was there at all readings for some time. Another leap begins anew.
    fn is_believed(&self, leap_ms: i64, seen_at: Instant) -> bool {
        let mut doubted = self.doubted.lock();
        if let Some(leap) = *doubted
            && leap.ms.abs_diff(leap_ms) <= LEAP_MAX_MS.unsigned_abs()
        {
            let is_believed = seen_at.saturating_duration_since(leap.first_seen_at) >= LEAP_LASTS;
            if is_believed {
                tracing::warn!(leap_ms, "the database clock was set forward; this process follows it");
            }
            return is_believed;
        }
        tracing::warn!(leap_ms, "the database clock jumped forward; the new time is accepted if it persists");
        *doubted = Some(Leap { first_seen_at: seen_at, ms: leap_ms });
        false
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

/// A reading that would set this clock forward by more is doubted. Clocks drift less between two calibrations.
const LEAP_MAX_MS: i64 = 1_000;

/// For how long it is.
const LEAP_LASTS: Duration = Duration::from_secs(5);

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

/// Reads the database's time and assumes that it was read half-way through the round trip. The quickest of a few
/// readings counts, because the first may have waited for a connection.
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
        let quick = Read { anchor: anchor(start, 1_500), round_trip: Duration::from_millis(1) };
        assert!(clock.adopt_if_quick(quick));
    }

    #[test]
    fn small_differences_are_made_up_at_once() {
        let start = Instant::now();
        let clock = CalibratedClock::at(anchor(start, 1_000));
        assert!(clock.adopt(anchor(start, 1_900)));
        assert_eq!(clock.now_at(start), Timestamp(1_900));
    }

    #[test]
    fn a_leap_forward_that_is_taken_back_is_never_believed() {
        const LEAP: i64 = 7_200_000;
        let start = Instant::now();
        let after = |secs| start + Duration::from_secs(secs);
        let clock = CalibratedClock::at(anchor(start, 1_000));
        // Two hours ahead, for less than five seconds each time: what is due in a second is not due in two hours.
        for (secs, leap, adopted) in
            [(30, LEAP, false), (34, LEAP, false), (35, 0, true), (60, LEAP, false), (64, LEAP, false)]
        {
            let read = anchor(after(secs), 1_000 + secs as i64 * 1_000 + leap);
            assert_eq!(clock.adopt(read), adopted, "after {secs} s");
            assert_eq!(clock.now_at(after(secs)), Timestamp(1_000 + secs as i64 * 1_000));
        }
        // A different one begins anew.
        assert!(!clock.adopt(anchor(after(66), 67_000 + 2 * LEAP)));
        assert_eq!(clock.now_at(after(66)), Timestamp(67_000));
    }

    #[test]
    fn a_leap_forward_that_lasts_is_believed() {
        let start = Instant::now();
        let after = |secs| start + Duration::from_secs(secs);
        let clock = CalibratedClock::at(anchor(start, 1_000));
        // The clock was set back before, and goes at half speed: the leap is of the database's clock alone.
        assert!(clock.adopt(anchor(start, 0)));
        for secs in 1..=5 {
            assert!(!clock.adopt(anchor(after(secs), 9_000_000 + secs as i64 * 1_000 + 20)), "{secs}");
        }
        assert!(clock.adopt(anchor(after(6), 9_006_000)));
        assert_eq!(clock.now_at(after(6)), Timestamp(9_006_000));
    }
}
