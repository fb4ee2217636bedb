//! Schedules whose next slot was computed with other time zone data are computed again.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One bounded step; the next one follows at once while there is more.
pub(crate) async fn zones(engine: Engine) -> Result<Next, EngineError> {
    let more = engine.zones_tick().await?;
    Ok(if more { Next::AtOnce } else { Next::Later })
}
