//! Alert rules are evaluated by the node that has the turn, and notifications are sent by any.

use engine::{Engine, EngineError};

use crate::ticker::Next;

/// One evaluation, if it is this node's turn.
pub(crate) async fn alerts(engine: Engine) -> Result<Next, EngineError> {
    engine.alerts_tick().await?;
    Ok(Next::Later)
}

/// One round of notifications; the next one follows at once while there is more.
pub(crate) async fn notifications(engine: Engine) -> Result<Next, EngineError> {
    let more = engine.notifications_tick().await?;
    Ok(if more { Next::AtOnce } else { Next::Later })
}
