//! Retries while the store is unavailable: an owner tries again until it is asked to stop.

use std::future::Future;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::engine::Engine;
use crate::error::EngineError;

const PAUSE_MIN: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(5);

impl Engine {
    /// Calls until there is an answer. `None`: `stop` was set before there was one. What a later version wrote is left
    /// to a node of that version: the execution is given back.
    pub(super) async fn retry_until_stopped<T, F, Called>(
        &self,
        stop: &CancellationToken,
        mut call: F,
    ) -> Result<Option<T>, EngineError>
    where
        F: FnMut() -> Called,
        Called: Future<Output = Result<T, EngineError>>,
    {
        let mut pause = PAUSE_MIN;
        loop {
            let error = match call().await {
                Ok(answer) => return Ok(Some(answer)),
                Err(error) if error.is_retryable() && !error.is_for_another_process() => error,
                Err(error) => return Err(error),
            };
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "the store does not answer; trying again"
            );
            let spread = pause.mul_f64(0.5 + 0.5 * self.entropy().jitter().0.clamp(0.0, 1.0));
            tokio::select! {
                () = stop.cancelled() => return Ok(None),
                () = tokio::time::sleep(spread) => {}
            }
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }
}
