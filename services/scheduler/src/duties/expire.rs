//! What nobody started in time ends.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One step; the next one follows at once while there is more.
pub(crate) async fn expire(engine: Engine) -> Result<Next, EngineError> {
    let more = engine.expire_tick().await?;
    Ok(if more { Next::AtOnce } else { Next::Later })
}
