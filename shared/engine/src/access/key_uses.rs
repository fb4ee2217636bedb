//! When keys were last used: recorded in memory with each call, and in the store once a minute at most.

use std::collections::HashMap;

use domain::id::KeyId;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;

use crate::engine::Engine;

/// How often uses are written down.
const WRITE_INTERVAL: DurationMs = DurationMs::from_secs(60);
/// How many keys are recorded between two writes; a use of another one is not recorded.
const KEYS_MAX: usize = 10_000;

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
        if recorded.uses.len() < KEYS_MAX || recorded.uses.contains_key(&id) {
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
    use uuid::Uuid;

    use super::*;

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
