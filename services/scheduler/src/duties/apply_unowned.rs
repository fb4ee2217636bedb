//! What came for executions that wait for a slot is applied without one.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One step; the next one follows at once while there is more.
pub(crate) async fn apply_unowned(engine: Engine) -> Result<Next, EngineError> {
    let more = engine.apply_unowned_tick().await?;
    Ok(if more { Next::AtOnce } else { Next::Later })
}
