//! Handlers of the server's own jobs: an execution, a webhook's delivery, the minute's check of schedules.

use std::time::Duration;

use async_trait::async_trait;
use domain::failure::JobError;
use domain::id::DeliveryId;
use domain::job::Outcome;
use domain::queue::QueueName;
use domain::time::DurationMs;
use engine::{Engine, EngineError, OwnerEnd, own_execution};
use serde::Deserialize;
use store::jobs::ClaimedJob;
use tokio_util::sync::CancellationToken;

use super::{Handler, HandlerEnd, LeaseEnd};

/// How long an execution that failed to make progress keeps its lease before it gives it back.
const FAILED_WAIT: Duration = Duration::from_secs(1);

/// Runs an execution as far as it goes. `stop` makes it come to a point where it can be given back.
///
/// A failure of ours is never the failure of the execution. One that may pass gives the lease back after a while. Any
/// other (an invalid row, say) leaves the lease to expire: that counts as a lost worker, so that an execution that
/// cannot be run ends as a dead letter instead of going round for ever.
pub(crate) async fn own(engine: &Engine, job: &ClaimedJob, stop: CancellationToken) -> LeaseEnd {
    debug_assert_eq!(job.queue, QueueName::Execution);
    match own_execution(engine.clone(), job.clone(), stop.clone()).await {
        OwnerEnd::Finished | OwnerEnd::Parked => LeaseEnd::Done,
        OwnerEnd::LeaseLost => LeaseEnd::LostAndCounted,
        OwnerEnd::Released => LeaseEnd::Release,
        OwnerEnd::Failed(error) if error.is_retryable() => {
            tracing::warn!(
                job.id = %job.id,
                error = &error as &dyn std::error::Error,
                "the lease of an execution is released after a failure"
            );
            let wait = FAILED_WAIT.mul_f64(0.5 + engine.entropy().jitter().0);
            let _ = tokio::time::timeout(wait, stop.cancelled()).await;
            LeaseEnd::Release
        }
        OwnerEnd::Failed(error) => {
            tracing::error!(job.id = %job.id, error = &error as &dyn std::error::Error, "an execution cannot be run");
            LeaseEnd::Expire
        }
    }
}

// The handler of a webhook's delivery: its triggers are matched, and what they want is started.

/// When a delivery is looked at again that this process cannot match.
const PUT_OFF_FOR: DurationMs = DurationMs::from_secs(60);

/// Lets the engine match a delivery.
#[derive(Debug)]
pub struct DeliveryHandler {
    engine: Engine,
}

/// What is in the job.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeliveryJob {
    delivery_id: String,
    /// A replay whose triggers all start their workflows, whether they had done so before or not.
    #[serde(default)]
    all_triggers: bool,
}

impl DeliveryHandler {
    /// A handler over an engine.
    pub const fn new(engine: Engine) -> Self {
        Self { engine }
    }
}

#[async_trait]
impl Handler for DeliveryHandler {
    /// May be dropped at any point and run again: executions have ids that follow from delivery and trigger.
    async fn run(&self, job: &ClaimedJob, _stop: CancellationToken) -> HandlerEnd {
        let read: Option<DeliveryJob> = serde_json::from_str(&job.data).ok();
        let starts_again = read.as_ref().is_some_and(|job| job.all_triggers);
        let Some(id) = read.and_then(|job| DeliveryId::parse(&job.delivery_id)) else {
            let error = JobError::coded("invalid_data", "The job names no delivery.");
            return Outcome::Failed { error, retryable: false, retry_after: None }.into();
        };
        let matched = self.engine.match_delivery(id, starts_again, job.traceparent.as_deref()).await;
        match matched {
            Ok(matched) => Outcome::Completed(Some(
                serde_json::json!({ "status": matched.status.as_str(), "executions": matched.executions })
                    .to_string(),
            ))
            .into(),
            Err(error) => failed(id, &error),
        }
    }
}

/// What is wrong with the delivery itself parks it; what comes here is trouble of ours, and may pass. Where it does not, the
/// store parks the delivery as its job dies. What another process can do, one with the key of the tenant's payloads, say, waits for
/// it.
fn failed(id: DeliveryId, error: &EngineError) -> HandlerEnd {
    tracing::warn!(
        delivery.id = %id,
        error = error as &dyn std::error::Error,
        "a delivery could not be matched"
    );
    if error.is_for_another_process() {
        return HandlerEnd::PutOff(PUT_OFF_FOR);
    }
    let error = JobError::coded(error.code(), error.public_message());
    Outcome::Failed { error, retryable: true, retry_after: None }.into()
}

// The handler of the minute's check: schedules that are due fire.

/// Lets the engine look at all schedules that are due. What is in the job does not matter: a check after an hour
/// without any sees the same as the checks of that hour would have.
#[derive(Debug)]
pub struct ScheduleCheckHandler {
    engine: Engine,
}

impl ScheduleCheckHandler {
    /// A handler over an engine.
    pub const fn new(engine: Engine) -> Self {
        Self { engine }
    }
}

#[async_trait]
impl Handler for ScheduleCheckHandler {
    /// May be dropped at any point: each batch of schedules is one commit.
    async fn run(&self, _job: &ClaimedJob, _stop: CancellationToken) -> HandlerEnd {
        let outcome = match self.engine.check_schedules().await {
            Ok(checked) => Outcome::Completed(Some(
                serde_json::json!({ "schedules": checked.schedules, "executions": checked.executions })
                    .to_string(),
            )),
            Err(error) => check_failed(&error),
        };
        outcome.into()
    }
}

/// Tried again in every case: what is due stays due, and the next check would do the same.
fn check_failed(error: &EngineError) -> Outcome {
    tracing::warn!(error = error as &dyn std::error::Error, "a check of the schedules failed");
    Outcome::Failed {
        error: JobError::coded(error.code(), error.public_message()),
        retryable: true,
        retry_after: None,
    }
}
