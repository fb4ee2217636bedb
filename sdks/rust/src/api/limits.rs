//! Calls of limits. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use super::Calls;
use crate::error::ClientError;
use crate::models::{LimitChanges, QueueLimits};
use crate::transport::Request;

impl Calls {
    /// Show the limits of the queues.
    /// Includes the values set for individual tenants, workflows and job types.
    ///
    /// Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_limits(&self) -> Result<BTreeMap<String, QueueLimits>, ClientError> {
        self.call(Request::new("getLimits", "GET", "/v1/limits")).await
    }

    /// Change the limits of the queues.
    /// The limits apply to every claim that starts after the response.
    ///
    /// Action `limits.set`: requires role `admin` or `operator`.
    pub async fn set_limits(
        &self,
        body: &BTreeMap<String, LimitChanges>,
    ) -> Result<BTreeMap<String, QueueLimits>, ClientError> {
        self.call(Request::new("setLimits", "PUT", "/v1/limits").keyed().body(body)?).await
    }
}
