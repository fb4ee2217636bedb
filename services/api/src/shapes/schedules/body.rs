//! A schedule as it is sent.

use domain::names::{ScheduleName, TenantName, WorkflowName};
use domain::queue::Tier;
use domain::schedule::{FireReason, Misfire, Overlap, SchedulePolicy};
use domain::time::{DurationMs, Timestamp};
use engine::{IntervalRequest, ScheduleRequest};
use serde::Deserialize;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::json::{RawJson, present};
use crate::problem::ApiResult;
use crate::shapes::PrioritySchema;
use crate::shapes::list::RequiredFields;

/// A schedule to save.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ScheduleRequest)]
pub(crate) struct ScheduleBody {
    /// Unique within the tenant.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true, max_length = 200)]
    name: Option<ScheduleName>,
    /// Workflow to start, in its latest version at each fire.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    workflow: Option<WorkflowName>,
    /// Cron expression: minute, hour, day of month, month, day of week; or an alias such as `@daily`. Required without
    /// `every`.
    #[schema(example = "30 2 * * MON-FRI")]
    cron: Option<String>,
    /// Interval between fires, at least `10s`, instead of `cron`.
    #[schema(value_type = Option<String>, example = "90s")]
    every: Option<DurationMs>,
    /// First fire of the interval, from which all others are counted (default: the creation of the schedule).
    #[schema(value_type = Option<String>, format = DateTime)]
    anchor: Option<Timestamp>,
    /// IANA time zone of the expression (default `UTC`).
    #[schema(example = "Europe/Berlin")]
    timezone: Option<String>,
    /// Execution input, validated against the workflow's schema (default: an empty object).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    input: Option<RawJson>,
    /// Priority (default `normal`).
    #[schema(value_type = Option<PrioritySchema>)]
    priority: Option<Tier>,
    /// Policy for missed fires (default `latest`).
    #[schema(value_type = Option<MisfireSchema>)]
    misfire: Option<Misfire>,
    /// Maximum age of a missed fire that still runs (default `24h`).
    #[schema(value_type = Option<String>, example = "24h")]
    catch_up_window: Option<DurationMs>,
    /// Policy while a previous execution still runs (default `skip`).
    #[schema(value_type = Option<OverlapSchema>)]
    overlap: Option<Overlap>,
    /// Maximum jitter of the start time; constant for each schedule.
    #[schema(value_type = Option<String>, example = "30s")]
    jitter: Option<DurationMs>,
    /// First instant at which the schedule may fire.
    #[schema(value_type = Option<String>, format = DateTime)]
    start_at: Option<Timestamp>,
    /// Last instant at which the schedule may fire.
    #[schema(value_type = Option<String>, format = DateTime)]
    end_at: Option<Timestamp>,
    /// Whether the schedule is paused (default: false for a new one, unchanged for an existing one).
    paused: Option<bool>,
    /// Tenant (default: the key's tenant, or `default`). It cannot change later.
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
}

impl ScheduleBody {
    /// The request.
    pub(crate) fn into_request(self) -> ApiResult<ScheduleRequest> {
        let mut needed = RequiredFields::default();
        let name = needed.field("name", self.name);
        let workflow = needed.field("workflow", self.workflow);
        let timezone = self.timezone.as_deref();
        let recurrence = RecurrenceBody::read(&mut needed, self.cron, (self.every, self.anchor), timezone);
        let (Some(name), Some(workflow), Some(recurrence)) = (name, workflow, recurrence) else {
            return Err(needed.problem());
        };
        let (cron, interval) = recurrence.parts();
        let default = SchedulePolicy::default();
        Ok(ScheduleRequest {
            interval,
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

// When a schedule fires, as it is sent: by an expression in a time zone, or by an interval.

/// One of the two.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RecurrenceBody {
    /// An expression.
    Cron(String),
    /// An interval.
    Interval(IntervalRequest),
}

impl RecurrenceBody {
    /// What the fields say; `None` where it is not one of the two, which is added to the faults.
    pub(crate) fn read(
        faults: &mut RequiredFields,
        cron: Option<String>,
        (every, anchor): (Option<DurationMs>, Option<Timestamp>),
        timezone: Option<&str>,
    ) -> Option<Self> {
        let Some(every) = every else {
            if anchor.is_some() {
                faults.add("/anchor", "expected together with every");
                return None;
            }
            return faults.field("cron", cron).map(Self::Cron);
        };
        if cron.is_some() {
            faults.add("/every", "expected either cron or every, not both");
        }
        if timezone.is_some() {
            faults.add("/timezone", "expected together with cron: an interval has no time zone");
        }
        (!faults.any()).then_some(Self::Interval(IntervalRequest { every, anchor }))
    }

    /// The text of the expression, empty for an interval, and the interval.
    pub(crate) fn parts(self) -> (String, Option<IntervalRequest>) {
        match self {
            Self::Cron(cron) => (cron, None),
            Self::Interval(interval) => (String::new(), Some(interval)),
        }
    }
}

// The fixed words of schedules. Their texts are the domain's.

/// Policy for missed fires.
#[derive(Debug)]
pub(crate) enum MisfireSchema {}

/// Policy for a fire while a previous execution of the schedule still runs.
#[derive(Debug)]
pub(crate) enum OverlapSchema {}

/// The cause of a fire.
#[derive(Debug)]
pub(crate) enum FireReasonSchema {}

/// The outcome of a fire.
#[derive(Debug)]
pub(crate) enum SlotStatusSchema {}

fn one_of(words: impl IntoIterator<Item = &'static str>) -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
}

impl PartialSchema for MisfireSchema {
    fn schema() -> RefOr<Schema> {
        one_of(Misfire::NAMES)
    }
}
impl ToSchema for MisfireSchema {
    fn name() -> std::borrow::Cow<'static, str> {
        "Misfire".into()
    }
}

impl PartialSchema for OverlapSchema {
    fn schema() -> RefOr<Schema> {
        one_of(Overlap::NAMES)
    }
}
impl ToSchema for OverlapSchema {
    fn name() -> std::borrow::Cow<'static, str> {
        "Overlap".into()
    }
}

impl PartialSchema for FireReasonSchema {
    fn schema() -> RefOr<Schema> {
        one_of(FireReason::NAMES)
    }
}
impl ToSchema for FireReasonSchema {
    fn name() -> std::borrow::Cow<'static, str> {
        "FireReason".into()
    }
}

impl PartialSchema for SlotStatusSchema {
    fn schema() -> RefOr<Schema> {
        one_of(["fired", "waiting", "skipped"])
    }
}
impl ToSchema for SlotStatusSchema {
    fn name() -> std::borrow::Cow<'static, str> {
        "SlotStatus".into()
    }
}
