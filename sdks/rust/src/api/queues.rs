//! Calls of queues. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{Page, Queue, QueueMode, QueueScaling};
use crate::transport::{Request, segment};

impl Calls {
    /// List queues with their statistics.
    /// Action `queues.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_queues(&self) -> Result<Page<Queue>, ClientError> {
        self.call(Request::new("listQueues", "GET", "/v1/queues")).await
    }

    /// Show a queue with its statistics.
    /// Action `queues.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_queue(&self, queue: &str) -> Result<Queue, ClientError> {
        self.call(Request::new("getQueue", "GET", format!("/v1/queues/{}", segment(queue)))).await
    }

    /// Drain a queue.
    /// Finishes queued jobs and rejects new ones from callers until the queue is resumed.
    ///
    /// Action `queues.operate`: requires role `admin` or `operator`.
    pub async fn drain_queue(&self, queue: &str) -> Result<QueueMode, ClientError> {
        self.call(Request::new("drainQueue", "POST", format!("/v1/queues/{}/drain", segment(queue))).keyed())
            .await
    }

    /// Pause a queue.
    /// No jobs start until the queue is resumed. New jobs are accepted.
    ///
    /// Action `queues.operate`: requires role `admin` or `operator`.
    pub async fn pause_queue(&self, queue: &str) -> Result<QueueMode, ClientError> {
        self.call(Request::new("pauseQueue", "POST", format!("/v1/queues/{}/pause", segment(queue))).keyed())
            .await
    }

    /// Resume a queue.
    /// Action `queues.operate`: requires role `admin` or `operator`.
    pub async fn resume_queue(&self, queue: &str) -> Result<QueueMode, ClientError> {
        self.call(
            Request::new("resumeQueue", "POST", format!("/v1/queues/{}/resume", segment(queue))).keyed(),
        )
        .await
    }

    /// Show how many workers a queue could use.
    /// For autoscalers: `desired` is the number of slots that could be busy now. Jobs held back by a limit or a pause do
    /// not count. All nodes return the same figures, read from the database and at most one second old.
    ///
    /// Action `queues.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn queue_scaling(
        &self,
        queue: &str,
        query: &QueueScalingQuery,
    ) -> Result<QueueScaling, ClientError> {
        self.call(
            Request::new("queueScaling", "GET", format!("/v1/queues/{}/scaling", segment(queue)))
                .query(query)?,
        )
        .await
    }
}

/// The query of [`Calls::queue_scaling`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueScalingQuery {
    /// Job types, separated by commas (default: all).
    pub job_type: Option<String>,
    /// Tenant, for keys that are not bound to a tenant.
    pub tenant: Option<String>,
}
