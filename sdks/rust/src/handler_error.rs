//! What a handler fails with, and what becomes of its job then.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use crate::context::CancelReason;
use crate::json::Json;
use crate::models::JobError;
use crate::timestamp;
use crate::worker::{Report, ReportKind};

type Source = Box<dyn StdError + Send + Sync>;

/// Why a handler did not complete. `?` converts any error: the job is retried after its backoff.
pub struct Error {
    kind: Kind,
    source: Source,
    code: Option<String>,
    details: Option<Json>,
}

enum Kind {
    Ordinary,
    NonRetryable,
    RetryAfter(Duration),
    Snooze(Duration),
    Cancelled,
}

impl Error {
    /// An ordinary failure, which is retried after the job's backoff.
    pub fn new(source: impl Into<Source>) -> Self {
        Self::of(Kind::Ordinary, source.into())
    }

    /// A permanent failure: the job becomes a dead letter immediately.
    pub fn non_retryable(source: impl Into<Source>) -> Self {
        Self::of(Kind::NonRetryable, source.into())
    }

    /// Sets the delay until the next attempt, instead of the backoff. It consumes an attempt.
    pub fn retry_after(delay: Duration) -> Self {
        Self::of(Kind::RetryAfter(delay), "to be tried again later".into())
    }

    /// Releases the job for this time without consuming an attempt.
    pub fn snooze(delay: Duration) -> Self {
        Self::of(Kind::Snooze(delay), "snoozed".into())
    }

    /// Ends with a cancellation. If the handler was not cancelled, the job fails permanently with the code `cancelled`.
    pub fn cancelled() -> Self {
        Self::of(Kind::Cancelled, "cancelled".into())
    }

    fn of(kind: Kind, source: Source) -> Self {
        Self { kind, source, code: None, details: None }
    }

    /// A code, which groups dead letters and is for programs.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// The message, instead of the source's.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.source = message.into().into();
        self
    }

    /// Additional details, shown with the dead letter.
    #[must_use]
    pub fn with_details(mut self, details: Json) -> Self {
        self.details = Some(details);
        self
    }

    /// Whether the failure is permanent.
    pub fn is_non_retryable(&self) -> bool {
        matches!(self.kind, Kind::NonRetryable)
    }

    /// The delay before the next attempt, if it requests one.
    pub fn delay(&self) -> Option<Duration> {
        match self.kind {
            Kind::RetryAfter(delay) | Kind::Snooze(delay) => Some(delay),
            _ => None,
        }
    }

    /// As the server keeps it.
    fn job_error(self) -> JobError {
        let mut message = self.source.to_string();
        let mut cause = self.source.source();
        while let Some(inner) = cause {
            let text = inner.to_string();
            // Some errors say what their sources say.
            if !message.contains(&text) {
                message = format!("{message}: {text}");
            }
            cause = inner.source();
        }
        JobError { message, code: self.code, details: self.details }
    }
}

/// Says what is to be reported of an attempt. `cancelled` is why it was cancelled, if it was.
pub(crate) fn outcome_of(
    result: Result<Json, Error>,
    cancelled: Option<CancelReason>,
) -> (ReportKind, Report) {
    let error = match result {
        // A result is reported even after a cancellation: the server decides whether the lease still holds.
        Ok(result) => return (ReportKind::Complete, Report { result: Some(result), ..Report::default() }),
        Err(error) => error,
    };
    match cancelled {
        None => {}
        Some(CancelReason::Draining) => return (ReportKind::Release, Report::default()),
        // At its deadline the server ends the attempt itself, and counts it as one that took too long.
        Some(_) => return (ReportKind::Nothing, Report::default()),
    }
    let mut report = Report::default();
    match error.kind {
        Kind::Ordinary => {}
        Kind::NonRetryable | Kind::Cancelled => report.retryable = Some(false),
        Kind::RetryAfter(delay) => report.retry_after = Some(timestamp::text(delay)),
        Kind::Snooze(delay) => {
            return (ReportKind::Release, Report { delay: Some(timestamp::text(delay)), ..report });
        }
    }
    let is_cancelled = matches!(error.kind, Kind::Cancelled);
    let mut own = error.job_error();
    if is_cancelled && own.code.is_none() {
        own.code = Some("cancelled".to_owned());
    }
    report.error = Some(own);
    (ReportKind::Fail, report)
}

impl<E: StdError + Send + Sync + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        Self::new(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Error, outcome_of};
    use crate::context::CancelReason;
    use crate::json::Json;
    use crate::worker::ReportKind;

    fn fails() -> Result<Json, Error> {
        let number: i32 = "seven".parse()?;
        Ok(Json::of(&number)?)
    }

    #[test]
    fn errors_become_reports() {
        let (kind, report) = outcome_of(fails(), None);
        assert_eq!((kind, report.retryable), (ReportKind::Fail, None));
        assert!(report.error.expect("an error").message.contains("invalid digit"));

        let (kind, report) = outcome_of(Err(Error::non_retryable("gone").with_code("gone")), None);
        assert_eq!((kind, report.retryable), (ReportKind::Fail, Some(false)));
        assert_eq!(report.error.expect("an error").code.as_deref(), Some("gone"));

        let (kind, report) = outcome_of(Err(Error::retry_after(Duration::from_secs(2))), None);
        assert_eq!((kind, report.retry_after.as_deref()), (ReportKind::Fail, Some("2000ms")));

        let (kind, report) = outcome_of(Err(Error::snooze(Duration::from_secs(2))), None);
        assert_eq!((kind, report.delay.as_deref()), (ReportKind::Release, Some("2000ms")));
        assert!(report.error.is_none());

        let (kind, report) = outcome_of(Err(Error::cancelled()), None);
        assert_eq!((kind, report.retryable), (ReportKind::Fail, Some(false)));
        assert_eq!(report.error.expect("an error").code.as_deref(), Some("cancelled"));
    }

    #[test]
    fn a_cancellation_decides_unless_there_is_a_result() {
        let kind = |result, reason| outcome_of(result, Some(reason)).0;
        assert_eq!(kind(Err(Error::cancelled()), CancelReason::Draining), ReportKind::Release);
        for reason in [CancelReason::Cancelled, CancelReason::LeaseLost, CancelReason::Deadline] {
            assert_eq!(kind(Err(Error::new("late")), reason), ReportKind::Nothing);
            assert_eq!(kind(Ok(Json::default()), reason), ReportKind::Complete);
        }
    }
}
