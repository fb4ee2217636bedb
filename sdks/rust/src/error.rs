//! What calls and waits end with.

use std::fmt;
use std::time::Duration;

use crate::models::{ExecutionError, ExecutionStatus, JobError, JobStatus, Problem};

/// Why a call, a wait or a worker failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The server refused the call.
    #[error(transparent)]
    Problem(Box<ProblemError>),
    /// The server was not reached, or the connection broke.
    #[error("{call}: the server was not reached: {source}")]
    Connection {
        /// The call.
        call: String,
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The time of a call or a wait was up. What was waited for goes on.
    #[error("{what}: not within {limit:?}")]
    Timeout {
        /// The call, or what was waited for.
        what: String,
        /// How long it could take.
        limit: Duration,
    },
    /// The job that was waited for became a dead letter or was cancelled.
    #[error(transparent)]
    JobFailed(Box<JobFailed>),
    /// The run that was waited for failed or was cancelled.
    #[error(transparent)]
    RunFailed(Box<RunFailed>),
    /// A setting is missing or wrong.
    #[error("{0}")]
    Configuration(String),
    /// A value is no JSON, or JSON is not what was expected.
    #[error("{what}: {source}")]
    Json {
        /// What it is about.
        what: String,
        /// The place and the reason.
        source: serde_json::Error,
    },
    /// The payload codec failed.
    #[error("the codec failed: {0}")]
    Codec(Box<dyn std::error::Error + Send + Sync>),
}

/// The server rejected a call: an RFC 9457 problem document.
#[derive(Debug, Clone)]
pub struct ProblemError {
    /// The document.
    pub problem: Problem,
    /// When to retry, if the server specifies it.
    pub retry_after: Option<Duration>,
}

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { status, code, detail, .. } = &self.problem;
        write!(f, "{status} {code}: {detail}")?;
        for fault in self.problem.errors.iter().flatten() {
            write!(f, "; {}: {}", fault.pointer, fault.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for ProblemError {}

/// A job that was waited for and did not complete.
#[derive(Debug, Clone)]
pub struct JobFailed {
    /// The job.
    pub job_id: String,
    /// Its final status.
    pub status: JobStatus,
    /// The error of its last attempt, if any.
    pub error: Option<JobError>,
}

impl JobFailed {
    /// The code of its error; `cancelled` for a cancelled job.
    pub fn code(&self) -> Option<&str> {
        let own = self.error.as_ref().and_then(|error| error.code.as_deref());
        own.or((self.status == JobStatus::Cancelled).then_some("cancelled"))
    }
}

impl fmt::Display for JobFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "job {} is {}", self.job_id, self.status)?;
        self.error.as_ref().map_or(Ok(()), |error| write!(f, ": {}", error.message))
    }
}

impl std::error::Error for JobFailed {}

/// A run that was waited for and did not complete.
#[derive(Debug, Clone)]
pub struct RunFailed {
    /// The run.
    pub run_id: String,
    /// Its final status.
    pub status: ExecutionStatus,
    /// The reason, if any.
    pub error: Option<ExecutionError>,
}

impl RunFailed {
    /// The code of its error; `cancelled` for a cancelled run.
    pub fn code(&self) -> Option<&str> {
        let own = self.error.as_ref().and_then(|error| error.code.as_deref());
        own.or((self.status == ExecutionStatus::Cancelled).then_some("cancelled"))
    }
}

impl fmt::Display for RunFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {} is {}", self.run_id, self.status)?;
        self.error.as_ref().map_or(Ok(()), |error| write!(f, ": {}", error.message))
    }
}

impl std::error::Error for RunFailed {}

impl ClientError {
    pub(crate) fn connection(
        call: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Connection { call: call.into(), source: source.into() }
    }

    pub(crate) fn json(what: impl Into<String>, source: serde_json::Error) -> Self {
        Self::Json { what: what.into(), source }
    }

    /// The problem document, if the server rejected the call.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(error) => Some(&error.problem),
            _ => None,
        }
    }

    /// Whether a retry may succeed.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Connection { .. } => true,
            Self::Problem(error) => match error.problem.status {
                429 | 502 | 503 | 504 => true,
                // A call with the same idempotency key is still under way.
                409 => error.retry_after.is_some(),
                _ => false,
            },
            _ => false,
        }
    }
}
