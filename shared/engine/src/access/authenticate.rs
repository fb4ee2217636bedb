//! Authenticate: from the secret that a caller shows to who the caller is.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::access::TenantScope;
use domain::id::KeyId;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use store::access::KeyRecord;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::identity::{TOKEN_BYTES_MAX, is_token};
use crate::caller::{Caller, KeyLimits, Membership};
use crate::engine::Engine;
use crate::error::EngineError;

/// How long a key is believed without asking: a revocation on another node takes effect within this span.
const KEYS_TTL: DurationMs = DurationMs::from_secs(1);
/// How many keys are remembered.
const KEYS_MAX: usize = 10_000;
/// How many looks into the database there are at once for secrets that were not seen to be valid.
const UNSEEN_LOOKS_MAX: usize = 8;
/// How many requests may wait for one of them.
const UNSEEN_WAITING_MAX: usize = 1_000;
/// When to come again where more do.
const UNSEEN_RETRY_AFTER: DurationMs = DurationMs::from_secs(1);
/// Longer secrets are no keys of ours and are not even hashed.
const SECRET_BYTES_MAX: usize = 512;

/// Valid keys as they were read last, by digest. Wrong secrets are not remembered: nobody can fill this from outside.
pub(crate) struct KeyCache {
    kept: Mutex<HashMap<[u8; 32], KeptKey>>,
    /// Turns of those whose secret this process has not seen to be valid, whoever guesses: they must not keep the
    /// database from others.
    unseen: Semaphore,
    waiting: AtomicUsize,
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
        Self { kept: Mutex::default(), unseen, waiting: AtomicUsize::new(0) }
    }
}

impl KeyCache {
    /// Has all keys asked for again.
    pub(crate) fn clear(&self) {
        for kept in self.kept.lock().values_mut() {
            kept.read_at = None;
        }
    }

    fn get(&self, digest: &[u8; 32], now: Timestamp) -> Option<KeyRecord> {
        let all = self.kept.lock();
        let kept = all.get(digest)?;
        kept.is_fresh(now).then(|| kept.key.clone())
    }

    /// Whether it was valid, however long ago that was asked.
    fn has(&self, digest: &[u8; 32]) -> bool {
        self.kept.lock().contains_key(digest)
    }

    fn keep(&self, digest: &[u8; 32], key: &KeyRecord, now: Timestamp) {
        let mut all = self.kept.lock();
        if all.len() >= KEYS_MAX {
            all.retain(|_, kept| kept.is_fresh(now));
        }
        if all.len() < KEYS_MAX {
            all.insert(*digest, KeptKey { key: key.clone(), read_at: Some(now) });
        }
    }

    fn forget(&self, digest: &[u8; 32]) {
        self.kept.lock().remove(digest);
    }

    /// A turn to ask for a secret that was not seen to be valid.
    async fn turn(&self) -> Result<Option<SemaphorePermit<'_>>, EngineError> {
        let overloaded = EngineError::Overloaded { retry_after: UNSEEN_RETRY_AFTER };
        let place = Place::among(&self.waiting).ok_or(overloaded)?;
        let turn = self.unseen.acquire().await.ok();
        drop(place);
        Ok(turn)
    }
}

/// A place among those who wait for a turn.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn among(waiting: &'a AtomicUsize) -> Option<Self> {
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

impl Engine {
    /// Who shows this key or token; `None` for no valid one. Secrets are compared by their digests, whose bytes reveal
    /// nothing about the secret however long a comparison takes.
    pub async fn authenticate(&self, secret: &str) -> Result<Option<Caller>, EngineError> {
        if is_token(secret) && secret.len() <= TOKEN_BYTES_MAX {
            return match self.identity() {
                Some(policy) => self.caller_by_token(policy, secret).await,
                None => Ok(None),
            };
        }
        if secret.is_empty() || secret.len() > SECRET_BYTES_MAX {
            return Ok(None);
        }
        self.caller_by_digest(&digest(secret)).await
    }

    /// Whose key has this digest; `None` for no valid key.
    pub(super) async fn caller_by_digest(&self, digest: &[u8; 32]) -> Result<Option<Caller>, EngineError> {
        self.listen();
        let now = self.now();
        // What is remembered may have expired since.
        if let Some(key) = self.memory().keys.get(digest, now).filter(|key| key.opens(digest, now)) {
            self.record_key_use(key.id, now);
            return Ok(Some(caller_of(&key)));
        }
        let keys = &self.memory().keys;
        let turn = if keys.has(digest) { None } else { keys.turn().await? };
        let found = self.store().key_by_digest(digest).await?;
        drop(turn);
        let Some(key) = found.filter(|key| key.opens(digest, now)) else {
            keys.forget(digest);
            return Ok(None);
        };
        keys.keep(digest, &key, now);
        self.record_key_use(key.id, now);
        Ok(Some(caller_of(&key)))
    }
}

fn caller_of(key: &KeyRecord) -> Caller {
    let scope = key.tenant.clone().map_or(TenantScope::All, TenantScope::One);
    let is_limited = key.scopes.is_some() || !key.networks.is_empty() || key.hides_payloads;
    let limits = is_limited.then(|| {
        Arc::new(KeyLimits {
            scopes: key.scopes.clone(),
            networks: key.networks.clone(),
            shows_payloads: !key.hides_payloads,
        })
    });
    let stands_for_somebody = key.person.is_some() || !key.groups.is_empty();
    let membership = stands_for_somebody
        .then(|| Arc::new(Membership { person: key.person.clone(), groups: key.groups.clone() }));
    Caller { limits, membership, ..Caller::new(scope, key.role, key.id.to_string()) }
}

// When keys were last used: recorded in memory with each call, and in the store once a minute at most.

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
    fn record(&self, id: KeyId, now: Timestamp) -> Option<Vec<(KeyId, Timestamp)>> {
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

impl Engine {
    /// Records that a key was used. Nobody waits for it to be stored, and a failure to do so does not fail the call.
    pub(super) fn record_key_use(&self, id: KeyId, now: Timestamp) {
        let Some(uses) = self.memory().key_uses.record(id, now) else {
            return;
        };
        let store = std::sync::Arc::clone(self.store());
        tokio::spawn(async move {
            if let Err(error) = store.record_key_uses(&uses).await {
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "uses of keys could not be recorded"
                );
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use domain::access::Role;
    use domain::id::KeyId;
    use store::access::KeySource;
    use uuid::Uuid;

    use super::*;

    fn record(digest: [u8; 32]) -> KeyRecord {
        KeyRecord {
            id: KeyId::from_uuid(uuid::Uuid::from_u128(1)),
            name: "a".to_owned(),
            role: Role::Viewer,
            tenant: None,
            prefix: "tl_".to_owned(),
            digest,
            created_at: Timestamp(0),
            revoked_at: None,
            source: KeySource::Call,
            scopes: None,
            networks: Vec::new(),
            hides_payloads: false,
            expires_at: None,
            last_used_at: None,
            rotated_at: None,
            previous: None,
            person: None,
            groups: Vec::new(),
        }
    }

    #[tokio::test]
    async fn strangers_wait_for_one_another_and_for_nobody_else() {
        let keys = KeyCache::default();
        keys.keep(&[7; 32], &record([7; 32]), Timestamp(0));
        let mut turns = Vec::new();
        for _ in 0..UNSEEN_LOOKS_MAX {
            turns.push(keys.turn().await.expect("there is room"));
        }
        let waiting: Vec<_> = (0..UNSEEN_WAITING_MAX).map(|_| Place::among(&keys.waiting)).collect();
        let full = keys.turn().await.map(drop);
        assert!(matches!(full, Err(EngineError::Overloaded { .. })), "they are not left to wait without end");
        keys.clear();
        assert!(keys.get(&[7; 32], Timestamp(1)).is_none(), "it is asked for again");
        assert!(keys.has(&[7; 32]), "and needs no turn for it");
        drop((waiting, turns));
        assert!(keys.turn().await.is_ok());
    }

    #[test]
    fn uses_are_written_once_a_minute() {
        let uses = KeyUses::default();
        let (one, two) = (KeyId::from_uuid(Uuid::from_u128(1)), KeyId::from_uuid(Uuid::from_u128(2)));
        let at = |seconds| Timestamp(1_000_000).plus(DurationMs::from_secs(seconds));
        assert_eq!(uses.record(one, at(0)), Some(vec![(one, at(0))]), "the first use at once");
        assert_eq!(uses.record(one, at(1)), None);
        assert_eq!(uses.record(two, at(59)), None);
        let mut written = uses.record(one, at(60)).expect("it is time");
        written.sort();
        assert_eq!(written, [(one, at(60)), (two, at(59))]);
        assert_eq!(uses.record(one, at(61)), None);
    }
}
