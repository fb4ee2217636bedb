//! Calls of events. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::{EventBatch, EventRequest, SentEvent, SentEvents};
use crate::transport::Request;

impl Calls {
    /// Send an event.
    /// Matching triggers start workflows, and executions that wait for the event continue. A 202 means that the event is
    /// stored durably. A duplicate of an event of the last 24 hours returns 200 with the first delivery.
    /// 429 `quota_exceeded` with the quota `waitingStartBytes` if a trigger would delay the start and no more starts may wait.
    ///
    /// Action `events.send`: requires role `admin`, `operator` or `client`.
    pub async fn send_event(&self, body: &EventRequest) -> Result<SentEvent, ClientError> {
        self.call(Request::new("sendEvent", "POST", "/v1/events").keyed().body(body)?).await
    }

    /// Send many events in one commit.
    /// Atomic: all events are accepted, or none.
    ///
    /// Action `events.send`: requires role `admin`, `operator` or `client`.
    pub async fn send_event_batch(&self, body: &EventBatch) -> Result<SentEvents, ClientError> {
        self.call(Request::new("sendEventBatch", "POST", "/v1/events/batch").keyed().body(body)?).await
    }
}
