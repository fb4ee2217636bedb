//! Types of which the broker acknowledges nothing, as where those brokers are away that lead the partitions of their topics.
//!
//! Their jobs wait in the store, and keep no other type from the producer.

use std::time::Duration;

use domain::dispatch::{HeldType, NOT_ACKNOWLEDGED};
use domain::names::JobType;
use domain::time::{DurationMs, Timestamp};
use store::jobs::LeaseRef;
use tokio::time::Instant;

use super::{OfType, Sending, Stall};

/// A type is stalled where the producer has at least so many of its messages and answers for none. Fewer do no harm where they
/// are, and may be of one partition alone.
const STALLED_LEAST: usize = 100;

impl Sending {
    /// Takes out the messages of stalled types, and answers their offers: types of which the producer has many and has answered for
    /// none for so long. It goes on with those that it has. Such a type is held until one of them is acknowledged, or it is tried
    /// again: one type at a time.
    pub(crate) fn take_stalled(&mut self, after: Duration, now: Instant, at: Timestamp) -> Vec<LeaseRef> {
        let mut taken = Vec::new();
        for (job_type, of_type) in &mut self.types {
            if of_type.is_silent(after, now) {
                if of_type.stall.is_none() {
                    tracing::warn!(
                        job.r#type = %job_type,
                        messages = of_type.under_way,
                        "Kafka does not acknowledge messages of this job type; its jobs wait in the database"
                    );
                    self.tally.failed(NOT_ACKNOWLEDGED);
                }
                of_type.hold(now, at);
            }
            if of_type.is_held() {
                taken.extend(of_type.outbox.take_all());
            }
        }
        self.try_again(after, now);
        self.leave_out(taken)
    }

    /// Lets the type go on that is held for longest, where that is long enough and no other was let go on lately.
    fn try_again(&mut self, after: Duration, now: Instant) {
        let is_over = |since: Instant| now.duration_since(since) >= after;
        if self.tried_at.is_some_and(|at| now.duration_since(at) < after) {
            return;
        }
        let held = self.types.values_mut().filter_map(|of_type| {
            let held_at = of_type.stall.and_then(|stall| stall.held_at).filter(|&since| is_over(since))?;
            Some((held_at, of_type))
        });
        if let Some((_, of_type)) = held.min_by_key(|(held_at, _)| *held_at) {
            of_type.stall = of_type.stall.map(|stall| Stall { held_at: None, ..stall });
            of_type.answered_at = now;
            self.tried_at = Some(now);
        }
    }

    /// Whether no offers of a type are to be made: it is stalled.
    pub(crate) fn holds(&self, job_type: &JobType) -> bool {
        self.types.get(job_type).is_some_and(OfType::is_held)
    }

    /// Types that are stalled.
    pub(crate) fn held(&self) -> impl Iterator<Item = HeldType> {
        self.types.iter().filter_map(|(job_type, of_type)| {
            let since = of_type.stall?.since;
            Some(HeldType { job_type: job_type.clone(), reason: NOT_ACKNOWLEDGED.to_owned(), since })
        })
    }

    /// How many messages of stalled types the producer has.
    pub(crate) fn stalled_under_way(&self) -> usize {
        self.types.values().filter(|of_type| of_type.is_held()).map(|of_type| of_type.under_way).sum()
    }
}

impl OfType {
    /// Lets nothing of it be sent from now on.
    fn hold(&mut self, now: Instant, at: Timestamp) {
        let silent = now.duration_since(self.answered_at).as_millis();
        let began = at.minus(DurationMs(i64::try_from(silent).unwrap_or_default()));
        let since = self.stall.map_or(began, |stall| stall.since);
        self.stall = Some(Stall { since, held_at: Some(now) });
    }

    /// Whether nothing of it is sent.
    pub(super) fn is_held(&self) -> bool {
        self.stall.is_some_and(|stall| stall.held_at.is_some())
    }

    /// Whether the producer has many of its messages and has answered for none for so long.
    fn is_silent(&self, after: Duration, now: Instant) -> bool {
        let is_long = now.duration_since(self.answered_at) >= after;
        !self.is_held() && self.under_way >= STALLED_LEAST && is_long
    }
}

#[cfg(test)]
mod tests {
    use domain::id::JobId;
    use domain::queue::Tier;
    use uuid::Uuid;

    use super::*;
    use crate::publisher::PublishError;
    use crate::sending::Ended;
    use crate::sending::tests::{Stalled, push};

    const AFTER: Duration = Duration::from_secs(10);

    fn ended(job_type: &str, number: u64, outcome: Result<(), PublishError>) -> Ended {
        let id = JobId::from_uuid(Uuid::from_u128(number.into()));
        let key = (format!("{job_type}.{}", Tier::Normal), id.to_string());
        Ended { job_type: JobType::trusted(job_type), key, number, outcome }
    }

    #[test]
    fn what_is_acknowledged_by_nobody_is_taken_out_and_tried_again() {
        let (mut sending, stalled) = (Sending::default(), Stalled::default());
        let (gone, began) = (JobType::trusted("gone"), Instant::now());
        push(&mut sending, "gone", Tier::Normal, 0..150);
        sending.send(&stalled, |_| true, drop);
        assert!(sending.take_stalled(AFTER, began, Timestamp(50_000)).is_empty(), "it may be slow");
        assert!(!sending.holds(&gone));
        let later = Instant::now() + AFTER;
        assert_eq!(sending.take_stalled(AFTER, later, Timestamp(50_000)).len(), 150);
        assert_eq!((sending.len(), sending.bytes(), sending.stalled_under_way()), (0, 0, 150));
        let held: Vec<HeldType> = sending.held().collect();
        assert_eq!((held.len(), &held[0].job_type, held[0].reason.as_str()), (1, &gone, NOT_ACKNOWLEDGED));
        assert!(held[0].since <= Timestamp(40_000), "{held:?}");
        assert!(sending.holds(&gone) && sending.tally().errors == 1);
        // What comes all the same is not sent.
        push(&mut sending, "gone", Tier::Normal, 200..201);
        sending.send(&stalled, |_| true, drop);
        assert_eq!(stalled.0.lock().len(), 150);
        assert_eq!(sending.take_stalled(AFTER, later, Timestamp(51_000)).len(), 1);
        // After a while it is tried, and held again; one message that is acknowledged lets it go on.
        assert!(sending.take_stalled(AFTER, later + AFTER, Timestamp(60_000)).is_empty());
        assert!(!sending.holds(&gone));
        assert!(sending.take_stalled(AFTER, later + AFTER * 2, Timestamp(70_000)).is_empty());
        assert!(sending.holds(&gone) && sending.tally().errors == 1);
        assert_eq!(sending.held().next().map(|held| held.since), Some(held[0].since), "since it began");
        assert!(sending.end(ended("gone", 3, Ok(()))).is_none(), "its offer went back");
        assert!(!sending.holds(&gone) && sending.held().next().is_none());
        for number in (0..150).filter(|&number| number != 3) {
            assert!(sending.end(ended("gone", number, Ok(()))).is_none());
        }
        assert!(sending.types.is_empty(), "nothing is kept of it");
    }

    #[test]
    fn stalled_types_are_tried_one_at_a_time_until_one_is_heard_of() {
        let (mut sending, stalled) = (Sending::default(), Stalled::default());
        let types = ["a", "b", "c"].map(JobType::trusted);
        for (nth, job_type) in (0..).zip(&types) {
            push(&mut sending, job_type.as_str(), Tier::Normal, nth * 1_000..nth * 1_000 + 100);
        }
        push(&mut sending, "few", Tier::Normal, 9_000..9_050);
        sending.send(&stalled, |_| true, drop);
        let count = |sending: &Sending| types.iter().filter(|job_type| sending.holds(job_type)).count();
        let later = Instant::now() + AFTER;
        assert_eq!(sending.take_stalled(AFTER, later, Timestamp(0)).len(), 300);
        assert_eq!((count(&sending), sending.len()), (3, 50), "few may be those of one partition");
        sending.take_stalled(AFTER, later + AFTER, Timestamp(0));
        assert_eq!(count(&sending), 2);
        sending.take_stalled(AFTER, later + AFTER + AFTER / 2, Timestamp(0));
        assert_eq!(count(&sending), 2, "the other has its time");
        let tried = types.iter().find(|job_type| !sending.holds(job_type)).expect("one is tried");
        // The producer was replaced, and the first message of the type that is tried is acknowledged.
        let away = || PublishError::Later { reason: "broker_away", message: String::new() };
        for job_type in &types {
            for number in 0..100 {
                sending.end(ended(job_type.as_str(), number, Err(away())));
            }
        }
        assert_eq!((count(&sending), sending.stalled_under_way()), (2, 0), "held, with nothing under way");
        push(&mut sending, tried.as_str(), Tier::Normal, 20_000..20_001);
        sending.send(&stalled, |_| true, drop);
        let id = JobId::from_uuid(Uuid::from_u128(20_000)).to_string();
        let key = (format!("{tried}.{}", Tier::Normal), id);
        let first = Ended { job_type: tried.clone(), key, number: 100, outcome: Ok(()) };
        assert!(sending.end(first).is_some());
        sending.take_stalled(AFTER, later + AFTER * 2, Timestamp(0));
        assert_eq!(count(&sending), 1, "the next is tried at once");
    }
}
