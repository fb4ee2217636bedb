//! Calls of retention. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::{Retention, RetentionRequest};
use crate::transport::Request;

impl Calls {
    /// Show the retention.
    /// Applies to tenants without their own times. `effective` shows the times that apply: times set here are rounded up to
    /// 1, 6 or 12 hours, 1, 2, 3, 7, 14, 30, 60, 90 or 180 days, or 1, 2 or 10 years.
    ///
    /// Action `retention.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_retention(&self) -> Result<Retention, ClientError> {
        self.call(Request::new("getRetention", "GET", "/v1/retention")).await
    }

    /// Change the retention.
    /// Absent fields keep their value; null restores the value from the settings. Requires role `admin` and a key that is
    /// not bound to a tenant.
    ///
    /// Action `retention.set`: requires role `admin`.
    pub async fn set_retention(&self, body: &RetentionRequest) -> Result<Retention, ClientError> {
        self.call(Request::new("setRetention", "PUT", "/v1/retention").keyed().body(body)?).await
    }
}
