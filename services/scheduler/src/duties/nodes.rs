//! Finds processes that ended without withdrawing their row, and ends the leases of their pools.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One look.
pub(crate) async fn nodes(engine: Engine) -> Result<Next, EngineError> {
    engine.nodes_tick().await?;
    Ok(Next::Later)
}
