//! Starts of triggers whose turn has come.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One step; the next one follows at once while there is more.
pub(crate) async fn put_off_starts(engine: Engine) -> Result<Next, EngineError> {
    let more = engine.put_off_starts_tick().await?;
    Ok(if more { Next::AtOnce } else { Next::Later })
}
