//! Named points at which end-to-end tests end the process at once, as `kill -9` would: before and after each commit
//! that matters. Without the feature `fail-points` nothing is left of them.
//!
//! The environment variable `FAILPOINTS` arms them: `owner-commit-after=3*off->return` lets the point pass three times
//! and ends the process the fourth time. The points are `owner-commit-before`, `owner-commit-after`, `park-before`,
//! `park-after`, `settle-before`, `settle-after`, `enqueue-before`, `enqueue-after`, `accept-before`, `accept-after` (deliveries of
//! webhooks), `match-started`,
//! `move-begun`, `move-copied`, `move-complete`, `move-fenced` (moves to another database),
//! `backup-copied` (copies of the database),
//! `batch-prepared`, `batch-item-before`, `batch-item-after` (bulk operations), `erase-step-before`, `erase-step-after` (tenants
//! that are erased), `release-before` and `release-after` (deliveries that were held), `shards-leased`, `offer-claimed`, `offer-published`,
//! `offers-read`, `offer-refused-before` and `offer-refused-after` (relays).

/// Ends the process here if a test asked for it.
#[cfg(feature = "fail-points")]
pub(crate) fn reach(point: &str) {
    if fail::eval(point, |_| ()).is_some() {
        std::process::abort();
    }
}

/// Nothing.
#[cfg(not(feature = "fail-points"))]
pub(crate) const fn reach(_point: &str) {}

/// Ends the process at a step of a move if a test asked for it.
pub fn reach_move(point: &str) {
    reach(point);
}

/// Ends the process between a copy of the database and its name if a test asked for it.
pub fn reach_backup() {
    reach("backup-copied");
}

/// Arms the points that the environment names. Does nothing unless the crate is built with `fail-points`, which only
/// the tests of the binary do.
#[cfg(feature = "fail-points")]
pub fn arm_fail_points() {
    // Dropping the scenario would disarm them.
    std::mem::forget(fail::FailScenario::setup());
}

/// Does nothing: the points are not built in.
#[cfg(not(feature = "fail-points"))]
pub const fn arm_fail_points() {}
