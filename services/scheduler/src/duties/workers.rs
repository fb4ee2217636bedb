//! The workers that showed themselves are written down.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// Writes the workers that this process has recorded.
pub(crate) async fn workers(engine: Engine) -> Result<Next, EngineError> {
    engine.flush_workers().await?;
    Ok(Next::Later)
}
