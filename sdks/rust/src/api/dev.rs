//! Calls of dev. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::{DevTime, TimeMoveRequest};
use crate::transport::Request;

impl Calls {
    /// Move the time of a development server.
    /// Only on a server that was started with `trunkline dev --time-skip`; others answer 409 `time_is_real`. Schedules fire by this call
    /// only. It waits while a job is leased or a request is in work, and answers 409 `time_is_held` where that lasts 20 seconds.
    pub async fn move_time(&self, body: &TimeMoveRequest) -> Result<DevTime, ClientError> {
        self.call(Request::new("moveTime", "POST", "/v1/dev/time").keyed().body(body)?).await
    }
}
