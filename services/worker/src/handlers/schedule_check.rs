//! The handler of the minute's check: schedules that are due fire.

use async_trait::async_trait;
use domain::failure::JobError;
use domain::job::Outcome;
use engine::{Engine, EngineError};
use store::jobs::ClaimedJob;
use tokio_util::sync::CancellationToken;

use super::registry::{Handler, HandlerEnd};

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
            Err(error) => failed(&error),
        };
        outcome.into()
    }
}

/// Tried again in every case: what is due stays due, and the next check would do the same.
fn failed(error: &EngineError) -> Outcome {
    tracing::warn!(error = error as &dyn std::error::Error, "a check of the schedules failed");
    Outcome::Failed {
        error: JobError::coded(error.code(), error.public_message()),
        retryable: true,
        retry_after: None,
    }
}
