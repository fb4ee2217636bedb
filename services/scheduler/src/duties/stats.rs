//! Figures of queues by minute and hour are written down.

use domain::time::DurationMs;
use engine::{Engine, EngineError};

use crate::ticker::Next;

/// How far figures are behind at most.
pub(crate) const STATS_EVERY: DurationMs = DurationMs::from_secs(15);

/// Adds what this process has done.
pub(crate) async fn stats(engine: Engine) -> Result<Next, EngineError> {
    engine.flush_stats().await?;
    Ok(Next::Later)
}

/// Shows that this process is there.
pub(crate) async fn server(engine: Engine) -> Result<Next, EngineError> {
    engine.record_server().await?;
    Ok(Next::Later)
}

/// Looks at what waits and runs, and removes a part of what is too old.
pub(crate) async fn stat_levels(engine: Engine) -> Result<Next, EngineError> {
    engine.stats_tick().await?;
    Ok(Next::Later)
}
