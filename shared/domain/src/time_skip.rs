//! A clock that skips, for tests: when time jumps, and where to.
//!
//! Time goes on by itself only where nothing is under way: no job is leased, no request is in work, nothing is about to be claimed.
//! Then it jumps to the next timer or retry. Schedules fire only where somebody moves the time on explicitly.

use crate::time::{DurationMs, Timestamp};

/// What is under way, and what comes next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Jobs that are leased, but for those of executions.
    pub leased: u64,
    /// Executions that are in somebody's memory and do something at this moment.
    pub busy_executions: u64,
    /// Requests that change something and are not answered.
    pub requests: u64,
    /// Whether something lies in the inbox of an execution.
    pub has_inbox: bool,
    /// Jobs for outside workers that can be claimed.
    pub queued_for_workers: u64,
    /// All jobs that can be claimed.
    pub queued: u64,
    /// The next timer or retry.
    pub next_due: Option<Timestamp>,
    /// When the next schedule fires.
    pub next_schedule: Option<Timestamp>,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing yet: something is under way, or there is nothing to jump to.
    Stay,
    /// Something is due by now: it is to be taken up.
    TakeUp,
    /// Schedules are due, and time is moved on explicitly.
    Fire,
    /// It is to become this instant.
    JumpTo(Timestamp),
    /// The instant is reached that was asked for.
    Reached,
}

/// What comes between two looks at one thing that is under way and the next. So long nothing may change before time jumps.
const QUIET: DurationMs = DurationMs(15);
/// The same where jobs can be claimed: where nobody takes them for so long, a limit holds them back.
const QUIET_QUEUED: DurationMs = DurationMs(250);
/// The same where they are for outside workers: one may be about to start.
const QUIET_FOR_WORKERS: DurationMs = DurationMs::from_secs(5);

impl Standing {
    /// For how long this has to be so before time may jump; `None` where it must not.
    pub fn quiet_needed(&self) -> Option<DurationMs> {
        let is_busy = self.leased > 0 || self.busy_executions > 0 || self.requests > 0 || self.has_inbox;
        match self {
            _ if is_busy => None,
            Self { queued_for_workers: 1.., .. } => Some(QUIET_FOR_WORKERS),
            Self { queued: 1.., .. } => Some(QUIET_QUEUED),
            _ => Some(QUIET),
        }
    }

    /// What to do, where this has been so for a while. With `until`, time is moved on explicitly up to that instant.
    pub fn step(&self, now: Timestamp, quiet_for: DurationMs, until: Option<Timestamp>) -> Step {
        if self.next_due.is_some_and(|due| due <= now) {
            return Step::TakeUp;
        }
        if self.quiet_needed().is_none_or(|needed| quiet_for < needed) {
            return Step::Stay;
        }
        let Some(until) = until else {
            return self.next_due.map_or(Step::Stay, Step::JumpTo);
        };
        if self.next_schedule.is_some_and(|due| due <= now) {
            return Step::Fire;
        }
        if now >= until {
            return Step::Reached;
        }
        let next = [self.next_due, self.next_schedule].into_iter().flatten().min();
        Step::JumpTo(next.map_or(until, |next| next.min(until)))
    }

    /// What keeps time from moving, for people.
    pub fn held_by(&self) -> Option<&'static str> {
        match self {
            Self { leased: 1.., .. } => Some("a job is leased"),
            Self { busy_executions: 1.., .. } => Some("an execution is being advanced"),
            Self { requests: 1.., .. } => Some("a request is in progress"),
            Self { has_inbox: true, .. } => Some("an execution has entries in its inbox"),
            Self { queued_for_workers: 1.., .. } => Some("a job waits for a worker"),
            Self { queued: 1.., .. } => Some("a job is queued"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000);
    const LONG: DurationMs = DurationMs(60_000);

    fn waits() -> Standing {
        Standing { next_due: Some(Timestamp(90_000)), ..Standing::default() }
    }

    #[test]
    fn time_jumps_to_the_next_timer_where_nothing_is_under_way() {
        assert_eq!(waits().step(NOW, LONG, None), Step::JumpTo(Timestamp(90_000)));
        assert_eq!(waits().step(NOW, DurationMs(14), None), Step::Stay, "not at once");
        assert_eq!(Standing::default().step(NOW, LONG, None), Step::Stay, "there is nothing to jump to");
        let due = Standing { next_due: Some(NOW), leased: 1, ..Standing::default() };
        assert_eq!(due.step(NOW, DurationMs(0), None), Step::TakeUp);
    }

    #[test]
    fn whatever_is_under_way_holds_it() {
        let table = [
            Standing { leased: 1, ..waits() },
            Standing { busy_executions: 1, ..waits() },
            Standing { requests: 1, ..waits() },
            Standing { has_inbox: true, ..waits() },
        ];
        for standing in table {
            for until in [None, Some(Timestamp(2_000))] {
                assert_eq!(standing.step(NOW, LONG, until), Step::Stay, "{standing:?}");
            }
            assert!(standing.held_by().is_some(), "{standing:?}");
        }
        assert_eq!(waits().held_by(), None);
    }

    #[test]
    fn jobs_that_nobody_takes_hold_it_for_a_while() {
        let queued = Standing { queued: 2, ..waits() };
        let for_workers = Standing { queued_for_workers: 1, ..queued };
        for (standing, quiet, jumps) in [
            (queued, 249, false),
            (queued, 250, true),
            (for_workers, 4_999, false),
            (for_workers, 5_000, true),
        ] {
            let step = standing.step(NOW, DurationMs(quiet), None);
            assert_eq!(step == Step::JumpTo(Timestamp(90_000)), jumps, "{standing:?} for {quiet} ms");
        }
    }

    #[test]
    fn schedules_fire_only_where_time_is_moved_on() {
        let standing = Standing { next_schedule: Some(Timestamp(5_000)), ..waits() };
        assert_eq!(standing.step(NOW, LONG, None), Step::JumpTo(Timestamp(90_000)), "it passes them");
        let until = Some(Timestamp(100_000));
        assert_eq!(standing.step(NOW, LONG, until), Step::JumpTo(Timestamp(5_000)));
        assert_eq!(standing.step(Timestamp(5_000), LONG, until), Step::Fire);
        let fired = Standing { next_schedule: Some(Timestamp(65_000)), ..waits() };
        assert_eq!(fired.step(Timestamp(5_000), LONG, until), Step::JumpTo(Timestamp(65_000)));
    }

    #[test]
    fn moving_on_ends_where_it_was_asked_to() {
        assert_eq!(waits().step(NOW, LONG, Some(Timestamp(50_000))), Step::JumpTo(Timestamp(50_000)));
        assert_eq!(waits().step(Timestamp(50_000), LONG, Some(Timestamp(50_000))), Step::Reached);
        assert_eq!(
            Standing::default().step(NOW, LONG, Some(Timestamp(7_000))),
            Step::JumpTo(Timestamp(7_000))
        );
    }
}
