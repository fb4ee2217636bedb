//! Job types that are pinned to builds of workers.

use domain::build::BuildPin;
use domain::names::CallerKey;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::json::present;
use crate::problem::ApiResult;
use crate::shapes::list::RequiredFields;

/// The builds to pin a job type to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = BuildPinRequest)]
pub(crate) struct BuildPinBody {
    /// Builds, as workers name them in `build`: 1 to 20.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Vec<String>, required = true, example = json!(["v2"]))]
    builds: Option<Vec<CallerKey>>,
}

impl BuildPinBody {
    /// The builds.
    pub(crate) fn into_builds(self) -> ApiResult<Vec<CallerKey>> {
        let mut needed = RequiredFields::default();
        let builds = needed.field("builds", self.builds);
        builds.ok_or_else(|| needed.problem())
    }
}

/// A job type whose jobs only workers of certain builds receive.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BuildPin)]
pub(crate) struct BuildPinResponse {
    job_type: String,
    /// Tenant whose jobs the pin applies to; absent for a pin that applies to all tenants without their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    /// The builds whose workers receive its jobs.
    builds: Vec<String>,
    /// `operator`, or `worker` if a worker set the pin when it started.
    #[schema(value_type = String)]
    source: &'static str,
    /// When the pin was set; for a worker's pin, when that worker started.
    #[schema(value_type = String, format = DateTime)]
    since: Timestamp,
}

impl From<BuildPin> for BuildPinResponse {
    fn from(pin: BuildPin) -> Self {
        Self {
            job_type: pin.job_type.to_string(),
            tenant: pin.tenant.map(|tenant| tenant.to_string()),
            builds: pin.builds.iter().map(ToString::to_string).collect(),
            source: pin.source.as_str(),
            since: pin.since,
        }
    }
}

/// All pinned job types.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BuildPins)]
pub(crate) struct BuildPinsResponse {
    /// The pins, by job type and tenant.
    pub(crate) items: Vec<BuildPinResponse>,
}
