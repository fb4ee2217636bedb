//! Authenticate: from the secret that a caller shows to who the caller is.

use std::collections::HashMap;

use domain::access::TenantScope;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use store::access::KeyRecord;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How long a key is believed without asking: a revocation on another node takes effect within this span.
const KEYS_TTL: DurationMs = DurationMs::from_secs(1);
/// How many keys are remembered.
const KEYS_MAX: usize = 10_000;
/// Longer secrets are no keys of ours and are not even hashed.
const SECRET_BYTES_MAX: usize = 512;

/// Valid keys as they were read last, by digest. Wrong secrets are not remembered: nobody can fill this from outside.
#[derive(Default)]
pub(crate) struct KeyCache(Mutex<HashMap<[u8; 32], (Timestamp, KeyRecord)>>);

impl KeyCache {
    pub(crate) fn clear(&self) {
        self.0.lock().clear();
    }

    fn get(&self, digest: &[u8; 32], now: Timestamp) -> Option<KeyRecord> {
        let kept = self.0.lock();
        let (read_at, key) = kept.get(digest)?;
        (now.since(*read_at) < KEYS_TTL).then(|| key.clone())
    }

    /// Whether it was valid, however long ago that was asked.
    fn has(&self, digest: &[u8; 32]) -> bool {
        self.0.lock().contains_key(digest)
    }

    fn keep(&self, key: &KeyRecord, now: Timestamp) {
        let mut kept = self.0.lock();
        if kept.len() >= KEYS_MAX {
            kept.retain(|_, (read_at, _)| now.since(*read_at) < KEYS_TTL);
        }
        if kept.len() < KEYS_MAX {
            kept.insert(key.digest, (now, key.clone()));
        }
    }
}

/// The digest under which a secret is stored.
pub(crate) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

impl Engine {
    /// Whether this process has seen the key of this secret, without asking anybody whether it is still valid.
    pub fn knows_key(&self, secret: &str) -> bool {
        secret.len() <= SECRET_BYTES_MAX && self.memory().keys.has(&digest(secret))
    }

    /// Who shows this secret; `None` for no valid key. Secrets are compared by their digests, whose bytes tell
    /// nothing about the secret however long a comparison takes.
    pub async fn authenticate(&self, secret: &str) -> Result<Option<Caller>, EngineError> {
        if secret.is_empty() || secret.len() > SECRET_BYTES_MAX {
            return Ok(None);
        }
        self.caller_by_digest(&digest(secret)).await
    }

    /// Whose key has this digest; `None` for no valid key.
    pub(super) async fn caller_by_digest(&self, digest: &[u8; 32]) -> Result<Option<Caller>, EngineError> {
        self.listen();
        let now = self.now();
        if let Some(key) = self.memory().keys.get(digest, now) {
            return Ok(Some(caller_of(&key)));
        }
        let found = self.store().key_by_digest(digest).await?;
        let Some(key) = found.filter(|key| key.revoked_at.is_none() && key.digest == *digest) else {
            return Ok(None);
        };
        self.memory().keys.keep(&key, now);
        Ok(Some(caller_of(&key)))
    }
}

fn caller_of(key: &KeyRecord) -> Caller {
    Caller {
        scope: key.tenant.clone().map_or(TenantScope::All, TenantScope::One),
        role: key.role,
        actor: key.id.to_string(),
        seed: None,
    }
}
