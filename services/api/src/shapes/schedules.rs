//! Schedules: what is sent to save one, how one is shown, and what became of its slots.

mod body;

use domain::id::{ExecutionId, ScheduleId};
use domain::schedule::Preview;
use domain::time::{DurationMs, Timestamp};
use engine::{Backfilled, ManualRun, ScheduleView};
use serde::{Deserialize, Serialize};
use store::schedules::ScheduleRunRecord;
use utoipa::ToSchema;

use crate::json::{RawJson, present};
use crate::problem::ApiResult;
use crate::shapes::PrioritySchema;
use crate::shapes::list::RequiredFields;
use body::{FireReasonSchema, MisfireSchema, OverlapSchema, SlotStatusSchema};

pub(crate) use body::{RecurrenceBody, ScheduleBody};

// A schedule as it is shown.

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

// What an expression, or a schedule, will do.

/// A cron expression or an interval to preview.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PreviewRequest)]
pub(crate) struct PreviewBody {
    /// The cron expression. Required without `every`.
    #[schema(example = "30 2 * * *")]
    pub(crate) cron: Option<String>,
    /// Interval between fires, at least `10s`, instead of `cron`.
    #[schema(value_type = Option<String>, example = "90s")]
    pub(crate) every: Option<DurationMs>,
    /// First fire of the interval (default: now).
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) anchor: Option<Timestamp>,
    /// IANA time zone (default `UTC`).
    #[schema(example = "Europe/Berlin")]
    pub(crate) timezone: Option<String>,
    /// Start of the preview, exclusive (default: now).
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) from: Option<Timestamp>,
    /// Number of fires, 1 to 1000 (default 5).
    pub(crate) count: Option<usize>,
}

/// A preview of the next fires.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Preview)]
pub(crate) struct PreviewResponse {
    /// Description of the expression in words.
    #[schema(example = "At 02:30 every day")]
    description: String,
    /// The next fire times.
    #[schema(value_type = Vec<String>)]
    next: Vec<Timestamp>,
    /// Effects of clock changes on these fire times.
    #[schema(example = json!(["29 March 2026 02:30 does not exist: runs at 03:00"]))]
    notes: Vec<String>,
}

impl From<Preview> for PreviewResponse {
    fn from(preview: Preview) -> Self {
        Self { description: preview.description, next: preview.next, notes: preview.notes }
    }
}

// What became of the slots of a schedule.

/// A fire in the history of a schedule.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScheduleRun)]
pub(crate) struct ScheduleRunResponse {
    /// Scheduled time of the fire.
    #[schema(value_type = String, format = DateTime)]
    scheduled_for: Timestamp,
    /// When it was fired, queued, or skipped.
    #[schema(value_type = String, format = DateTime)]
    fired_at: Timestamp,
    /// Delay relative to the scheduled time.
    late_ms: i64,
    #[schema(value_type = FireReasonSchema)]
    reason: String,
    #[schema(value_type = SlotStatusSchema)]
    status: String,
    /// Reason for skipping the fire: `overlap`, `misfire`, `catchup_cap`, `workflow_missing`, `input_invalid`,
    /// `changed`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    skip_reason: Option<String>,
    /// Execution that the fire started.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    execution_id: Option<ExecutionId>,
}

impl From<ScheduleRunRecord> for ScheduleRunResponse {
    fn from(run: ScheduleRunRecord) -> Self {
        Self {
            scheduled_for: run.nominal,
            fired_at: run.decided_at,
            late_ms: run.decided_at.since(run.nominal).0,
            reason: run.reason,
            status: run.status,
            skip_reason: run.skip_reason,
            execution_id: run.execution_id,
        }
    }
}

/// A manually started execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ManualRun)]
pub(crate) struct ManualRunResponse {
    #[schema(value_type = String)]
    execution_id: ExecutionId,
    /// Time of the fire in the history.
    #[schema(value_type = String, format = DateTime)]
    scheduled_for: Timestamp,
}

impl From<ManualRun> for ManualRunResponse {
    fn from(run: ManualRun) -> Self {
        Self { execution_id: run.execution_id, scheduled_for: run.scheduled_for }
    }
}

/// A past time range.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = BackfillRequest)]
pub(crate) struct BackfillBody {
    /// Start of the range, inclusive.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true, format = DateTime)]
    from: Option<Timestamp>,
    /// End of the range, inclusive; not in the future. The range may contain at most 1,000 fires.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true, format = DateTime)]
    to: Option<Timestamp>,
}

impl BackfillBody {
    /// First and last instant.
    pub(crate) fn into_span(self) -> ApiResult<(Timestamp, Timestamp)> {
        let mut needed = RequiredFields::default();
        match (needed.field("from", self.from), needed.field("to", self.to)) {
            (Some(from), Some(to)) => Ok((from, to)),
            _ => Err(needed.problem()),
        }
    }
}

/// The result of a backfill.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Backfill)]
pub(crate) struct BackfillResponse {
    /// Number of fires in the range.
    slots: usize,
    /// Number of started executions.
    started: usize,
    /// Number of fires that are already in the history.
    skipped: usize,
}

impl From<Backfilled> for BackfillResponse {
    fn from(done: Backfilled) -> Self {
        Self { slots: done.slots, started: done.started, skipped: done.skipped }
    }
}
