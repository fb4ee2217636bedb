//! One timeline for all nodes: the database's time at the last calibration plus monotonic time since.
//!
//! Jumps of a machine's wall clock change nothing. Correctness rests on lease tokens, not on this clock: skew can
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
}

impl CalibratedClock {
    /// How often a deployment calibrates its clocks.
    pub const INTERVAL: DurationMs = DurationMs::from_secs(30);

    /// A clock that is calibrated now.
    pub async fn start(store: &dyn Store) -> StoreResult<Self> {
        Ok(Self::at(read(store).await?))
    }

    fn at(anchor: Anchor) -> Self {
        Self {
            anchor: RwLock::new(anchor),
            latest_ms: AtomicI64::new(anchor.database_ms),
        }
    }

    /// Calibrates again. If the database is behind what was given out already, the clock holds until it is passed.
    pub async fn recalibrate(&self, store: &dyn Store) -> StoreResult<()> {
        let anchor = read(store).await?;
        *self.anchor.write() = anchor;
        Ok(())
    }

    fn now_at(&self, instant: Instant) -> Timestamp {
        let anchor = *self.anchor.read();
        let elapsed_ms = instant.saturating_duration_since(anchor.read_at).as_millis() as i64;
        let now_ms = anchor.database_ms.saturating_add(elapsed_ms);
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
    Ok(Anchor {
        read_at: asked_at + round_trip / 2,
        database_ms: database.0,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn goes_on_from_the_anchor_and_never_back() {
        let start = Instant::now();
        let clock = CalibratedClock::at(Anchor {
            read_at: start,
            database_ms: 1_000,
        });
        assert_eq!(clock.now_at(start + Duration::from_millis(500)), Timestamp(1_500));
        *clock.anchor.write() = Anchor {
            read_at: start + Duration::from_millis(500),
            database_ms: 1_200,
        };
        assert_eq!(
            clock.now_at(start + Duration::from_millis(600)),
            Timestamp(1_500),
            "holds"
        );
        assert_eq!(
            clock.now_at(start + Duration::from_millis(900)),
            Timestamp(1_600),
            "goes on once passed"
        );
    }

    #[test]
    fn steps_forward_at_once() {
        let start = Instant::now();
        let clock = CalibratedClock::at(Anchor {
            read_at: start,
            database_ms: 1_000,
        });
        *clock.anchor.write() = Anchor {
            read_at: start,
            database_ms: 9_000,
        };
        assert_eq!(clock.now_at(start), Timestamp(9_000));
    }
}
