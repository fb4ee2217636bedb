//! What a use case answers when it cannot do what was asked. Knows no transport: the edges map it.

use std::error::Error;

use domain::error::Fault;
use domain::id::ExecutionId;
use domain::problem::ProblemCode;
use domain::quota::QuotaKind;
use domain::time::DurationMs;
use store::{Closed, StoreError};

/// A use case that was not carried out. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The request is wrong; each fault points at its place.
    #[error("the request is invalid")]
    Invalid(Vec<Fault>),
    /// There is no such thing, or the caller may not know of it.
    #[error("there is no {what} {id}")]
    NotFound {
        /// The kind of thing: `job`, `execution`, `workflow`, `dead letter`, …
        what: &'static str,
        /// What was asked for.
        id: String,
    },
    /// The caller may not do this.
    #[error("{reason}")]
    Forbidden {
        /// Why, for people.
        reason: &'static str,
    },
    /// It cannot be done in the present state.
    #[error("{message}")]
    Conflict {
        /// Which conflict, for programs.
        code: ProblemCode,
        /// A sentence.
        message: String,
    },
    /// Another execution with the unique key is open.
    #[error("the execution {existing} with the unique key is open")]
    ExecutionExists {
        /// Which.
        existing: ExecutionId,
    },
    /// Too much at once; trying again later helps.
    #[error("too many requests are in progress")]
    Overloaded {
        /// How long to wait.
        retry_after: DurationMs,
    },
    /// The caller has as much open as it may have.
    #[error("{message}")]
    TooMany {
        /// Which bound, for programs.
        code: ProblemCode,
        /// A sentence that says what helps.
        message: String,
        /// How long to wait.
        retry_after: DurationMs,
    },
    /// There would be more than may be kept.
    #[error("the quota {quota} is {limit}, of which {used} are used")]
    QuotaExceeded {
        /// Which quota, such as `openJobs`.
        quota: &'static str,
        /// How much there is.
        used: u64,
        /// How much there may be.
        limit: u64,
    },
    /// Somebody else, whose word is needed, cannot be asked at the moment.
    #[error("The {what} cannot be reached at the moment; retry later.")]
    NotReached {
        /// Who: `identity provider`.
        what: &'static str,
    },
    /// A list took too long.
    #[error("the list took too long")]
    QueryTimeout,
    /// The store failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// A step of an execution panicked, or the runtime is going down: a fault of ours.
    #[error("cannot compute a step of an execution")]
    Fold {
        /// What ended it.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// A value of ours could not be written down: a fault of ours.
    #[error("{what} could not be encoded")]
    Encoding {
        /// What was being encoded.
        what: &'static str,
        /// The encoder's error.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
}

impl EngineError {
    /// One fault at a place.
    pub fn invalid(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![Fault::new(pointer, message)])
    }

    /// Something that is not there.
    pub fn not_found(what: &'static str, id: &(impl ToString + ?Sized)) -> Self {
        Self::NotFound { what, id: id.to_string() }
    }

    /// A stable word for programs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "invalid",
            Self::NotFound { .. } => "not_found",
            Self::Forbidden { .. } => "forbidden",
            Self::Conflict { code, .. } | Self::TooMany { code, .. } => code.as_str(),
            Self::ExecutionExists { .. } => "execution_exists",
            Self::Overloaded { .. } => "overloaded",
            Self::QueryTimeout => "query_timeout",
            Self::QuotaExceeded { .. } => "quota_exceeded",
            Self::NotReached { .. } => "unavailable",
            Self::Store(StoreError::Sealed { why: Closed::WithoutKey(_), .. }) => "payload_key_missing",
            Self::Store(StoreError::Sealed { why: Closed::Erasing, .. }) => "tenant_erasing",
            Self::Store(error) if error.is_retryable() => "store_unavailable",
            Self::Store(_) | Self::Encoding { .. } | Self::Fold { .. } => "internal",
        }
    }

    /// A sentence that may be shown to any caller. Says nothing about what is inside the store.
    pub fn public_message(&self) -> String {
        match self {
            Self::Invalid(faults) => faults
                .first()
                .map_or_else(|| self.to_string(), |fault| format!("The request is invalid: {fault}")),
            Self::Store(StoreError::Later { .. }) => {
                "This record was written by a later version of Trunkline; a node of that version can serve it.".to_owned()
            }
            Self::Store(StoreError::Sealed { why: Closed::WithoutKey(_), .. }) => {
                "The payload is encrypted with a key that this server does not have; see the server's log.".to_owned()
            }
            Self::Store(StoreError::Sealed { why: Closed::Erasing, .. }) => {
                "The tenant is being erased: its payloads can no longer be read, and nothing is stored for it.".to_owned()
            }
            Self::Store(StoreError::Unknown { .. }) => {
                "The outcome of the write is unknown. Repeat the request unchanged, with the same IDs or Idempotency-Key."
                    .to_owned()
            }
            Self::Store(error @ StoreError::Full { .. }) => {
                format!("No changes were made, because {error}. Reads still work; retry when space is available.")
            }
            Self::Store(error) if error.is_retryable() => {
                "The database is temporarily unavailable. No changes were made; retry the request.".to_owned()
            }
            Self::Store(_) | Self::Encoding { .. } | Self::Fold { .. } => {
                "Internal server error; see the server's log.".to_owned()
            }
            _ => self.to_string(),
        }
    }

    /// Whether another process, of a later version or with the key that is missing here, can go on where this one cannot.
    pub const fn is_for_another_process(&self) -> bool {
        matches!(self, Self::Store(StoreError::Later { .. } | StoreError::Sealed { .. }))
    }

    /// Whether the same call may work later.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Overloaded { .. }
            | Self::TooMany { .. }
            | Self::QuotaExceeded { .. }
            | Self::NotReached { .. }
            | Self::QueryTimeout => true,
            Self::Store(error) => error.is_retryable(),
            _ => false,
        }
    }
}

// What a caller learns of a failure, whichever door it came through: REST writes it as a problem document, gRPC as a
// status with details.

/// How long callers are asked to wait until something has ended or was removed.
const QUOTA_RETRY_AFTER: DurationMs = DurationMs::from_secs(10);

/// How long callers are asked to wait while the store is unavailable.
const STORE_RETRY_AFTER: DurationMs = DurationMs::from_secs(1);

/// How many faults one answer lists at most: as many as the check of a definition finds.
pub const FAULTS_MAX: usize = 1_000;

/// A failure as callers see it. Says nothing about the inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The status, as HTTP counts them.
    pub status: u16,
    /// What it is, for programs.
    pub code: ProblemCode,
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
    pub fn new(status: u16, code: ProblemCode, detail: impl Into<String>) -> Self {
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
    pub fn invalid(mut faults: Vec<Fault>) -> Self {
        let detail = match faults.as_slice() {
            [] => "The request is invalid.".to_owned(),
            [fault] => format!("The request is invalid: {fault}"),
            [fault, rest @ ..] => format!("The request is invalid: {fault} (and {} more)", rest.len()),
        };
        faults.truncate(FAULTS_MAX);
        Self { faults, ..Self::new(422, ProblemCode::Invalid, detail) }
    }

    /// Something that does not work now and may later.
    pub fn unavailable(detail: &str) -> Self {
        Self { retry_after: Some(STORE_RETRY_AFTER), ..Self::new(503, ProblemCode::Unavailable, detail) }
    }

    /// A fault of ours.
    pub fn internal() -> Self {
        Self::new(500, ProblemCode::Internal, "Internal server error; see the server's log.")
    }
}

impl From<EngineError> for Problem {
    /// Logs what callers do not see.
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Invalid(faults) => Self::invalid(faults),
            EngineError::NotFound { what, id } => {
                Self::new(404, ProblemCode::NotFound, format!("There is no {what} {id}."))
            }
            EngineError::Forbidden { reason } => Self::new(403, ProblemCode::Forbidden, reason),
            EngineError::Conflict { code, message } => Self::new(409, code, message),
            EngineError::ExecutionExists { existing } => {
                let detail = format!("The execution {existing} with the unique key is open.");
                Self { existing: Some(existing), ..Self::new(409, ProblemCode::ExecutionExists, detail) }
            }
            EngineError::TooMany { code, message, retry_after } => {
                Self { retry_after: Some(retry_after), ..Self::new(429, code, message) }
            }
            EngineError::QuotaExceeded { quota, used, limit } => {
                let detail = format!(
                    "The quota {quota} is exceeded: {used} of {limit} are used. {}",
                    quota_remedy(quota)
                );
                Self {
                    quota: Some(Box::new(QuotaFault { quota, used, limit })),
                    retry_after: Some(QUOTA_RETRY_AFTER),
                    ..Self::new(429, ProblemCode::QuotaExceeded, detail)
                }
            }
            EngineError::QueryTimeout => Self {
                retry_after: Some(STORE_RETRY_AFTER),
                ..Self::new(
                    503,
                    ProblemCode::QueryTimeout,
                    "The list took too long; use a shorter time range or another filter.",
                )
            },
            EngineError::Overloaded { retry_after } => Self {
                retry_after: Some(retry_after),
                ..Self::unavailable("Too many concurrent requests; retry later.")
            },
            error @ EngineError::Store(StoreError::Sealed { why: Closed::Erasing, .. }) => {
                Self::new(409, ProblemCode::TenantErasing, error.public_message())
            }
            error @ EngineError::Store(StoreError::Sealed { .. }) => {
                tracing::error!(error = &error as &dyn std::error::Error, "a payload cannot be decrypted");
                let detail = error.public_message();
                Self {
                    retry_after: Some(STORE_RETRY_AFTER),
                    ..Self::new(503, ProblemCode::PayloadKeyMissing, detail)
                }
            }
            error if error.is_retryable() => {
                tracing::warn!(error = &error as &dyn std::error::Error, "the store is unavailable");
                Self::unavailable(&error.public_message())
            }
            error => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "a request failed with an internal error"
                );
                Self::internal()
            }
        }
    }
}

/// What makes room where a quota is exceeded, or a setting that bounds deliveries.
fn quota_remedy(quota: &str) -> String {
    match QuotaKind::parse(quota) {
        Some(kind) => {
            let remedy = kind.remedy();
            format!("{remedy} Administrators change quotas: PUT /v1/tenants/{{tenant}}/quotas.")
        }
        None => format!("{} An operator can raise the setting {quota}.", QuotaKind::DeliveryBytes.remedy()),
    }
}

#[cfg(test)]
mod tests {
    use store::{DiskRoom, StoreError};

    use super::{EngineError, Problem, ProblemCode, STORE_RETRY_AFTER};

    #[test]
    fn i01_a_full_disk_is_503_with_what_is_free_and_needed() {
        let room = DiskRoom { free_bytes: 3 << 20, needed_bytes: 16 << 20 };
        let full = StoreError::Full { room: Some(room), source: "database or disk is full".into() };
        let problem = Problem::from(EngineError::Store(full));
        assert_eq!((problem.status, problem.code), (503, ProblemCode::Unavailable));
        assert_eq!(problem.retry_after, Some(STORE_RETRY_AFTER));
        for said in ["3 MiB are free", "16 MiB are needed", "Reads still work"] {
            assert!(problem.detail.contains(said), "{}", problem.detail);
        }
    }

    #[test]
    fn a_quota_that_is_exceeded_says_what_helps() {
        let problem = Problem::from(EngineError::QuotaExceeded { quota: "schedules", used: 7, limit: 7 });
        assert_eq!((problem.status, problem.code), (429, ProblemCode::QuotaExceeded));
        for said in ["7 of 7", "Schedules that are deleted make room.", "PUT /v1/tenants/{tenant}/quotas"] {
            assert!(problem.detail.contains(said), "{}", problem.detail);
        }
        let of_all = EngineError::QuotaExceeded { quota: "webhooks.stored", used: 7, limit: 7 };
        let problem = Problem::from(of_all);
        for said in ["7 of 7", "A shorter retention makes room.", "the setting webhooks.stored."] {
            assert!(problem.detail.contains(said), "{}", problem.detail);
        }
    }
}
