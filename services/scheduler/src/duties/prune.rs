//! What retention no longer keeps is removed.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One bounded step; the next one follows at once while there is more.
pub(crate) async fn prune(engine: Engine) -> Result<Next, EngineError> {
    Ok(if engine.prune_tick().await? { Next::AtOnce } else { Next::Later })
}
