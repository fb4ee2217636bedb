//! What can be wrong with a claim.

use domain::id::JobId;
use domain::job::JobStatus;
use domain::limits::LimitScope;
use store::jobs::ClaimedJob;

/// Why a claim was not legal.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// More jobs than were asked for.
    TooMany {
        /// How many were asked for.
        asked: usize,
        /// How many came.
        got: usize,
    },
    /// The lease has a token that was not offered, or one that another job of this claim has.
    ForeignToken(JobId),
    /// Nobody enqueued it.
    Unknown(JobId),
    /// The queue is paused.
    Paused(JobId),
    /// It was not there to be claimed: leased already, not due, or ended.
    NotQueued(JobId, JobStatus),
    /// Another job has its concurrency key.
    KeyTaken(JobId),
    /// It is of another tenant or type.
    NotAskedFor(JobId),
    /// One more than this limit allows.
    OverLimit(JobId, LimitScope),
    /// A job of the same tier, tenant and workflow came first.
    OutOfOrder {
        /// What was served.
        got: JobId,
        /// What should have been.
        first: JobId,
    },
    /// A job of a higher tier could have been served.
    LowerTierFirst {
        /// What was served.
        got: JobId,
        /// What should have been.
        higher: JobId,
    },
    /// Fewer than asked for, although this one could have been served.
    LeftBehind(JobId),
    /// It was claimed with other contents than it has.
    Differs {
        /// What it is.
        expected: Box<ClaimedJob>,
        /// What came.
        got: Box<ClaimedJob>,
    },
}
