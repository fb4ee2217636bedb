//! Rows of the audit log become rows of its chain.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One bounded step; the next one follows at once while there is more.
pub(crate) async fn seal_audit(engine: Engine) -> Result<Next, EngineError> {
    let more = engine.seal_audit_tick().await?;
    Ok(if more { Next::AtOnce } else { Next::Later })
}
