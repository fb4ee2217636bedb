//! When leases are renewed. Does no input or output; the time is an argument.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::context::CancelReason;
use crate::json::Json;
use crate::models::{Heartbeat, LeaseOutcome, Outcome};

/// What is assumed where the clocks of worker and server are too far apart to say.
const ASSUMED: Duration = Duration::from_secs(30);
const BELIEVED_MAX: Duration = Duration::from_hours(1);
/// A clock that is behind the server's must not cost the lease.
const EVERY_MAX: Duration = Duration::from_secs(10);
/// A lease of unknown length is renewed soon: the answer says whether it holds.
const UNSURE: Duration = Duration::from_millis(500);
/// Progress goes out at least this soon.
const PROGRESS_DELAY: Duration = Duration::from_millis(250);
const LIMIT_MIN: Duration = Duration::from_millis(100);
const JOBS_MAX: usize = 1000;

/// A lease that is renewed.
#[derive(Debug)]
struct Lease {
    id: String,
    length: Duration,
    every: Duration,
    due: Instant,
    ends: Instant,
    progress: Option<Json>,
    /// Whether the next heartbeat goes without progress, because the server refused what the last one had.
    is_bare: bool,
}

impl Lease {
    /// How long to wait after a heartbeat that came to nothing.
    fn pause(&self) -> Duration {
        (self.every / 2).min(Duration::from_secs(1))
    }

    /// Takes the answer to a heartbeat of a lease that holds.
    fn answered(&mut self, beat: &Heartbeat, is_refused: bool, sent: Instant, now: Instant) {
        let has_newer = self.progress != beat.progress;
        if !has_newer {
            self.progress = None;
        }
        self.is_bare = is_refused;
        if is_refused {
            // Nothing was renewed: another heartbeat goes at once, and no progress keeps it from that.
            let pause = if beat.progress.is_some() { Duration::ZERO } else { self.pause() };
            self.due = now + pause;
            return;
        }
        self.ends = sent + self.length;
        self.due = sent + self.every;
        if has_newer {
            self.due = self.due.min(now + PROGRESS_DELAY);
        }
    }
}

/// A lease that is gone, by its token.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Lost {
    pub(super) token: String,
    pub(super) reason: CancelReason,
}

/// What is to be sent now.
#[derive(Debug)]
pub(super) struct Beat {
    pub(super) jobs: Vec<Heartbeat>,
    /// How long the call may take.
    pub(super) limit: Duration,
    /// Leases that ended before.
    pub(super) lost: Vec<Lost>,
}

/// Leases by their tokens: the next attempt of the same job may be in this process, too. Each is renewed after a third of its
/// length; one that could not be renewed until its end counts as lost.
#[derive(Debug, Default)]
pub(super) struct Leases(HashMap<String, Lease>);

impl Leases {
    /// Begins to renew. `asked` is the length that the program set, `left` the time until the lease ends by the clock of
    /// this machine.
    pub(super) fn add(
        &mut self,
        id: &str,
        token: &str,
        asked: Option<Duration>,
        left: Option<Duration>,
        now: Instant,
    ) {
        let known = asked.or(left.filter(|left| !left.is_zero() && *left < BELIEVED_MAX));
        let length = known.unwrap_or(ASSUMED);
        let every = if known.is_some() { (length / 3).min(EVERY_MAX) } else { UNSURE };
        let (due, ends) = (now + every, now + length);
        let lease = Lease { id: id.to_owned(), length, every, due, ends, progress: None, is_bare: false };
        self.0.insert(token.to_owned(), lease);
    }

    pub(super) fn remove(&mut self, token: &str) {
        self.0.remove(token);
    }

    pub(super) fn set_progress(&mut self, token: &str, value: Json, now: Instant) {
        if let Some(lease) = self.0.get_mut(token) {
            lease.progress = Some(value);
            lease.due = lease.due.min(now + PROGRESS_DELAY);
        }
    }

    /// When something is to be done.
    pub(super) fn next(&self) -> Option<Instant> {
        self.0.values().map(|lease| lease.due.min(lease.ends)).min()
    }

    /// Drops what ended and gives what is due, with those that are due soon.
    pub(super) fn collect(&mut self, now: Instant) -> Beat {
        let mut beat = Beat { jobs: Vec::new(), limit: EVERY_MAX, lost: Vec::new() };
        self.0.retain(|token, lease| {
            let holds = lease.ends > now;
            if !holds {
                beat.lost.push(Lost { token: token.clone(), reason: CancelReason::LeaseLost });
            }
            holds
        });
        for (token, lease) in &self.0 {
            if lease.due > now + lease.every / 5 || beat.jobs.len() == JOBS_MAX {
                continue;
            }
            beat.jobs.push(Heartbeat {
                id: lease.id.clone(),
                lease_token: token.clone(),
                progress: lease.progress.clone().filter(|_| !lease.is_bare),
                ..Heartbeat::default()
            });
            let every = lease.every.max(UNSURE);
            beat.limit = beat.limit.min(lease.ends - now).min(every);
        }
        beat.limit = beat.limit.max(LIMIT_MIN);
        beat
    }

    /// Takes the answer to heartbeats that were sent at `sent`; `None` where there is none.
    pub(super) fn apply(
        &mut self,
        jobs: &[Heartbeat],
        outcomes: Option<&[Outcome]>,
        sent: Instant,
        now: Instant,
    ) -> Vec<Lost> {
        let mut lost = Vec::new();
        for (index, beat) in jobs.iter().enumerate() {
            let Some(lease) = self.0.get_mut(&beat.lease_token) else { continue };
            let Some(outcome) = outcomes.and_then(|outcomes| outcomes.get(index)) else {
                lease.due = now + lease.pause();
                continue;
            };
            let reason = match outcome.outcome {
                LeaseOutcome::Cancelled => CancelReason::Cancelled,
                LeaseOutcome::LeaseLost | LeaseOutcome::AlreadyDone => CancelReason::LeaseLost,
                _ => {
                    lease.answered(beat, outcome.outcome == LeaseOutcome::Rejected, sent, now);
                    continue;
                }
            };
            self.0.remove(&beat.lease_token);
            lost.push(Lost { token: beat.lease_token.clone(), reason });
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{Leases, Lost};
    use crate::context::CancelReason;
    use crate::json::Json;
    use crate::models::{LeaseOutcome, Outcome};

    const SECOND: Duration = Duration::from_secs(1);

    fn outcome(outcome: LeaseOutcome) -> Outcome {
        Outcome { outcome, ..Outcome::default() }
    }

    #[test]
    fn a_lease_is_renewed_after_a_third_and_lost_at_its_end() {
        let (mut leases, start) = (Leases::default(), Instant::now());
        leases.add("job_1", "t1", None, Some(9 * SECOND), start);
        assert_eq!(leases.next(), Some(start + 3 * SECOND));
        assert!(leases.collect(start + SECOND).jobs.is_empty());
        let beat = leases.collect(start + 3 * SECOND);
        assert_eq!(beat.jobs[0].lease_token, "t1");
        assert_eq!(beat.limit, 3 * SECOND);
        // No answer: again a second later, within the lease.
        let now = start + 4 * SECOND;
        assert!(leases.apply(&beat.jobs, None, start + 3 * SECOND, now).is_empty());
        assert_eq!(leases.next(), Some(now + SECOND));
        let lost = leases.collect(start + 9 * SECOND).lost;
        assert_eq!(lost, [Lost { token: "t1".to_owned(), reason: CancelReason::LeaseLost }]);
        assert_eq!(leases.next(), None);
    }

    #[test]
    fn answers_renew_or_end_leases() {
        let (mut leases, start) = (Leases::default(), Instant::now());
        leases.add("job_1", "t1", Some(3 * SECOND), None, start);
        leases.add("job_2", "t2", Some(3 * SECOND), None, start);
        let mut beat = leases.collect(start + SECOND);
        beat.jobs.sort_by(|a, b| a.lease_token.cmp(&b.lease_token));
        let answer = [outcome(LeaseOutcome::Ok), outcome(LeaseOutcome::Cancelled)];
        let sent = start + SECOND;
        let lost = leases.apply(&beat.jobs, Some(&answer), sent, sent + SECOND / 10);
        assert_eq!(lost, [Lost { token: "t2".to_owned(), reason: CancelReason::Cancelled }]);
        assert_eq!(leases.next(), Some(sent + SECOND));
        assert!(leases.collect(start + 3 * SECOND).lost.is_empty());
    }

    #[test]
    fn progress_goes_out_soon_and_once() {
        let (mut leases, start) = (Leases::default(), Instant::now());
        leases.add("job_1", "t1", Some(30 * SECOND), None, start);
        leases.set_progress("t1", Json::of(&1).expect("JSON"), start);
        let sent = start + SECOND / 4;
        let beat = leases.collect(sent);
        assert_eq!(beat.jobs[0].progress.as_ref().map(Json::as_str), Some("1"));
        // Another value comes while the first is on its way.
        leases.set_progress("t1", Json::of(&2).expect("JSON"), sent);
        leases.apply(&beat.jobs, Some(&[outcome(LeaseOutcome::Ok)]), sent, sent);
        let beat = leases.collect(sent + SECOND / 4);
        assert_eq!(beat.jobs[0].progress.as_ref().map(Json::as_str), Some("2"));
        leases.apply(&beat.jobs, Some(&[outcome(LeaseOutcome::Ok)]), sent, sent);
        assert_eq!(leases.next(), Some(sent + 10 * SECOND));
        assert!(leases.collect(sent + 10 * SECOND).jobs[0].progress.is_none());
    }

    #[test]
    fn progress_that_is_refused_does_not_keep_a_lease_from_being_renewed() {
        let (mut leases, start) = (Leases::default(), Instant::now());
        leases.add("job_1", "t1", Some(30 * SECOND), None, start);
        let said = |leases: &mut Leases, text: &str| {
            leases.set_progress("t1", Json::of(&text).expect("JSON"), start);
        };
        said(&mut leases, "large");
        let sent = start + SECOND;
        let beat = leases.collect(sent);
        assert!(beat.jobs[0].progress.is_some());
        // What the handler says next is as large.
        said(&mut leases, "larger");
        leases.apply(&beat.jobs, Some(&[outcome(LeaseOutcome::Rejected)]), sent, sent);
        assert_eq!(leases.0["t1"].ends, start + 30 * SECOND, "nothing was renewed");
        let beat = leases.collect(sent);
        assert!(beat.jobs[0].progress.is_none(), "the next one goes at once, and without progress");
        leases.apply(&beat.jobs, Some(&[outcome(LeaseOutcome::Ok)]), sent, sent);
        assert_eq!(leases.0["t1"].ends, sent + 30 * SECOND);
        let beat = leases.collect(sent + SECOND);
        assert_eq!(beat.jobs[0].progress.as_ref().map(Json::as_str), Some("\"larger\""));
    }

    #[test]
    fn a_clock_that_is_wrong_is_not_believed() {
        let (mut leases, start) = (Leases::default(), Instant::now());
        leases.add("job_1", "t1", None, Some(48 * 3600 * SECOND), start);
        leases.add("job_2", "t2", None, None, start);
        assert_eq!(leases.next(), Some(start + SECOND / 2));
        assert!(leases.collect(start + 20 * SECOND).lost.is_empty());
    }
}
