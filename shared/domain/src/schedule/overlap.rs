//! What happens to a slot when executions of the same schedule are not finished.

use super::policy::Overlap;

/// What to do with a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverlapDecision {
    /// Start an execution.
    Start,
    /// Record that it was skipped; the next slot is not affected.
    SkipIt,
    /// Start it when the running one has ended. There is never more than one waiting.
    QueueBehind,
    /// Cancel what runs or waits, and start an execution.
    CancelRunningAndStart,
}

/// Decides from what still runs and what already waits behind it.
pub fn overlap(policy: Overlap, running: u32, queued: u32) -> OverlapDecision {
    let is_free = running == 0 && queued == 0;
    match policy {
        _ if is_free => OverlapDecision::Start,
        Overlap::Allow => OverlapDecision::Start,
        Overlap::QueueOne if queued == 0 => OverlapDecision::QueueBehind,
        Overlap::Skip | Overlap::QueueOne => OverlapDecision::SkipIt,
        Overlap::CancelPrevious => OverlapDecision::CancelRunningAndStart,
    }
}
