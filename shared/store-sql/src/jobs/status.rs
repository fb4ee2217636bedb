//! The states of a job as its row holds them.

use domain::job::JobStatus;
use store::StoreResult;

use crate::rows::Row;

/// Waits for its time.
pub(crate) const SCHEDULED: &str = "scheduled";

/// Can be claimed.
pub(crate) const QUEUED: &str = "queued";

/// Would be queued, but another job has its concurrency key. Shown as QUEUED.
pub(crate) const BLOCKED: &str = "blocked";

/// Leased.
pub(crate) const PROCESSING: &str = "processing";

/// Parked.
pub(crate) const WAITING: &str = "waiting";

/// Failed, waits for its next try.
pub(crate) const RETRY_WAIT: &str = "retry_wait";

/// The public state of a row of `job` or `job_done`.
pub(crate) fn status(row: Row<'_>, column: &'static str) -> StoreResult<JobStatus> {
    row.parsed(column, parse)
}

/// The public state for one that is stored; `None` for text that is never stored.
pub(crate) fn parse(text: &str) -> Option<JobStatus> {
    match text {
        SCHEDULED => Some(JobStatus::Scheduled),
        QUEUED | BLOCKED => Some(JobStatus::Queued),
        PROCESSING => Some(JobStatus::Processing),
        WAITING => Some(JobStatus::Waiting),
        RETRY_WAIT => Some(JobStatus::RetryWait),
        ended => JobStatus::parse(ended).filter(|status| status.is_terminal()),
    }
}
