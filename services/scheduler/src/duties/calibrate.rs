//! The clock follows the database's.

use std::sync::Arc;

use engine::{CalibratedClock, Engine, EngineError};

use crate::ticker::Next;

/// Calibrates the clock of this process. After a failure it goes on by its last calibration.
pub(crate) async fn calibrate(engine: Engine, clock: Arc<CalibratedClock>) -> Result<Next, EngineError> {
    clock.recalibrate(engine.store().as_ref()).await?;
    Ok(Next::Later)
}
