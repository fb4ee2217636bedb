//! What the engine remembers of schedules by itself. Nothing here is needed for correctness.

use tokio::sync::Mutex;

use super::timing::Timings;

/// What the engine remembers of schedules.
#[derive(Debug, Default)]
pub(crate) struct ScheduleMemory {
    /// Expressions and zones that were read already.
    pub(super) timings: Timings,
    /// Held by the check under way: two at once would do the same work twice.
    pub(super) turn: Mutex<()>,
}
