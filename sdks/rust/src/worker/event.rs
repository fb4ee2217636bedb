//! What metrics could count.

use std::time::Duration;

/// Something that happened in a worker.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A handler began.
    Started {
        /// The job's type.
        job_type: &'a str,
    },
    /// A handler ended, and what it came to was reported.
    Finished {
        /// The job's type.
        job_type: &'a str,
        /// `complete`, `fail`, `release`, or `none` where the lease was lost.
        outcome: &'a str,
        /// From the start of the handler to the answer to the report.
        duration: Duration,
    },
    /// Jobs came, or none within the wait.
    Polled {
        /// How many.
        jobs: usize,
    },
    /// A poll failed.
    PollFailed {
        /// Why.
        error: &'a crate::ClientError,
    },
    /// Leases could not be renewed; it is tried again before they end.
    HeartbeatFailed {
        /// Why.
        error: &'a crate::ClientError,
    },
}
