//! What becomes of a job that no handler knows.

use domain::failure::JobError;
use domain::job::Outcome;
use domain::names::JobType;

/// Trying again does not help: another version of the process would have to run it.
pub(crate) fn no_handler(job_type: &JobType) -> Outcome {
    Outcome::Failed {
        error: JobError::coded(
            "no_handler",
            format!("No handler is registered for the job type {job_type}."),
        ),
        retryable: false,
        retry_after: None,
    }
}
