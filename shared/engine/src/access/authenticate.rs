//! Authenticate: from the secret that a caller shows to who the caller is.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::id::KeyId;
use domain::time::Timestamp;
use store::access::KeyRecord;

use super::identity::is_token;
use super::known_keys::digest;
use super::provider::TOKEN_BYTES_MAX;
use crate::caller::{Caller, KeyLimits, Membership};
use crate::engine::Engine;
use crate::error::EngineError;

/// Longer secrets are no keys of ours and are not even hashed.
const SECRET_BYTES_MAX: usize = 512;

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
        let changes = keys.changes();
        let found = self.store().key_by_digest(digest).await?;
        drop(turn);
        let Some(key) = found.filter(|key| key.opens(digest, now)) else {
            keys.forget(digest);
            return Ok(None);
        };
        keys.keep(digest, &key, (now, changes));
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
                    "the use of API keys could not be recorded"
                );
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use domain::access::Role;
    use domain::id::KeyId;
    use domain::time::DurationMs;
    use store::access::KeySource;
    use uuid::Uuid;

    use super::*;
    use crate::access::known_keys::{KeyCache, KeyUses, Place, UNSEEN_LOOKS_MAX, UNSEEN_WAITING_MAX};

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

    #[test]
    fn a_key_that_was_read_before_a_revocation_is_not_believed_after_it() {
        let (keys, digest) = (KeyCache::default(), [7; 32]);
        let before = keys.changes();
        keys.clear();
        keys.keep(&digest, &record(digest), (Timestamp(0), before));
        assert!(keys.get(&digest, Timestamp(1)).is_none() && keys.has(&digest));
        keys.keep(&digest, &record(digest), (Timestamp(0), keys.changes()));
        assert!(keys.get(&digest, Timestamp(1)).is_some());
    }

    #[tokio::test]
    async fn strangers_wait_for_one_another_and_for_nobody_else() {
        let keys = KeyCache::default();
        keys.keep(&[7; 32], &record([7; 32]), (Timestamp(0), keys.changes()));
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
