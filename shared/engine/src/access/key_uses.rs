//! When keys were last used: noted in memory with each call, and in the store once a minute at most.

use std::collections::HashMap;

use domain::id::KeyId;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;

use crate::engine::Engine;

/// How often uses are written down.
const WRITE_INTERVAL: DurationMs = DurationMs::from_secs(60);
/// How many keys are noted between two writes; a use of another one is not noted.
const KEYS_MAX: usize = 10_000;

/// Uses that are not written down yet.
#[derive(Debug, Default)]
pub(crate) struct KeyUses(Mutex<Noted>);

#[derive(Debug, Default)]
struct Noted {
    uses: HashMap<KeyId, Timestamp>,
    written_at: Option<Timestamp>,
}

impl KeyUses {
    /// Notes a use. Answers what is to be written down now, if it is time.
    fn note(&self, id: KeyId, now: Timestamp) -> Option<Vec<(KeyId, Timestamp)>> {
        let mut noted = self.0.lock();
        if noted.uses.len() < KEYS_MAX || noted.uses.contains_key(&id) {
            noted.uses.insert(id, now);
        }
        if noted.written_at.is_some_and(|at| now.since(at) < WRITE_INTERVAL) {
            return None;
        }
        noted.written_at = Some(now);
        Some(noted.uses.drain().collect())
    }
}

impl Engine {
    /// Notes that a key was used. Nobody waits for it to be written down, and a failure to do so is none of the call's.
    pub(super) fn note_key_use(&self, id: KeyId, now: Timestamp) {
        let Some(uses) = self.memory().key_uses.note(id, now) else {
            return;
        };
        let store = std::sync::Arc::clone(self.store());
        tokio::spawn(async move {
            if let Err(error) = store.note_key_uses(&uses).await {
                tracing::debug!(error = &error as &dyn std::error::Error, "uses of keys could not be noted");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn uses_are_written_once_a_minute() {
        let uses = KeyUses::default();
        let (one, two) = (KeyId::from_uuid(Uuid::from_u128(1)), KeyId::from_uuid(Uuid::from_u128(2)));
        let at = |seconds| Timestamp(1_000_000).plus(DurationMs::from_secs(seconds));
        assert_eq!(uses.note(one, at(0)), Some(vec![(one, at(0))]), "the first use at once");
        assert_eq!(uses.note(one, at(1)), None);
        assert_eq!(uses.note(two, at(59)), None);
        let mut written = uses.note(one, at(60)).expect("it is time");
        written.sort();
        assert_eq!(written, [(one, at(60)), (two, at(59))]);
        assert_eq!(uses.note(one, at(61)), None);
    }
}
