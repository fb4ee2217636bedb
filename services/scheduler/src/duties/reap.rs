//! Jobs whose lease has ended are tried again or die.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// Takes all leases that have ended by now.
pub(crate) async fn reap(engine: Engine) -> Result<Next, EngineError> {
    let reaped = engine.reap_tick().await?;
    if reaped > 0 {
        tracing::info!(jobs = reaped, "leases expired; their jobs are settled as worker lost");
    }
    Ok(Next::Later)
}
