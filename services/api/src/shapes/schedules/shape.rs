//! A schedule as it is shown.

use domain::id::ScheduleId;
use domain::time::{DurationMs, Timestamp};
use engine::ScheduleView;
use serde::Serialize;
use utoipa::ToSchema;

use super::words::{MisfireSchema, OverlapSchema};
use crate::json::RawJson;
use crate::shapes::PrioritySchema;

/// A schedule.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Schedule)]
pub(crate) struct ScheduleResponse {
    #[schema(value_type = String, example = "sch_0193456789ab7def8123456789abcdef")]
    id: ScheduleId,
    name: String,
    tenant: String,
    workflow: String,
    /// Cron expression; null where the schedule fires by an interval.
    #[schema(required = true)]
    cron: Option<String>,
    /// Interval between fires, in place of an expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "90s")]
    every: Option<DurationMs>,
    /// First fire of the interval, from which all others are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    anchor: Option<Timestamp>,
    timezone: String,
    /// Input. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<RawJson>,
    #[schema(value_type = PrioritySchema)]
    priority: &'static str,
    #[schema(value_type = MisfireSchema)]
    misfire: &'static str,
    #[schema(value_type = String, example = "24h")]
    catch_up_window: DurationMs,
    #[schema(value_type = OverlapSchema)]
    overlap: &'static str,
    #[schema(value_type = String, example = "30s")]
    jitter: DurationMs,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    start_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    end_at: Option<Timestamp>,
    paused: bool,
    /// The next fire time; null while the schedule is paused or after its last fire.
    #[schema(value_type = Option<String>, required = true, format = DateTime)]
    next_run_at: Option<Timestamp>,
    /// Description of the expression in words.
    #[schema(example = "At 02:30, Monday to Friday")]
    description: String,
    /// Warnings about valid but probably unintended values.
    warnings: Vec<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl ScheduleResponse {
    /// A schedule with its input.
    pub(crate) fn whole(mut view: ScheduleView) -> Self {
        let input = RawJson::payload(std::mem::take(&mut view.record.input));
        Self { input: Some(input), ..Self::in_list(view) }
    }

    /// A schedule in a list.
    pub(crate) fn in_list(view: ScheduleView) -> Self {
        let ScheduleView { record, description, warnings } = view;
        let policy = record.policy;
        Self {
            id: record.id,
            name: record.name,
            tenant: record.tenant.to_string(),
            workflow: record.workflow.name.to_string(),
            cron: record.interval.is_none().then_some(record.cron),
            every: record.interval.map(|interval| interval.every),
            anchor: record.interval.map(|interval| interval.anchor),
            timezone: record.timezone,
            input: None,
            priority: record.tier.as_str(),
            misfire: policy.misfire.as_str(),
            catch_up_window: policy.catch_up_window,
            overlap: policy.overlap.as_str(),
            jitter: policy.jitter,
            start_at: policy.start_at,
            end_at: policy.end_at,
            paused: record.is_paused,
            next_run_at: record.next_run_at,
            description,
            warnings,
            created_at: record.created_at,
            updated_at: record.updated_at,
        }
    }
}
