//! Randomness and fresh ids as a port, so that tests own them.

use domain::id::LeaseToken;
use domain::retry::Jitter;
use domain::time::Timestamp;
use parking_lot::Mutex;
use rand::TryRngCore;
use rand::rngs::OsRng;
use uuid::{ContextV7, Uuid};

/// Where ids, tokens, secrets and jitter come from.
pub trait Entropy: Send + Sync {
    /// A fresh id that sorts by time (UUIDv7) at `now`.
    fn uuid(&self, now: Timestamp) -> Uuid;

    /// A lease token that nobody can guess (UUIDv4).
    fn token(&self) -> LeaseToken;

    /// So many of them.
    fn tokens(&self, count: usize) -> Vec<LeaseToken> {
        (0..count).map(|_| self.token()).collect()
    }

    /// 32 bytes that nobody can guess.
    fn secret(&self) -> [u8; 32];

    /// A number in `0..=1`, drawn evenly. Need not be hard to guess.
    fn jitter(&self) -> Jitter;
}

/// The operating system's randomness.
#[derive(Debug)]
pub struct SystemEntropy {
    /// Keeps ids of the same millisecond in the order in which they were made.
    context: Mutex<ContextV7>,
}

impl SystemEntropy {
    /// A source.
    pub fn new() -> Self {
        Self { context: Mutex::new(ContextV7::new()) }
    }
}

impl Default for SystemEntropy {
    fn default() -> Self {
        Self::new()
    }
}

impl Entropy for SystemEntropy {
    fn uuid(&self, now: Timestamp) -> Uuid {
        let ms = now.0.max(0) as u64;
        let nanos = (ms % 1_000) as u32 * 1_000_000;
        let context = self.context.lock();
        Uuid::new_v7(uuid::Timestamp::from_unix(&*context, ms / 1_000, nanos))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the engine's source of tokens")]
    fn token(&self) -> LeaseToken {
        LeaseToken(Uuid::new_v4())
    }

    fn tokens(&self, count: usize) -> Vec<LeaseToken> {
        // Asked for at once: a claim for many slots would otherwise call the operating system for each of them.
        let mut bytes = vec![0_u8; count * 16];
        OsRng.try_fill_bytes(&mut bytes).expect("the operating system gives randomness");
        let (chunks, _) = bytes.as_chunks::<16>();
        chunks.iter().map(|chunk| LeaseToken(uuid::Builder::from_random_bytes(*chunk).into_uuid())).collect()
    }

    fn secret(&self) -> [u8; 32] {
        let mut bytes = [0_u8; 32];
        OsRng.try_fill_bytes(&mut bytes).expect("the operating system gives randomness");
        bytes
    }

    #[expect(clippy::disallowed_methods, reason = "this is the engine's source of random numbers")]
    fn jitter(&self) -> Jitter {
        Jitter(rand::random::<f64>())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn tokens_are_random_and_each_is_another() {
        let tokens = SystemEntropy::new().tokens(1_000);
        let different: HashSet<LeaseToken> = tokens.iter().copied().collect();
        assert_eq!(different.len(), 1_000);
        assert!(tokens.iter().all(|token| token.0.get_version_num() == 4));
        assert!(SystemEntropy::new().tokens(0).is_empty());
    }
}
