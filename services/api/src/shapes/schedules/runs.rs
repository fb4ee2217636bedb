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

/// A slot in the history of a schedule.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScheduleRun)]
pub(crate) struct ScheduleRunResponse {
    /// The slot's instant.
    #[schema(value_type = String, format = DateTime)]
    scheduled_for: Timestamp,
    /// When it was fired, put to wait, or skipped.
    #[schema(value_type = String, format = DateTime)]
    fired_at: Timestamp,
    /// How much later that was.
    late_ms: i64,
    #[schema(value_type = FireReasonSchema)]
    reason: String,
    #[schema(value_type = SlotStatusSchema)]
    status: String,
    /// Why it was skipped: `overlap`, `misfire`, `catchup_cap`, `workflow_missing`, `input_invalid`, `changed`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    skip_reason: Option<String>,
    /// What it started.
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

/// An execution that was started by hand.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ManualRun)]
pub(crate) struct ManualRunResponse {
    #[schema(value_type = String)]
    execution_id: ExecutionId,
    /// The instant under which it stands in the history.
    #[schema(value_type = String, format = DateTime)]
    scheduled_for: Timestamp,
}

impl From<ManualRun> for ManualRunResponse {
    fn from(run: ManualRun) -> Self {
        Self { execution_id: run.execution_id, scheduled_for: run.scheduled_for }
    }
}

/// A past span.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = BackfillRequest)]
pub(crate) struct BackfillBody {
    /// Its first instant.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true, format = DateTime)]
    from: Option<Timestamp>,
    /// Its last instant, not in the future. The span may have at most 1,000 slots.
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

/// What a backfill did.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Backfill)]
pub(crate) struct BackfillResponse {
    /// How many slots the span has.
    slots: usize,
    /// How many executions were started.
    started: usize,
    /// How many slots were left alone.
    skipped: usize,
}

impl From<Backfilled> for BackfillResponse {
    fn from(done: Backfilled) -> Self {
        Self { slots: done.slots, started: done.started, skipped: done.skipped }
    }
}
