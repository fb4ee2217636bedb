//! The job of an execution: the engine owns it while the lease holds.

use std::time::Duration;

use domain::queue::QueueName;
use engine::{Engine, OwnerEnd, own_execution};
use store::jobs::ClaimedJob;
use tokio_util::sync::CancellationToken;

/// How long an execution that failed to make progress keeps its lease before it gives it back.
const FAILED_WAIT: Duration = Duration::from_secs(1);

/// What is to be done with the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExecutionEnd {
    /// Nothing: the engine has settled or parked it.
    Done,
    /// Nothing: it is lost.
    LeaseLost,
    /// It is given back.
    Release,
    /// It is left to expire, which counts as a lost worker.
    Expire,
}

/// Runs an execution as far as it goes. `stop` makes it come to a point where it can be given back.
///
/// A failure of ours is never the failure of the execution. One that may pass gives the lease back after a while. Any
/// other (an invalid row, say) leaves the lease to expire: that counts as a lost worker, so that an execution that
/// cannot be run ends as a dead letter instead of going round for ever.
pub(crate) async fn own(engine: &Engine, job: &ClaimedJob, stop: CancellationToken) -> ExecutionEnd {
    debug_assert_eq!(job.queue, QueueName::Execution);
    match own_execution(engine.clone(), job.clone(), stop.clone()).await {
        OwnerEnd::Finished | OwnerEnd::Parked => ExecutionEnd::Done,
        OwnerEnd::LeaseLost => ExecutionEnd::LeaseLost,
        OwnerEnd::Released => ExecutionEnd::Release,
        OwnerEnd::Failed(error) if error.is_retryable() => {
            tracing::warn!(
                job.id = %job.id,
                error = &error as &dyn std::error::Error,
                "the lease of an execution is given back after a failure"
            );
            let wait = FAILED_WAIT.mul_f64(0.5 + engine.entropy().jitter().0);
            let _ = tokio::time::timeout(wait, stop.cancelled()).await;
            ExecutionEnd::Release
        }
        OwnerEnd::Failed(error) => {
            tracing::error!(job.id = %job.id, error = &error as &dyn std::error::Error, "an execution cannot be run");
            ExecutionEnd::Expire
        }
    }
}
