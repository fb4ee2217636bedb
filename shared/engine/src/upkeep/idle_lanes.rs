//! Lanes that nobody uses any more go.

use domain::time::DurationMs;
use store::operations::LaneRemovalPace;

use crate::engine::Engine;
use crate::error::EngineError;

/// A lane goes when it held no job, finished or not, for ten minutes; they are looked at each hour.
const PACE: LaneRemovalPace =
    LaneRemovalPace { idle_for: DurationMs::from_secs(600), every: DurationMs::from_secs(3_600) };

impl Engine {
    /// One bounded step. Answers whether the next one can follow at once.
    pub async fn idle_lanes_tick(&self) -> Result<bool, EngineError> {
        let step = self.store().remove_idle_lanes(&PACE, self.now()).await?;
        if step.removed > 0 {
            tracing::debug!(removed = step.removed, "lanes that nobody used were removed");
        }
        Ok(step.has_more)
    }
}
