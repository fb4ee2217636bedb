//! What every handler and gate shares.

use std::ops::Deref;
use std::sync::Arc;

use domain::time::DurationMs;
use engine::Engine;

use crate::bodies::BodyRoom;
use crate::gate::InFlight;
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
