//! What the settings say of dispatch by offers.

use domain::dispatch::TopicNames;
use domain::time::DurationMs;

/// Dispatch by offers. Where there is no such policy, workers poll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchPolicy {
    /// Where jobs are published.
    pub topics: TopicNames,
    /// How many offers of a job type may stand.
    pub window: u64,
    /// How long an offer stands.
    pub offer_timeout: DurationMs,
}
