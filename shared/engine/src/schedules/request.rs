//! What a caller asks for when it saves a schedule.

use domain::error::Fault;
use domain::names::{ScheduleName, TenantName, WorkflowName};
use domain::queue::Tier;
use domain::schedule::SchedulePolicy;
use domain::time::DurationMs;

use crate::bounds::Faults;
use crate::policy::Policy;

/// The longest catch-up window.
const CATCH_UP_WINDOW_MAX: DurationMs = DurationMs::from_secs(366 * 24 * 3600);
/// The longest jitter. A longer one would rather be another expression.
const JITTER_MAX: DurationMs = DurationMs::from_secs(24 * 3600);

/// A schedule to create, or to put into the place of one.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleRequest {
    /// Its name.
    pub name: ScheduleName,
    /// The workflow that it starts.
    pub workflow: WorkflowName,
    /// The cron expression.
    pub cron: String,
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
    /// A schedule in UTC, and nothing else said.
    pub fn new(name: ScheduleName, workflow: WorkflowName, cron: impl Into<String>) -> Self {
        Self {
            name,
            workflow,
            cron: cron.into(),
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
    use domain::time::Timestamp;

    use super::*;

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
