//! Calls of schedules. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::json::Json;
use crate::models::{
    Backfill, BackfillRequest, BulkOperationRequest, ManualRun, Page, Preview, PreviewRequest, Schedule,
    ScheduleRequest, ScheduleRun,
};
use crate::transport::{Request, segment};

impl Calls {
    /// List schedules, newest first.
    /// Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_schedules(&self, query: &ListSchedulesQuery) -> Result<Page<Schedule>, ClientError> {
        self.call(Request::new("listSchedules", "GET", "/v1/schedules").query(query)?).await
    }

    /// Create a schedule.
    /// The schedule fires from now on. An invalid expression is reported at `/cron`, with the expected format.
    ///
    /// Action `schedules.write`: requires role `admin` or `operator`.
    pub async fn create_schedule(&self, body: &ScheduleRequest) -> Result<Schedule, ClientError> {
        self.call(Request::new("createSchedule", "POST", "/v1/schedules").keyed().body(body)?).await
    }

    /// Pause many schedules.
    /// Action `schedules.write`: requires role `admin` or `operator`.
    pub async fn pause_schedules(&self, body: &BulkOperationRequest) -> Result<Json, ClientError> {
        self.call(Request::new("pauseSchedules", "POST", "/v1/schedules/pause").keyed().body(body)?).await
    }

    /// Preview a cron expression or an interval.
    /// Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn preview_cron(&self, body: &PreviewRequest) -> Result<Preview, ClientError> {
        self.call(Request::new("previewCron", "POST", "/v1/schedules/preview").keyed().body(body)?).await
    }

    /// Resume many schedules.
    /// Action `schedules.write`: requires role `admin` or `operator`.
    pub async fn resume_schedules(&self, body: &BulkOperationRequest) -> Result<Json, ClientError> {
        self.call(Request::new("resumeSchedules", "POST", "/v1/schedules/resume").keyed().body(body)?).await
    }

    /// Show a schedule.
    /// Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_schedule(&self, id: &str) -> Result<Schedule, ClientError> {
        self.call(Request::new("getSchedule", "GET", format!("/v1/schedules/{}", segment(id)))).await
    }

    /// Replace a schedule.
    /// ID and history are kept. Past fires do not run, and a waiting fire is skipped.
    ///
    /// Action `schedules.write`: requires role `admin` or `operator`.
    pub async fn replace_schedule(&self, id: &str, body: &ScheduleRequest) -> Result<Schedule, ClientError> {
        self.call(
            Request::new("replaceSchedule", "PUT", format!("/v1/schedules/{}", segment(id)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Delete a schedule and its history.
    /// Its executions are kept.
    ///
    /// Action `schedules.write`: requires role `admin` or `operator`.
    pub async fn delete_schedule(&self, id: &str) -> Result<(), ClientError> {
        self.call_empty(
            Request::new("deleteSchedule", "DELETE", format!("/v1/schedules/{}", segment(id))).keyed(),
        )
        .await
    }

    /// Backfill a past time range.
    /// Starts an execution for each fire time in the range that is not in the history yet.
    ///
    /// Action `schedules.run`: requires role `admin` or `operator`.
    pub async fn backfill_schedule(&self, id: &str, body: &BackfillRequest) -> Result<Backfill, ClientError> {
        self.call(
            Request::new("backfillSchedule", "POST", format!("/v1/schedules/{}/backfill", segment(id)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Pause a schedule.
    /// Fire times that pass while it is paused never run, and a waiting fire is skipped. Running executions continue.
    ///
    /// Action `schedules.write`: requires role `admin` or `operator`.
    pub async fn pause_schedule(&self, id: &str) -> Result<Schedule, ClientError> {
        self.call(
            Request::new("pauseSchedule", "POST", format!("/v1/schedules/{}/pause", segment(id))).keyed(),
        )
        .await
    }

    /// Preview a schedule.
    /// Respects the bounds of the schedule; a paused one is previewed as if it were resumed now.
    ///
    /// Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn preview_schedule(
        &self,
        id: &str,
        query: &PreviewScheduleQuery,
    ) -> Result<Preview, ClientError> {
        self.call(
            Request::new("previewSchedule", "GET", format!("/v1/schedules/{}/preview", segment(id)))
                .query(query)?,
        )
        .await
    }

    /// Resume a schedule.
    /// The schedule fires from now on.
    ///
    /// Action `schedules.write`: requires role `admin` or `operator`.
    pub async fn resume_schedule(&self, id: &str) -> Result<Schedule, ClientError> {
        self.call(
            Request::new("resumeSchedule", "POST", format!("/v1/schedules/{}/resume", segment(id))).keyed(),
        )
        .await
    }

    /// Start an execution of a schedule now.
    /// Ignores the overlap policy, and works while the schedule is paused.
    ///
    /// Action `schedules.run`: requires role `admin` or `operator`.
    pub async fn run_schedule(&self, id: &str) -> Result<ManualRun, ClientError> {
        self.call(Request::new("runSchedule", "POST", format!("/v1/schedules/{}/run", segment(id))).keyed())
            .await
    }

    /// List the fires of a schedule and their outcomes, latest first.
    /// Action `schedules.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_schedule_runs(
        &self,
        id: &str,
        query: &ListScheduleRunsQuery,
    ) -> Result<Page<ScheduleRun>, ClientError> {
        self.call(
            Request::new("listScheduleRuns", "GET", format!("/v1/schedules/{}/runs", segment(id)))
                .query(query)?,
        )
        .await
    }
}

/// The query of [`Calls::list_schedules`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListSchedulesQuery {
    /// Exact match. Several values are separated by commas.
    pub workflow: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub tenant: Option<String>,
    /// One of true, false.
    pub paused: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub created_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub created_before: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub next_run_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub next_run_before: Option<String>,
    /// Same as `createdAfter`.
    pub from: Option<String>,
    /// Same as `createdBefore`.
    pub to: Option<String>,
    /// Search query, at most 2000 characters. See the search documentation.
    pub q: Option<String>,
    /// Instant to sort by: created, nextRun (default `created`).
    pub sort: Option<String>,
    /// `asc` or `desc` (default `desc`).
    pub order: Option<String>,
    /// Whether to count the matches, up to 10,000.
    pub count: Option<bool>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query of [`Calls::preview_schedule`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewScheduleQuery {
    /// Number of fires, 1 to 1000 (default 5).
    pub count: Option<i32>,
}

/// The query of [`Calls::list_schedule_runs`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListScheduleRunsQuery {
    /// One of fired, waiting, skipped. Several values are separated by commas.
    pub status: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub reason: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub skip_reason: Option<String>,
    /// ID: `exe_` and 32 hexadecimal digits.
    pub execution_id: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub scheduled_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub scheduled_before: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub fired_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub fired_before: Option<String>,
    /// Same as `scheduledAfter`.
    pub from: Option<String>,
    /// Same as `scheduledBefore`.
    pub to: Option<String>,
    /// Search query, at most 2000 characters. See the search documentation.
    pub q: Option<String>,
    /// Instant to sort by: scheduled, fired (default `scheduled`).
    pub sort: Option<String>,
    /// `asc` or `desc` (default `desc`).
    pub order: Option<String>,
    /// Whether to count the matches, up to 10,000.
    pub count: Option<bool>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}
