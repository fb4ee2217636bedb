//! Calls of job types. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use super::Calls;
use crate::error::ClientError;
use crate::models::{LimitChanges, QueueLimits};
use crate::transport::{Request, segment};

impl Calls {
    /// Show the limits of a job type.
    pub async fn get_job_type_limits(
        &self,
        job_type: &str,
    ) -> Result<BTreeMap<String, QueueLimits>, ClientError> {
        self.call(Request::new(
            "getJobTypeLimits",
            "GET",
            format!("/v1/job-types/{}/limits", segment(job_type)),
        ))
        .await
    }

    /// Change the limits of a job type.
    /// They count over all tenants. Job types have limits on `workflow-node` only.
    pub async fn set_job_type_limits(
        &self,
        job_type: &str,
        body: &BTreeMap<String, LimitChanges>,
    ) -> Result<BTreeMap<String, QueueLimits>, ClientError> {
        self.call(
            Request::new("setJobTypeLimits", "PUT", format!("/v1/job-types/{}/limits", segment(job_type)))
                .keyed()
                .body(body)?,
        )
        .await
    }
}
