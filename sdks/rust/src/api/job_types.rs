//! Calls of job types. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{Attribute, AttributeDeclaration, BuildPin, BuildPinRequest, LimitChanges, QueueLimits};
use crate::transport::{Request, segment};

impl Calls {
    /// Show the searchable attributes of a job type.
    /// Action `attributes.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_job_type_attributes(
        &self,
        job_type: &str,
        query: &GetJobTypeAttributesQuery,
    ) -> Result<BTreeMap<String, Attribute>, ClientError> {
        self.call(
            Request::new(
                "getJobTypeAttributes",
                "GET",
                format!("/v1/job-types/{}/attributes", segment(job_type)),
            )
            .query(query)?,
        )
        .await
    }

    /// Declare searchable attributes of a job type.
    /// Attributes that are absent from the request are kept; null removes an attribute. Applies to jobs created from now
    /// on.
    ///
    /// Action `attributes.declare`: requires role `admin` or `operator`.
    pub async fn set_job_type_attributes(
        &self,
        job_type: &str,
        body: &BTreeMap<String, AttributeDeclaration>,
        query: &SetJobTypeAttributesQuery,
    ) -> Result<BTreeMap<String, Attribute>, ClientError> {
        self.call(
            Request::new(
                "setJobTypeAttributes",
                "PUT",
                format!("/v1/job-types/{}/attributes", segment(job_type)),
            )
            .keyed()
            .query(query)?
            .body(body)?,
        )
        .await
    }

    /// Pin a job type to builds.
    /// From the next claim on, only workers that poll with one of these builds receive its jobs. While there is no such
    /// worker, the jobs wait; leased jobs are not affected. A tenant's own pin takes precedence over the pin for all
    /// tenants.
    ///
    /// Action `builds.pin`: requires role `admin` or `operator`.
    pub async fn pin_builds(
        &self,
        job_type: &str,
        body: &BuildPinRequest,
        query: &PinBuildsQuery,
    ) -> Result<BuildPin, ClientError> {
        self.call(
            Request::new("pinBuilds", "PUT", format!("/v1/job-types/{}/builds", segment(job_type)))
                .keyed()
                .query(query)?
                .body(body)?,
        )
        .await
    }

    /// Unpin a job type.
    /// From the next claim on, any worker that polls for the job type receives its jobs.
    ///
    /// Action `builds.pin`: requires role `admin` or `operator`.
    pub async fn unpin_builds(&self, job_type: &str, query: &UnpinBuildsQuery) -> Result<(), ClientError> {
        self.call_empty(
            Request::new("unpinBuilds", "DELETE", format!("/v1/job-types/{}/builds", segment(job_type)))
                .keyed()
                .query(query)?,
        )
        .await
    }

    /// Show the limits of a job type.
    /// With `tenant`, the limits of the tenant's jobs of this type; otherwise the limits across all tenants.
    ///
    /// Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_job_type_limits(
        &self,
        job_type: &str,
        query: &GetJobTypeLimitsQuery,
    ) -> Result<BTreeMap<String, QueueLimits>, ClientError> {
        self.call(
            Request::new("getJobTypeLimits", "GET", format!("/v1/job-types/{}/limits", segment(job_type)))
                .query(query)?,
        )
        .await
    }

    /// Change the limits of a job type.
    /// With `tenant`, the limits apply to the tenant's jobs of this type; otherwise across all tenants. If both are set,
    /// both apply. Job types have limits on `workflow-node` only.
    ///
    /// Action `limits.set`: requires role `admin` or `operator`.
    pub async fn set_job_type_limits(
        &self,
        job_type: &str,
        body: &BTreeMap<String, LimitChanges>,
        query: &SetJobTypeLimitsQuery,
    ) -> Result<BTreeMap<String, QueueLimits>, ClientError> {
        self.call(
            Request::new("setJobTypeLimits", "PUT", format!("/v1/job-types/{}/limits", segment(job_type)))
                .keyed()
                .query(query)?
                .body(body)?,
        )
        .await
    }
}

/// The query of [`Calls::get_job_type_attributes`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetJobTypeAttributesQuery {
    /// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
    /// never a tenant's.
    pub tenant: Option<String>,
}

/// The query of [`Calls::set_job_type_attributes`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetJobTypeAttributesQuery {
    /// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
    /// never a tenant's.
    pub tenant: Option<String>,
}

/// The query of [`Calls::pin_builds`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PinBuildsQuery {
    /// Tenant (default: the key's tenant, or all tenants).
    pub tenant: Option<String>,
}

/// The query of [`Calls::unpin_builds`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnpinBuildsQuery {
    /// Tenant (default: the key's tenant, or all tenants).
    pub tenant: Option<String>,
}

/// The query of [`Calls::get_job_type_limits`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetJobTypeLimitsQuery {
    /// Tenant whose jobs the limits apply to (default: all tenants together).
    pub tenant: Option<String>,
}

/// The query of [`Calls::set_job_type_limits`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetJobTypeLimitsQuery {
    /// Tenant whose jobs the limits apply to (default: all tenants together).
    pub tenant: Option<String>,
}
