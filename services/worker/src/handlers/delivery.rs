//! The handler of a webhook's delivery: its triggers are matched, and what they want is started.

use async_trait::async_trait;
use domain::failure::JobError;
use domain::id::DeliveryId;
use domain::job::Outcome;
use domain::time::DurationMs;
use engine::{Engine, EngineError};
use serde::Deserialize;
use store::jobs::ClaimedJob;
use tokio_util::sync::CancellationToken;

use super::registry::{Handler, HandlerEnd};

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
        let matched = self.engine.match_delivery_below(id, starts_again, job.traceparent.as_deref()).await;
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
