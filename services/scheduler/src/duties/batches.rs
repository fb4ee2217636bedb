//! Bulk operations whose process is gone are taken up.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// Takes up what has not moved for a while.
pub(crate) async fn batches(engine: Engine) -> Result<Next, EngineError> {
    engine.batches_tick().await?;
    Ok(Next::Later)
}
