//! The workers that showed themselves are written down.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// Writes what this process has noted.
pub(crate) async fn workers(engine: Engine) -> Result<Next, EngineError> {
    engine.flush_workers().await?;
    Ok(Next::Later)
}
