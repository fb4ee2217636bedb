//! What every handler and gate shares.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::time::DurationMs;
use engine::Engine;

use crate::bodies::BodyRoom;
use crate::options::ApiOptions;

/// The longest that `?wait=true` holds a request.
pub(crate) const WAIT_MAX: DurationMs = DurationMs::from_secs(60);

/// What every handler and gate shares, by one counter: each of them has a clone for each request.
#[derive(Clone)]
pub(crate) struct ApiState(Arc<Shared>);

/// What is shared.
pub(crate) struct Shared {
    /// The use cases.
    pub(crate) engine: Engine,
    /// The bounds.
    pub(crate) options: ApiOptions,
    /// The calls with an idempotency key that are under way here.
    pub(crate) in_flight: Arc<InFlight>,
    /// Room for the bodies of all requests that are under way.
    pub(crate) body_room: Arc<BodyRoom>,
}

impl Deref for ApiState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl ApiState {
    /// The state for an engine.
    pub(crate) fn new(engine: Engine, options: ApiOptions) -> Self {
        let body_room = options.bodies.room(options.bodies_bytes_max);
        Self(Arc::new(Shared { engine, options, in_flight: Arc::default(), body_room }))
    }

    /// Cuts a wait that a caller asked for so that the answer is sent before the request's own time is up.
    pub(crate) fn wait_within(&self, asked: DurationMs) -> DurationMs {
        let timeout = self.options.request_timeout;
        let margin = DurationMs((timeout.0 / 10).clamp(1, 2_000));
        asked.min(DurationMs((timeout.0 - margin.0).max(0)))
    }
}

/// Owner and key.
type Place = (String, String);

/// Fingerprints of calls that are under way, by owner and key.
#[derive(Debug, Default)]
pub(crate) struct InFlight(Mutex<HashMap<Place, String>>);

/// A call that is under way until this is dropped.
#[derive(Debug)]
pub(crate) struct UnderWay {
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
