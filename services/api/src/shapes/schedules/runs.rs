//! What became of the slots of a schedule.

use domain::id::ExecutionId;
use domain::time::Timestamp;
use engine::{Backfilled, ManualRun};
use serde::{Deserialize, Serialize};
use store::schedules::ScheduleRunRecord;
use utoipa::ToSchema;

use super::words::{FireReasonSchema, SlotStatusSchema};
use crate::json::present;
use crate::problem::ApiResult;
use crate::shapes::needed::RequiredFields;

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
    /// Reason of a skipped fire: `overlap`, `misfire`, `catchup_cap`, `workflow_missing`, `input_invalid`, `changed`, …
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
