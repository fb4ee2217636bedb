//! Attempts of jobs, and lines that handlers log.

use domain::failure::JobError;
use domain::id::{JobId, LeaseToken};
use domain::job::AttemptStatus;
use domain::job_log::{LogLevel, LogLine};
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use store::job_logs::{LogPosition, LogRecord, LoggedLines};
use store::jobs::{AttemptRecord, LeaseRef};
use utoipa::ToSchema;

use super::list::RequiredFields;
use super::words::{ATTEMPT_UNFINISHED, AttemptStatusSchema, LogLevelSchema};
use crate::json::{Item, RawJson, payloads_are_shown, present, small_value};
use crate::problem::{ApiResult, Problem};

/// A log line of a handler.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = LogLine)]
pub(crate) struct LogLineBody {
    /// Time of the line by the worker's clock (default: now).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Option<Timestamp>,
    #[schema(value_type = LogLevelSchema)]
    level: LogLevel,
    /// Text; message and fields have at most 8 KiB together, and longer lines are cut.
    message: String,
    /// Structured fields: an object.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Object>)]
    fields: Option<RawJson>,
    /// Number of the line in its attempt, from 1. Lines that were already received are not stored again.
    #[serde(default, deserialize_with = "present")]
    sequence: Option<u32>,
}

impl LogLineBody {
    fn into_line(self) -> ApiResult<LogLine> {
        if self.fields.as_ref().is_some_and(|fields| !fields.text().starts_with('{')) {
            return Err(Problem::fault("/fields", "expected an object"));
        }
        Ok(LogLine {
            // Cut to the present by the engine.
            at: self.at.unwrap_or(Timestamp(i64::MAX)),
            level: self.level,
            message: self.message,
            fields: self.fields.map(RawJson::into_text),
            sequence: self.sequence,
        })
    }
}

/// Lines below `pointer`.
pub(crate) fn lines_of(lines: Vec<LogLineBody>, pointer: &str) -> ApiResult<Vec<LogLine>> {
    let (mut read, mut faults) = (Vec::with_capacity(lines.len()), Vec::new());
    for (index, line) in lines.into_iter().enumerate() {
        match line.into_line() {
            Ok(line) => read.push(line),
            Err(problem) => faults.extend(problem.under(&format!("{pointer}/{index}")).into_faults()?),
        }
    }
    if faults.is_empty() { Ok(read) } else { Err(Problem::invalid(faults)) }
}

/// Log lines of a leased job.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = JobLines)]
pub(crate) struct JobLinesBody {
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    id: Option<JobId>,
    #[serde(default, deserialize_with = "super::leases::lease_token")]
    #[schema(value_type = String, required = true)]
    lease_token: Option<LeaseToken>,
    /// Lines, in order; at most 100 per call.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Vec<LogLineBody>, required = true)]
    lines: Option<Vec<LogLineBody>>,
}

impl Item for JobLinesBody {}

impl JobLinesBody {
    /// The lines.
    pub(crate) fn into_lines(self) -> ApiResult<LoggedLines> {
        let mut needed = RequiredFields::default();
        let (id, token) = (needed.field("id", self.id), needed.field("leaseToken", self.lease_token));
        let lines = needed.field("lines", self.lines);
        let (Some(id), Some(token), Some(lines)) = (id, token, lines) else {
            return Err(needed.problem());
        };
        Ok(LoggedLines { lease: LeaseRef { id, token }, lines: lines_of(lines, "/lines")? })
    }
}

/// A stored log line.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StoredLogLine)]
pub(crate) struct LogLineResponse {
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    #[schema(value_type = LogLevelSchema)]
    level: LogLevel,
    /// Absent for callers that may not see payloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Structured fields: an object. Absent for callers that may not see payloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    fields: Option<RawJson>,
    #[schema(value_type = String)]
    job_id: JobId,
    /// The attempt, from 1.
    attempt: u32,
    /// Number of the line in its attempt, from 1.
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
}

impl From<LogRecord> for LogLineResponse {
    fn from(record: LogRecord) -> Self {
        let LogPosition { at, job_id, attempt, number } = record.position;
        Self {
            at,
            level: record.level,
            message: payloads_are_shown().then_some(record.message),
            fields: record.fields.filter(|_| payloads_are_shown()).map(RawJson::payload),
            job_id,
            attempt,
            line: number,
            node_id: record.node_id.map(|node| node.to_string()),
        }
    }
}

/// A position as a cursor.
pub(crate) fn cursor_of(position: &LogPosition) -> String {
    let LogPosition { at, job_id, attempt, number } = position;
    format!("{}.{job_id}.{attempt}.{number}", at.0)
}

/// A position that was a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogCursor(pub(crate) LogPosition);

impl std::str::FromStr for LogCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split('.');
        let mut next = || parts.next().ok_or(());
        let at = Timestamp(next()?.parse().map_err(|_| ())?);
        let job_id = JobId::parse(next()?).ok_or(())?;
        let attempt = next()?.parse().map_err(|_| ())?;
        let number = next()?.parse().map_err(|_| ())?;
        if parts.next().is_some() {
            return Err(());
        }
        Ok(Self(LogPosition { at, job_id, attempt, number }))
    }
}

// The attempts of a job, and the errors in which they end.

/// An error of a job.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = JobError)]
pub(crate) struct JobErrorBody {
    /// Message for people.
    pub(crate) message: String,
    /// Error code for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    /// Additional details from the handler.
    #[serde(default, deserialize_with = "small_value", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RawJson>)]
    pub(crate) details: Option<serde_json::Value>,
}

impl From<JobError> for JobErrorBody {
    fn from(error: JobError) -> Self {
        // They hold what a service answered, or whatever a worker put there: payloads, to who may not see those.
        let details = error.details.filter(|_| payloads_are_shown());
        Self { message: error.message, code: error.code, details }
    }
}

impl From<JobErrorBody> for JobError {
    fn from(shape: JobErrorBody) -> Self {
        Self { message: shape.message, code: shape.code, details: shape.details }
    }
}

/// One attempt of a job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Attempt)]
pub(crate) struct AttemptResponse {
    /// Attempt number, from 1.
    attempt_number: u32,
    #[schema(value_type = AttemptStatusSchema)]
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<JobErrorBody>,
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<i64>,
    worker_id: String,
}

impl From<AttemptRecord> for AttemptResponse {
    fn from(attempt: AttemptRecord) -> Self {
        Self {
            attempt_number: attempt.attempt_number,
            status: attempt.status.map_or(ATTEMPT_UNFINISHED, AttemptStatus::as_str),
            error: attempt.error.map(JobErrorBody::from),
            started_at: attempt.started_at,
            finished_at: attempt.finished_at,
            duration_ms: attempt.finished_at.map(|end| end.since(attempt.started_at).0),
            worker_id: attempt.worker_id.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back() {
        let id = "job_019ab000-0000-7000-8000-000000000001";
        let text =
            format!("17.{}.2.30", JobId::parse(id).map_or_else(|| "x".to_owned(), |id| id.to_string()));
        if let Ok(LogCursor(position)) = text.parse() {
            assert_eq!(cursor_of(&position), text);
        }
        for bad in ["", "1", "1.x.1.1", "x", "1.2.3.4.5"] {
            assert_eq!(bad.parse::<LogCursor>(), Err(()), "{bad}");
        }
    }
}
