//! The handler of a webhook's delivery: its triggers are matched, and what they want is started.

use async_trait::async_trait;
use domain::failure::JobError;
use domain::id::DeliveryId;
use domain::job::{AttemptFacts, Disposition, Outcome, after_attempt};
use domain::retry::Jitter;
use domain::time::Timestamp;
use engine::{Engine, EngineError};
use serde::Deserialize;
use store::jobs::ClaimedJob;
use tokio_util::sync::CancellationToken;

use super::registry::Handler;

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
    async fn run(&self, job: &ClaimedJob, _stop: CancellationToken) -> Outcome {
        let read = serde_json::from_str(&job.data).ok();
        let Some(id) = read.and_then(|job: DeliveryJob| DeliveryId::parse(&job.delivery_id)) else {
            return Outcome::Failed {
                error: JobError::coded("invalid_data", "The job names no delivery."),
                retryable: false,
                retry_after: None,
            };
        };
        match self.engine.match_delivery(id).await {
            Ok(matched) => Outcome::Completed(Some(
                serde_json::json!({ "status": matched.status.as_str(), "executions": matched.executions })
                    .to_string(),
            )),
            Err(error) => self.failed(job, id, &error).await,
        }
    }
}

impl DeliveryHandler {
    /// What is wrong with the delivery itself parks it; what comes here is trouble of ours, and may pass. Where it does not,
    /// the delivery is parked as well before its job dies: nothing else would say that it waits for somebody.
    async fn failed(&self, job: &ClaimedJob, id: DeliveryId, error: &EngineError) -> Outcome {
        tracing::warn!(
            delivery.id = %id,
            error = error as &dyn std::error::Error,
            "a delivery could not be matched"
        );
        let outcome = Outcome::Failed {
            error: JobError::coded(error.code(), error.public_message()),
            retryable: true,
            retry_after: None,
        };
        if is_last(&job.facts, &outcome)
            && let Err(error) = self.engine.park_failed_delivery(id).await
        {
            tracing::error!(
                delivery.id = %id,
                error = &error as &dyn std::error::Error,
                "a delivery that could not be matched could not be parked either"
            );
        }
        outcome
    }
}

/// Whether a job dies of this.
fn is_last(facts: &AttemptFacts, outcome: &Outcome) -> bool {
    let after = after_attempt(facts, outcome.clone(), Timestamp(0), Jitter(1.0));
    matches!(after, Disposition::Die { .. })
}

#[cfg(test)]
mod tests {
    use domain::retry::Backoff;

    use super::*;

    #[test]
    fn the_last_attempt_is_known() {
        let facts =
            |attempt| AttemptFacts { attempt, retries_max: 3, crashes: 0, backoff: Backoff::default() };
        let error = JobError::coded("internal", "Something went wrong on our side.");
        let failed = Outcome::Failed { error, retryable: true, retry_after: None };
        assert!((1..=3).all(|attempt| !is_last(&facts(attempt), &failed)));
        assert!(is_last(&facts(4), &failed));
    }
}
