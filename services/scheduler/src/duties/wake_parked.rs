//! Parked executions that have something in their inbox are taken up.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One step; the next one follows at once while there is more.
pub(crate) async fn wake_parked(engine: Engine) -> Result<Next, EngineError> {
    let more = engine.wake_parked_tick().await?;
    Ok(if more { Next::AtOnce } else { Next::Later })
}
