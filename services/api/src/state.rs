//! What every handler and gate shares.

use std::sync::Arc;

use domain::time::DurationMs;
use engine::Engine;

use crate::gate::{InFlight, KeyLimiter};
use crate::options::ApiOptions;

/// The longest that `?wait=true` holds a request.
pub(crate) const WAIT_MAX: DurationMs = DurationMs::from_secs(60);

/// What every handler and gate shares. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ApiState {
    /// The use cases.
    pub(crate) engine: Engine,
    /// The bounds.
    pub(crate) options: ApiOptions,
    /// The rate limit of each key, where there is one.
    pub(crate) limiter: Option<Arc<KeyLimiter>>,
    /// The calls with an idempotency key that are under way here.
    pub(crate) in_flight: Arc<InFlight>,
}

impl ApiState {
    /// The state for an engine.
    pub(crate) fn new(engine: Engine, options: ApiOptions) -> Self {
        let limiter = options.rate_limit.as_ref().map(|limit| Arc::new(KeyLimiter::new(limit)));
        Self { engine, options, limiter, in_flight: Arc::default() }
    }

    /// Cuts a wait that a caller asked for so that the answer is sent before the request's own time is up.
    pub(crate) fn wait_within(&self, asked: DurationMs) -> DurationMs {
        let timeout = self.options.request_timeout;
        let margin = DurationMs((timeout.0 / 10).clamp(1, 2_000));
        asked.min(DurationMs((timeout.0 - margin.0).max(0)))
    }
}
