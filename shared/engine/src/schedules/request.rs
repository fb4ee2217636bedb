//! What a caller asks for when it saves a schedule.

use domain::error::Fault;
use domain::names::{ScheduleName, TenantName, WorkflowName};
use domain::queue::Tier;
use domain::schedule::{INTERVAL_MAX, INTERVAL_MIN, Interval, SchedulePolicy};
use domain::time::{DurationMs, Timestamp};

use crate::bounds::Faults;
use crate::policy::Policy;

/// The longest catch-up window.
const CATCH_UP_WINDOW_MAX: DurationMs = DurationMs::from_secs(366 * 24 * 3600);
/// The longest jitter. A longer one would rather be another expression.
const JITTER_MAX: DurationMs = DurationMs::from_secs(24 * 3600);

/// An interval by which a schedule fires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntervalRequest {
    /// The distance of two slots.
    pub every: DurationMs,
    /// The first slot; the creation of the schedule where absent.
    pub anchor: Option<Timestamp>,
}

impl IntervalRequest {
    /// The interval of a schedule that was created then. A fault points at its field.
    pub(super) fn of(self, created_at: Timestamp) -> Result<Interval, Fault> {
        if !Interval::is_valid(self.every) {
            let message = format!("expected a duration from {INTERVAL_MIN} to {INTERVAL_MAX}");
            return Err(Fault::new("/every", message));
        }
        Ok(Interval { every: self.every, anchor: self.anchor.unwrap_or(created_at) })
    }
}

/// A schedule to create, or to put into the place of one.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleRequest {
    /// Its name.
    pub name: ScheduleName,
    /// The workflow that it starts.
    pub workflow: WorkflowName,
    /// The cron expression; not looked at where there is an interval.
    pub cron: String,
    /// The interval by which it fires, in place of an expression.
    pub interval: Option<IntervalRequest>,
    /// The IANA time zone.
    pub timezone: String,
    /// The input of its executions as raw JSON text, known to be well formed.
    pub input: String,
    /// The tier of its executions; `normal` where absent.
    pub tier: Option<Tier>,
    /// The tenant; the key's own or `default` where absent. An edit cannot change it.
    pub tenant: Option<TenantName>,
    /// Misfire, overlap, jitter and bounds.
    pub policy: SchedulePolicy,
    /// Whether it is paused; an edit leaves that as it is where absent.
    pub is_paused: Option<bool>,
}

impl ScheduleRequest {
    /// A schedule that fires every so often from its creation on, and nothing else said.
    pub fn every(name: ScheduleName, workflow: WorkflowName, every: DurationMs) -> Self {
        let interval = Some(IntervalRequest { every, anchor: None });
        Self { interval, ..Self::new(name, workflow, "") }
    }

    /// A schedule in UTC, and nothing else said.
    pub fn new(name: ScheduleName, workflow: WorkflowName, cron: impl Into<String>) -> Self {
        Self {
            name,
            workflow,
            cron: cron.into(),
            interval: None,
            timezone: "UTC".to_owned(),
            input: "{}".to_owned(),
            tier: None,
            tenant: None,
            policy: SchedulePolicy::default(),
            is_paused: None,
        }
    }

    /// The tier of the executions.
    pub(super) fn tier(&self) -> Tier {
        self.tier.unwrap_or(Tier::Normal)
    }

    /// Faults that show without the workflow and without reading the expression.
    pub(super) fn faults(&self, policy: &Policy) -> Vec<Fault> {
        let mut faults = Faults::default();
        faults.json("/input", &self.input, policy.payload_bytes_max);
        let of = &self.policy;
        faults.within("/catchUpWindow", of.catch_up_window, DurationMs::ZERO, CATCH_UP_WINDOW_MAX);
        faults.within("/jitter", of.jitter, DurationMs::ZERO, JITTER_MAX);
        if let (Some(start), Some(end)) = (of.start_at, of.end_at)
            && end < start
        {
            faults.add("/endAt", "expected an instant that is not before startAt");
        }
        faults.into_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_bounded_and_counted_from_the_creation() {
        let of =
            |secs, anchor| IntervalRequest { every: DurationMs::from_secs(secs), anchor }.of(Timestamp(7));
        assert_eq!(of(9, None).unwrap_err().pointer, "/every");
        assert_eq!(of(367 * 86_400, None).unwrap_err().pointer, "/every");
        assert_eq!(of(10, None).unwrap().anchor, Timestamp(7));
        assert_eq!(of(10, Some(Timestamp(3))).unwrap().anchor, Timestamp(3));
    }

    #[test]
    fn faults_point_at_their_fields() {
        let mut request = ScheduleRequest::new(
            ScheduleName::trusted("nightly"),
            WorkflowName::trusted("report"),
            "0 0 * * *",
        );
        assert!(request.faults(&Policy::default()).is_empty());
        request.input = r#""\u0000""#.to_owned();
        request.policy.jitter = DurationMs(JITTER_MAX.0 + 1);
        request.policy.catch_up_window = DurationMs(CATCH_UP_WINDOW_MAX.0 + 1);
        request.policy.start_at = Some(Timestamp(2));
        request.policy.end_at = Some(Timestamp(1));
        let faults = request.faults(&Policy::default());
        let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
        assert_eq!(pointers, ["/input", "/catchUpWindow", "/jitter", "/endAt"]);
    }
}
