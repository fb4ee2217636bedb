//! The port.

use async_trait::async_trait;
use domain::time::DurationMs;

use crate::quota::Quota;

/// Whether somebody may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Yes, and it was counted.
    Allowed,
    /// No; nothing was counted.
    Refused {
        /// When to come again.
        retry_after: DurationMs,
    },
}

/// Counts, and refuses what is too much.
#[async_trait]
pub trait RateLimits: Send + Sync {
    /// Counts one of `key`, whose quota is `quota`. Keys of different classes never meet. A key that is checked under
    /// another quota than before starts anew in this process; over all nodes it goes on from where it was.
    async fn check(&self, class: &'static str, key: &str, quota: Quota) -> Verdict;
}
