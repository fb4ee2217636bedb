//! Due jobs become claimable.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One step; the next one follows at once while there is more, so that a crowd of jobs that are due together does not
/// wait for the clock.
pub(crate) async fn promote(engine: Engine) -> Result<Next, EngineError> {
    let more = engine.promote_tick().await?;
    Ok(if more { Next::AtOnce } else { Next::Later })
}
