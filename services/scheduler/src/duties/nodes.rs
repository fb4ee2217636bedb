//! Finds processes that ended without withdrawing their row, and ends the leases of their pools.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// Checks once; errors are retried by the ticker.
pub(crate) async fn nodes(engine: Engine) -> Result<Next, EngineError> {
    engine.nodes_tick().await?;
    Ok(Next::Later)
}
