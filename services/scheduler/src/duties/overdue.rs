//! Schedules that the minute's check leaves: slots that waited for an execution which has ended, and what a lost check
//! left behind.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// Announces a check if there is something for it to do.
pub(crate) async fn overdue(engine: Engine) -> Result<Next, EngineError> {
    engine.announce_overdue().await?;
    Ok(Next::Later)
}

/// Announces a check if a schedule by interval is due.
pub(crate) async fn intervals(engine: Engine) -> Result<Next, EngineError> {
    engine.announce_intervals().await?;
    Ok(Next::Later)
}
