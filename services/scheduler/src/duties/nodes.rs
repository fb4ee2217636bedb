//! Processes that have ended without a word are noticed.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One look.
pub(crate) async fn nodes(engine: Engine) -> Result<Next, EngineError> {
    engine.nodes_tick().await?;
    Ok(Next::Later)
}
