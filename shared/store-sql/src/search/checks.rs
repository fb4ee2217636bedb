//! Checks of schedules, which lists of jobs do not show unless they are asked for. The indexes of jobs that did not complete
//! have no queue: where all of a status are counted, checks are counted apart, so that the others are counted by their index
//! alone. Each of 10,000 jobs that were cancelled lies on a page of its own.

use domain::queue::QueueName;

use super::parts::hides_checks;
use super::source::Source;
use crate::select::Select;

/// How many checks of a status are counted apart at most.
pub(super) const CHECKS_MAX: i64 = 1_000;

impl Source<'_> {
    /// Whether checks of schedules are passed over.
    pub(super) fn hides_checks(self) -> bool {
        self.part.queue.is_none() && !self.has_checks && hides_checks(self.search)
    }

    /// Whether these are all jobs of all tenants that ended with a status and did not complete.
    pub(super) fn is_of_a_status_alone(self) -> bool {
        self.part.is_of_unsuccessful()
            && self.at().is_none()
            && self.since.is_none()
            && self.scope.tenant().is_none()
            && self.hides_checks()
            && self.search.terms.iter().all(|term| term.key == "status")
            && !self.needs_windows()
    }

    /// How many checks have the status of the part, one more than are counted apart at most.
    pub(super) fn checks(self) -> Select {
        let (queue, status) = (QueueName::Scheduled.code(), self.part.status.unwrap_or_default());
        let mut select = Select::new("search_checks", "SELECT count(*) AS number FROM (SELECT 1 AS one");
        select.push("FROM job_done j {sqlite:INDEXED BY job_done_ended}");
        select.push(&format!(
            "WHERE j.queue = {queue} AND j.status = '{status}' LIMIT {}) found",
            CHECKS_MAX + 1
        ));
        select
    }
}
