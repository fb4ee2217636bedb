//! What a caller learns of a failure, whichever door it came through: REST writes it as a problem document, gRPC as a
//! status with details.

use domain::error::Fault;
use domain::id::ExecutionId;
use domain::time::DurationMs;
use store::{Closed, StoreError};

use crate::error::EngineError;

/// How long callers are asked to wait until something has ended or was removed.
const QUOTA_RETRY_AFTER: DurationMs = DurationMs::from_secs(10);

/// How long callers are asked to wait while the store is unavailable.
const STORE_RETRY_AFTER: DurationMs = DurationMs::from_secs(1);

/// A failure as callers see it. Says nothing about the inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The status, as HTTP counts them.
    pub status: u16,
    /// The stable word for programs.
    pub code: &'static str,
    /// A sentence for people.
    pub detail: String,
    /// The faults of an invalid request.
    pub faults: Vec<Fault>,
    /// When to try again.
    pub retry_after: Option<DurationMs>,
    /// The quota that the request is beyond.
    pub quota: Option<Box<QuotaFault>>,
    /// The open execution that has the unique key already.
    pub existing: Option<ExecutionId>,
}

/// The quota that a request is beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaFault {
    /// Its name.
    pub quota: &'static str,
    /// What is used of it.
    pub used: u64,
    /// What it allows.
    pub limit: u64,
}

impl Problem {
    /// A problem without more than a sentence.
    pub fn new(status: u16, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            status,
            code,
            detail: detail.into(),
            faults: Vec::new(),
            retry_after: None,
            quota: None,
            existing: None,
        }
    }

    /// An invalid request.
    pub fn invalid(faults: Vec<Fault>) -> Self {
        let detail = match faults.as_slice() {
            [] => "The request is invalid.".to_owned(),
            [fault] => format!("The request is invalid: {fault}"),
            [fault, rest @ ..] => format!("The request is invalid: {fault} (and {} more)", rest.len()),
        };
        Self { faults, ..Self::new(422, "invalid", detail) }
    }

    /// Something that does not work now and may later.
    pub fn unavailable(detail: &str) -> Self {
        Self { retry_after: Some(STORE_RETRY_AFTER), ..Self::new(503, "unavailable", detail) }
    }

    /// A fault of ours.
    pub fn internal() -> Self {
        Self::new(500, "internal", "Internal server error; see the server's log.")
    }
}

impl From<EngineError> for Problem {
    /// Logs what callers do not see.
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Invalid(faults) => Self::invalid(faults),
            EngineError::NotFound { what, id } => {
                Self::new(404, "not_found", format!("There is no {what} {id}."))
            }
            EngineError::Forbidden { reason } => Self::new(403, "forbidden", reason),
            EngineError::Conflict { code, message } => Self::new(409, code, message),
            EngineError::ExecutionExists { existing } => {
                let detail = format!("The execution {existing} with the unique key is open.");
                Self { existing: Some(existing), ..Self::new(409, "execution_exists", detail) }
            }
            EngineError::TooMany { code, message, retry_after } => {
                Self { retry_after: Some(retry_after), ..Self::new(429, code, message) }
            }
            EngineError::QuotaExceeded { quota, used, limit } => {
                let detail = format!("The quota {quota} is exceeded: {used} of {limit} are used.");
                Self {
                    quota: Some(Box::new(QuotaFault { quota, used, limit })),
                    retry_after: Some(QUOTA_RETRY_AFTER),
                    ..Self::new(429, "quota_exceeded", detail)
                }
            }
            EngineError::QueryTimeout => Self {
                retry_after: Some(STORE_RETRY_AFTER),
                ..Self::new(
                    503,
                    "query_timeout",
                    "The list took too long; ask for less, by a shorter time range or another filter.",
                )
            },
            EngineError::Overloaded { retry_after } => Self {
                retry_after: Some(retry_after),
                ..Self::unavailable("Too many concurrent requests; retry later.")
            },
            error @ EngineError::Store(StoreError::Sealed { why: Closed::Erasing, .. }) => {
                Self::new(409, "tenant_erasing", error.public_message())
            }
            error @ EngineError::Store(StoreError::Sealed { .. }) => {
                tracing::error!(error = &error as &dyn std::error::Error, "a payload cannot be opened");
                let detail = error.public_message();
                Self { retry_after: Some(STORE_RETRY_AFTER), ..Self::new(503, "payload_key_missing", detail) }
            }
            error if error.is_retryable() => {
                tracing::warn!(error = &error as &dyn std::error::Error, "the store is unavailable");
                Self::unavailable(&error.public_message())
            }
            error => {
                tracing::error!(error = &error as &dyn std::error::Error, "a request failed on our side");
                Self::internal()
            }
        }
    }
}
