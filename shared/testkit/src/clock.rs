//! A clock that stands still until a test moves it.

use std::sync::atomic::{AtomicI64, Ordering};

use domain::id::LeaseToken;
use domain::retry::Jitter;
use domain::time::{DurationMs, Timestamp};
use engine::Entropy;
use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};
use store::Clock;
use uuid::{Builder, Uuid};

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

// Randomness that is the same in every run of a test.

/// A source of ids, tokens and jitter that follows from a seed.
#[derive(Debug)]
pub struct SeededEntropy(Mutex<Source>);

#[derive(Debug)]
struct Source {
    random: StdRng,
    made: u32,
}

impl SeededEntropy {
    /// The source of a seed. Two engines over one store need two seeds, or they make the same ids.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(Source { random: StdRng::seed_from_u64(seed), made: 0 }))
    }
}

impl Entropy for SeededEntropy {
    fn uuid(&self, now: Timestamp) -> Uuid {
        let mut source = self.0.lock();
        source.made += 1;
        // A counter in front keeps ids of one millisecond in the order in which they were made.
        let mut tail = [0_u8; 10];
        tail[2..6].copy_from_slice(&source.made.to_be_bytes());
        source.random.fill_bytes(&mut tail[6..]);
        Builder::from_unix_timestamp_millis(now.0.max(0).unsigned_abs(), &tail).into_uuid()
    }

    fn token(&self) -> LeaseToken {
        let mut bytes = [0_u8; 16];
        self.0.lock().random.fill_bytes(&mut bytes);
        LeaseToken(Builder::from_random_bytes(bytes).into_uuid())
    }

    fn secret(&self) -> [u8; 32] {
        let mut bytes = [0_u8; 32];
        self.0.lock().random.fill_bytes(&mut bytes);
        bytes
    }

    fn jitter(&self) -> Jitter {
        Jitter(self.0.lock().random.random())
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

    #[test]
    fn the_same_seed_makes_the_same_things() {
        let (one, other) = (SeededEntropy::new(1), SeededEntropy::new(1));
        assert_eq!(one.uuid(Timestamp(5)), other.uuid(Timestamp(5)));
        assert_eq!(one.token(), other.token());
        assert_ne!(one.token(), SeededEntropy::new(2).token());
    }

    #[test]
    fn ids_sort_as_they_were_made() {
        let entropy = SeededEntropy::new(1);
        let ids: Vec<Uuid> = (0..1_000).map(|at| entropy.uuid(Timestamp(1_000_000 + at / 100))).collect();
        assert!(ids.is_sorted());
    }
}
