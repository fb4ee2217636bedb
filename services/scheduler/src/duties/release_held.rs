//! Deliveries that were held are matched when their endpoints take deliveries again.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One step; the next one follows at once while there is more.
pub(crate) async fn release_held(engine: Engine) -> Result<Next, EngineError> {
    let more = engine.release_held_tick().await?;
    Ok(if more { Next::AtOnce } else { Next::Later })
}
