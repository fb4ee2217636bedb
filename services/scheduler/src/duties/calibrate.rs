//! The clock follows the database's.

use std::sync::Arc;

use engine::{CalibratedClock, Engine, EngineError};

use crate::ticker::Next;

/// Calibrates the clock of this process. After a failure, or where the database answered too slowly to tell the time by or
/// shows a time that has yet to be confirmed, it goes on by its last calibration, and tries again soon.
pub(crate) async fn calibrate(engine: Engine, clock: Arc<CalibratedClock>) -> Result<Next, EngineError> {
    let is_calibrated = clock.recalibrate(engine.store().as_ref()).await?;
    Ok(if is_calibrated { Next::Later } else { Next::After(CalibratedClock::INTERVAL_UNTIL_DONE.to_std()) })
}
