//! Lanes that nobody uses any more go.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One bounded step; the next one follows at once while a round has more to do.
pub(crate) async fn idle_lanes(engine: Engine) -> Result<Next, EngineError> {
    let more = engine.idle_lanes_tick().await?;
    Ok(if more { Next::AtOnce } else { Next::Later })
}
