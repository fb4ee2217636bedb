//! Jobs and executions that nobody started in time.

use serde_json::{Value, json};

use crate::failure::JobError;
use crate::time::{DURATION_MAX, DurationMs, Timestamp};

/// The code of what ended because nobody started it in time.
pub const CODE_EXPIRED: &str = "expired";

/// Whether a job may wait this long for its start: longer than zero, and at most [`DURATION_MAX`].
pub const fn is_valid(expires_in: DurationMs) -> bool {
    expires_in.0 > 0 && expires_in.0 <= DURATION_MAX.0
}

/// Until when something may be started that is due at `run_at` and accepted at `now`: the time counts from when it may
/// run, so that a delay does not use it up.
pub fn expires_at(expires_in: Option<DurationMs>, run_at: Timestamp, now: Timestamp) -> Option<Timestamp> {
    expires_in.map(|expires_in| run_at.max(now).plus(expires_in))
}

/// The error of a job that nobody started in time.
pub fn job_error() -> JobError {
    error("job")
}

/// The error of an execution that nobody started in time.
pub fn execution_error() -> JobError {
    error("execution")
}

fn error(what: &str) -> JobError {
    let details = Some(json!({ "started": false }));
    JobError { details, ..JobError::coded(CODE_EXPIRED, format!("Nobody started the {what} in time.")) }
}

/// Whether an error says that nobody started it in time. A child that failed because something of its own expired was
/// started, and can go on.
pub fn is_unstarted(error: &JobError) -> bool {
    let started = error.details.as_ref().and_then(|details| details.get("started"));
    error.code.as_deref() == Some(CODE_EXPIRED) && started == Some(&Value::Bool(false))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_time_counts_from_when_it_may_run(run_at in 0_i64..1 << 50, now in 0_i64..1 << 50, wait in 1_i64..1 << 40) {
            let (run_at, now, wait) = (Timestamp(run_at), Timestamp(now), DurationMs(wait));
            let end = expires_at(Some(wait), run_at, now).expect("there is an end");
            prop_assert!(end > now && end > run_at);
            prop_assert_eq!(end.since(now.max(run_at)), wait);
            prop_assert_eq!(expires_at(None, run_at, now), None);
        }
    }

    #[test]
    fn what_was_started_is_distinguished_from_what_was_not() {
        assert!(is_unstarted(&job_error()) && is_unstarted(&execution_error()));
        assert!(!is_unstarted(&JobError::coded(CODE_EXPIRED, "a node of a child")));
        assert!(!is_unstarted(&JobError { code: None, ..job_error() }));
    }

    #[test]
    fn no_time_and_too_much_are_refused() {
        for (wait, expected) in
            [(0, false), (-1, false), (1, true), (DURATION_MAX.0, true), (DURATION_MAX.0 + 1, false)]
        {
            assert_eq!(is_valid(DurationMs(wait)), expected, "{wait}");
        }
    }
}
