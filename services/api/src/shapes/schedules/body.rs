//! A schedule as it is sent.

use domain::names::{ScheduleName, TenantName, WorkflowName};
use domain::queue::Tier;
use domain::schedule::{Misfire, Overlap, SchedulePolicy};
use domain::time::{DurationMs, Timestamp};
use engine::ScheduleRequest;
use serde::Deserialize;
use utoipa::ToSchema;

use super::words::{MisfireSchema, OverlapSchema};
use crate::json::{RawJson, present};
use crate::problem::ApiResult;
use crate::shapes::PrioritySchema;
use crate::shapes::needed::RequiredFields;

/// A schedule to save.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ScheduleRequest)]
pub(crate) struct ScheduleBody {
    /// Unique within the tenant.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true, max_length = 200)]
    name: Option<ScheduleName>,
    /// The workflow that it starts, in its latest version at each slot.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    workflow: Option<WorkflowName>,
    /// Minute, hour, day of month, month, day of week; or an alias such as `@daily`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true, example = "30 2 * * MON-FRI")]
    cron: Option<String>,
    /// IANA time zone (default `UTC`).
    #[schema(example = "Europe/Berlin")]
    timezone: Option<String>,
    /// The input of its executions, checked against the workflow's schema; an empty object where absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    input: Option<RawJson>,
    /// Priority (default `normal`).
    #[schema(value_type = Option<PrioritySchema>)]
    priority: Option<Tier>,
    /// What happens to slots that were missed; `latest` where absent.
    #[schema(value_type = Option<MisfireSchema>)]
    misfire: Option<Misfire>,
    /// How old a missed slot may be to be run; `24h` where absent.
    #[schema(value_type = Option<String>, example = "24h")]
    catch_up_window: Option<DurationMs>,
    /// What happens to a slot while an execution of the schedule has not ended; `skip` where absent.
    #[schema(value_type = Option<OverlapSchema>)]
    overlap: Option<Overlap>,
    /// Executions start up to this much later, each schedule's by its own fixed share.
    #[schema(value_type = Option<String>, example = "30s")]
    jitter: Option<DurationMs>,
    /// No slot before this instant.
    #[schema(value_type = Option<String>, format = DateTime)]
    start_at: Option<Timestamp>,
    /// No slot after this instant.
    #[schema(value_type = Option<String>, format = DateTime)]
    end_at: Option<Timestamp>,
    /// Whether it is paused; where absent, a new schedule is not, and another stays as it is.
    paused: Option<bool>,
    /// The key's own tenant, or `default`, where absent. A schedule stays with its tenant.
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
}

impl ScheduleBody {
    /// The request.
    pub(crate) fn into_request(self) -> ApiResult<ScheduleRequest> {
        let mut needed = RequiredFields::default();
        let name = needed.field("name", self.name);
        let workflow = needed.field("workflow", self.workflow);
        let cron = needed.field("cron", self.cron);
        let (Some(name), Some(workflow), Some(cron)) = (name, workflow, cron) else {
            return Err(needed.problem());
        };
        let default = SchedulePolicy::default();
        Ok(ScheduleRequest {
            timezone: self.timezone.unwrap_or_else(|| "UTC".to_owned()),
            input: self.input.map_or_else(|| "{}".to_owned(), RawJson::into_text),
            tier: self.priority,
            tenant: self.tenant,
            policy: SchedulePolicy {
                misfire: self.misfire.unwrap_or(default.misfire),
                catch_up_window: self.catch_up_window.unwrap_or(default.catch_up_window),
                overlap: self.overlap.unwrap_or(default.overlap),
                jitter: self.jitter.unwrap_or(default.jitter),
                start_at: self.start_at,
                end_at: self.end_at,
                ..default
            },
            is_paused: self.paused,
            ..ScheduleRequest::new(name, workflow, cron)
        })
    }
}
