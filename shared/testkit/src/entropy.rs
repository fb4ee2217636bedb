//! Randomness that is the same in every run of a test.

use domain::id::LeaseToken;
use domain::retry::Jitter;
use domain::time::Timestamp;
use engine::Entropy;
use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};
use uuid::{Builder, Uuid};

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
