//! The database's file gives free space back, and its log is kept short.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One bounded step; the next one follows at once while there is more to give back.
pub(crate) async fn compact_file(engine: Engine) -> Result<Next, EngineError> {
    let more = engine.tend_file_tick().await?;
    Ok(if more { Next::AtOnce } else { Next::Later })
}
