//! What retention no longer keeps is removed.

use engine::{Engine, EngineError, RetentionPolicy};

use crate::ticker::Next;

/// One bounded step; the next one follows at once while steps are full.
pub(crate) async fn prune(engine: Engine, retention: RetentionPolicy) -> Result<Next, EngineError> {
    let removed = engine.prune_tick(&retention).await?;
    let is_full = removed >= u64::from(engine.policy().upkeep_batch);
    Ok(if is_full { Next::AtOnce } else { Next::Later })
}
