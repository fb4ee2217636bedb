//! How often the duties run.

use domain::time::DurationMs;

/// How often the duties run. Each wait is cut by up to a half, at random, so
/// that the nodes of a deployment do not run in step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpkeepOptions {
    /// Due jobs become claimable.
    pub promote_every: DurationMs,
    /// Jobs whose lease has ended are tried again or die.
    pub reap_every: DurationMs,
    /// What nobody started in time ends.
    pub expire_every: DurationMs,
    /// How often processes that ended without withdrawing their row are looked for.
    pub nodes_every: DurationMs,
    /// Parked executions that have something in their inbox are taken up.
    pub wake_parked_every: DurationMs,
    /// Deliveries that were held are matched, as many as their endpoints' rates allow.
    pub release_held_every: DurationMs,
    /// Starts of triggers that were debounced, batched or throttled are looked at.
    pub put_off_starts_every: DurationMs,
    /// What came for executions that wait for a slot is applied without one.
    pub apply_unowned_every: DurationMs,
    /// What retention no longer keeps is removed.
    pub prune_every: DurationMs,
    /// The next step towards removing lanes that nobody uses.
    pub idle_lanes_every: DurationMs,
    /// Bulk operations whose process is gone are taken up.
    pub batches_every: DurationMs,
    /// The workers that showed themselves are written down.
    pub workers_every: DurationMs,
    /// Schedules are looked at between two minutes: for slots that waited, and for checks that were lost.
    pub overdue_every: DurationMs,
    /// Schedules by interval are looked at, whose slots lie between the minutes.
    pub intervals_every: DurationMs,
    /// Schedules that were computed with other time zone data are computed again.
    pub zones_every: DurationMs,
    /// The database's file gives free space back, and its log is kept short.
    pub tend_file_every: DurationMs,
    /// Secrets of webhooks that rest under an old key are sealed again.
    pub reseal_every: DurationMs,
    /// Rows of the audit log become rows of its chain.
    pub seal_audit_every: DurationMs,
    /// The intake is looked at without a notification, and tenants over a quota are let in again.
    pub intake_every: DurationMs,
    /// Alert rules are evaluated.
    pub alerts_every: DurationMs,
    /// Notifications about alerts are sent.
    pub notifications_every: DurationMs,
}

impl Default for UpkeepOptions {
    fn default() -> Self {
        Self {
            promote_every: DurationMs(250),
            reap_every: DurationMs(500),
            expire_every: DurationMs::from_secs(1),
            nodes_every: DurationMs::from_secs(1),
            wake_parked_every: DurationMs::from_secs(1),
            release_held_every: DurationMs::from_secs(1),
            put_off_starts_every: DurationMs(500),
            apply_unowned_every: DurationMs(250),
            prune_every: DurationMs::from_secs(60),
            idle_lanes_every: DurationMs::from_secs(10),
            batches_every: DurationMs::from_secs(5),
            workers_every: DurationMs::from_secs(5),
            overdue_every: DurationMs::from_secs(5),
            intervals_every: DurationMs::from_secs(1),
            zones_every: DurationMs::from_secs(3_600),
            tend_file_every: DurationMs::from_secs(10),
            reseal_every: DurationMs::from_secs(3_600),
            seal_audit_every: DurationMs::from_secs(2),
            intake_every: DurationMs::from_secs(1),
            alerts_every: DurationMs::from_secs(15),
            notifications_every: DurationMs::from_secs(1),
        }
    }
}
