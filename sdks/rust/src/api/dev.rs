//! Calls of dev. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::{DevTime, TimeMoveRequest};
use crate::transport::Request;

impl Calls {
    /// Move the time of a development server.
    /// Only on a server started with `trunkline dev --time-skip`; other servers return 409 `time_is_real`. On such a
    /// server, schedules fire only through this call. The call waits while a job is leased or a request is in progress, and
    /// returns 409 `time_is_held` after 20 seconds.
    ///
    /// Action `time.move`: requires role `admin`.
    pub async fn move_time(&self, body: &TimeMoveRequest) -> Result<DevTime, ClientError> {
        self.call(Request::new("moveTime", "POST", "/v1/dev/time").keyed().body(body)?).await
    }
}
