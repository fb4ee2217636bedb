//! The calls with an idempotency key that this process is carrying out.
//!
//! The store gives a reservation that has grown old to the next repeat, because its process may be gone. Here it is
//! known that a call goes on, however long it takes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Owner and key.
type Place = (String, String);

/// Fingerprints of calls that are under way, by owner and key.
#[derive(Debug, Default)]
pub(crate) struct InFlight(Mutex<HashMap<Place, String>>);

/// A call that is under way until this is dropped.
#[derive(Debug)]
pub(super) struct UnderWay {
    place: Place,
    calls: Arc<InFlight>,
}

impl InFlight {
    /// The fingerprint of the call that is under way with this key.
    pub(super) fn fingerprint(&self, owner: &str, key: &str) -> Option<String> {
        self.calls().get(&(owner.to_owned(), key.to_owned())).cloned()
    }

    /// Records that a call begins.
    pub(super) fn begin(self: &Arc<Self>, owner: &str, key: &str, fingerprint: String) -> UnderWay {
        let place = (owner.to_owned(), key.to_owned());
        self.calls().insert(place.clone(), fingerprint);
        UnderWay { place, calls: Arc::clone(self) }
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<Place, String>> {
        // Nothing is left half done by a panic while it is locked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.calls.calls().remove(&self.place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_known_until_it_ends() {
        let calls = Arc::new(InFlight::default());
        let call = calls.begin("acme", "k", "f".to_owned());
        assert_eq!(calls.fingerprint("acme", "k").as_deref(), Some("f"));
        assert_eq!(calls.fingerprint("umbrella", "k"), None);
        drop(call);
        assert_eq!(calls.fingerprint("acme", "k"), None);
    }
}
