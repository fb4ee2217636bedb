//! API keys as this process read them last, and when they were used.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use domain::id::KeyId;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use store::access::KeyRecord;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::EngineError;

/// How long a key is believed without asking: a revocation on another node takes effect within this span.
const KEYS_TTL: DurationMs = DurationMs::from_secs(1);

/// How many keys are remembered.
const KEYS_MAX: usize = 10_000;

/// How many looks into the database there are at once for secrets that were not seen to be valid.
pub(super) const UNSEEN_LOOKS_MAX: usize = 8;

/// How many requests may wait for one of them.
pub(super) const UNSEEN_WAITING_MAX: usize = 1_000;

/// When to come again where more do.
const UNSEEN_RETRY_AFTER: DurationMs = DurationMs::from_secs(1);

/// Valid keys as they were read last, by digest. Wrong secrets are not remembered: nobody can fill this from outside.
pub(crate) struct KeyCache {
    kept: Mutex<HashMap<[u8; 32], KeptKey>>,
    /// Grows with each [`KeyCache::clear`]: what was read before is not believed after it.
    changes: AtomicU64,
    /// Turns of those whose secret this process has not seen to be valid, whoever guesses: they must not keep the
    /// database from others.
    unseen: Semaphore,
    pub(super) waiting: AtomicUsize,
}

struct KeptKey {
    key: KeyRecord,
    /// `None` once settings have changed: the key is asked for again, and known still.
    read_at: Option<Timestamp>,
}

impl KeptKey {
    fn is_fresh(&self, now: Timestamp) -> bool {
        self.read_at.is_some_and(|read_at| now.since(read_at) < KEYS_TTL)
    }
}

impl Default for KeyCache {
    fn default() -> Self {
        let unseen = Semaphore::new(UNSEEN_LOOKS_MAX);
        Self { kept: Mutex::default(), changes: AtomicU64::new(0), unseen, waiting: AtomicUsize::new(0) }
    }
}

impl KeyCache {
    /// Has all keys asked for again.
    pub(crate) fn clear(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        for kept in self.kept.lock().values_mut() {
            kept.read_at = None;
        }
    }

    pub(super) fn get(&self, digest: &[u8; 32], now: Timestamp) -> Option<KeyRecord> {
        let all = self.kept.lock();
        let kept = all.get(digest)?;
        kept.is_fresh(now).then(|| kept.key.clone())
    }

    /// Whether it was valid, however long ago that was asked.
    pub(super) fn has(&self, digest: &[u8; 32]) -> bool {
        self.kept.lock().contains_key(digest)
    }

    /// How often they were to be asked for again, to be read before a key is.
    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// Keeps a key that was read after so many changes. One that may have been revoked since is known, and not believed.
    pub(super) fn keep(&self, digest: &[u8; 32], key: &KeyRecord, (now, changes): (Timestamp, u64)) {
        let mut all = self.kept.lock();
        let read_at = (self.changes() == changes).then_some(now);
        if all.len() >= KEYS_MAX {
            all.retain(|_, kept| kept.is_fresh(now));
        }
        if all.len() < KEYS_MAX {
            all.insert(*digest, KeptKey { key: key.clone(), read_at });
        }
    }

    pub(super) fn forget(&self, digest: &[u8; 32]) {
        self.kept.lock().remove(digest);
    }

    /// A turn to ask for a secret that was not seen to be valid.
    pub(super) async fn turn(&self) -> Result<Option<SemaphorePermit<'_>>, EngineError> {
        let overloaded = EngineError::Overloaded { retry_after: UNSEEN_RETRY_AFTER };
        let place = Place::among(&self.waiting).ok_or(overloaded)?;
        let turn = self.unseen.acquire().await.ok();
        drop(place);
        Ok(turn)
    }
}

/// A place among those who wait for a turn.
pub(super) struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    pub(super) fn among(waiting: &'a AtomicUsize) -> Option<Self> {
        let place = Self(waiting);
        let before = waiting.fetch_add(1, Ordering::Relaxed);
        (before < UNSEEN_WAITING_MAX).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The digest under which a secret is stored.
pub(crate) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// How often uses are written down.
const WRITE_INTERVAL: DurationMs = DurationMs::from_secs(60);

/// How many keys are recorded between two writes; a use of another one is not recorded.
const KEY_USES_KEYS_MAX: usize = 10_000;

/// Uses that are not written down yet.
#[derive(Debug, Default)]
pub(crate) struct KeyUses(Mutex<RecordedUses>);

#[derive(Debug, Default)]
struct RecordedUses {
    uses: HashMap<KeyId, Timestamp>,
    written_at: Option<Timestamp>,
}

impl KeyUses {
    /// Records a use. Answers what is to be stored now, if it is time.
    pub(super) fn record(&self, id: KeyId, now: Timestamp) -> Option<Vec<(KeyId, Timestamp)>> {
        let mut recorded = self.0.lock();
        if recorded.uses.len() < KEY_USES_KEYS_MAX || recorded.uses.contains_key(&id) {
            recorded.uses.insert(id, now);
        }
        if recorded.written_at.is_some_and(|at| now.since(at) < WRITE_INTERVAL) {
            return None;
        }
        recorded.written_at = Some(now);
        Some(recorded.uses.drain().collect())
    }
}
