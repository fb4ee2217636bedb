//! Secrets of webhooks that rest under an old key are sealed again.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One bounded step; the next one follows at once while there is more.
pub(crate) async fn reseal(engine: Engine) -> Result<Next, EngineError> {
    let more = engine.reseal_tick().await?;
    Ok(if more { Next::AtOnce } else { Next::Later })
}
