//! The jobs that a stream holds, and the offers on it that nobody has confirmed.

use std::collections::HashMap;

use domain::id::JobId;
use engine::{Caller, Engine, EngineError, PollReceipt};
use store::jobs::{LeaseAnswer, LeaseExtension, LeaseRef};
use tokio::time::{Duration, Instant};

/// How many are looked at together.
const LOOKED_AT_ONCE: usize = 1_000;

/// Jobs of one worker.
#[derive(Default)]
pub(super) struct Held(HashMap<JobId, HeldJob>);

/// One of them.
struct HeldJob {
    lease: LeaseRef,
    since: Instant,
    /// When it was looked at last, or since when it is here.
    looked_at: Instant,
}

/// A job that is not the worker's any more.
pub(super) struct Lost {
    pub(super) lease: LeaseRef,
    pub(super) reason: &'static str,
}

impl Held {
    pub(super) fn add(&mut self, lease: LeaseRef) {
        let now = Instant::now();
        self.0.insert(lease.id, HeldJob { lease, since: now, looked_at: now });
    }

    pub(super) fn remove(&mut self, id: JobId) {
        self.0.remove(&id);
    }

    /// Removes a job if it is held under this lease.
    pub(super) fn remove_lease(&mut self, lease: LeaseRef) -> bool {
        let is_same = self.0.get(&lease.id).is_some_and(|held| held.lease == lease);
        is_same && self.0.remove(&lease.id).is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that are to be looked at now, which were there for a while: most jobs end before anybody need look at them. Where they
    /// are many, those go first that were not looked at for longest.
    pub(super) fn look_at(&mut self, age: Duration) -> Vec<LeaseRef> {
        let now = Instant::now();
        let mut old: Vec<&mut HeldJob> =
            self.0.values_mut().filter(|held| now.duration_since(held.since) >= age).collect();
        old.sort_unstable_by_key(|held| held.looked_at);
        old.truncate(LOOKED_AT_ONCE);
        let look = |held: &mut HeldJob| {
            held.looked_at = now;
            held.lease
        };
        old.into_iter().map(look).collect()
    }
}

/// Which of these leases hold no more, and why.
pub(super) async fn lost(
    engine: &Engine,
    caller: &Caller,
    leases: &[LeaseRef],
) -> Result<Vec<Lost>, EngineError> {
    if leases.is_empty() {
        return Ok(Vec::new());
    }
    let ended = engine.ended_leases(leases).await?;
    if ended.is_empty() {
        return Ok(Vec::new());
    }
    // Nothing is renewed that has ended: the answer says why.
    let asked = ended.iter().map(|lease| LeaseExtension { lease: *lease, extend: None, progress: None });
    let answers = engine.heartbeat(caller, asked.collect()).await?;
    let lost = ended.into_iter().zip(answers).filter_map(|(lease, answer)| match answer {
        Ok(answer @ (LeaseAnswer::Cancelled | LeaseAnswer::LeaseLost)) => {
            Some(Lost { lease, reason: answer.as_str() })
        }
        _ => None,
    });
    Ok(lost.collect())
}

/// Offers, the oldest first.
#[derive(Default)]
pub(super) struct Offers(Vec<Group>);

/// What was offered together.
struct Group {
    receipt: PollReceipt,
    until: Instant,
}

impl Offers {
    /// Keeps an offer for so long.
    pub(super) fn add(&mut self, receipt: PollReceipt, within: Duration) {
        self.0.push(Group { receipt, until: Instant::now() + within });
    }

    /// The worker has this job.
    pub(super) fn received(&mut self, id: JobId) -> Option<LeaseRef> {
        let (place, lease) = self
            .0
            .iter_mut()
            .enumerate()
            .find_map(|(place, group)| Some((place, group.receipt.received(id)?)))?;
        if self.0[place].receipt.unconfirmed().next().is_none() {
            self.0.remove(place);
        }
        Some(lease)
    }

    /// When the first of them goes back.
    pub(super) fn until(&self) -> Option<Instant> {
        self.0.iter().map(|group| group.until).min()
    }

    /// Gives back those whose time is up.
    pub(super) fn give_back_late(&mut self, now: Instant) -> Vec<JobId> {
        let mut late = Vec::new();
        self.0.retain(|group| {
            let is_late = group.until <= now;
            if is_late {
                late.extend(group.receipt.unconfirmed());
            }
            // Dropped, a receipt gives back what is left of it.
            !is_late
        });
        late
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use domain::id::LeaseToken;

    use super::*;

    #[test]
    fn each_job_of_many_is_looked_at() {
        let mut held = Held::default();
        for number in 0..2_500 {
            let token = LeaseToken::parse(&format!("{number:032x}")).expect("it is one");
            held.add(LeaseRef { id: JobId::from_uuid(token.0), token });
        }
        assert!(held.look_at(Duration::from_hours(1)).is_empty(), "they just came");
        let looks: Vec<Vec<LeaseRef>> = (0..3).map(|_| held.look_at(Duration::ZERO)).collect();
        assert!(looks.iter().all(|look| look.len() == LOOKED_AT_ONCE));
        let seen: HashSet<JobId> = looks.into_iter().flatten().map(|lease| lease.id).collect();
        assert_eq!(seen.len(), 2_500);
    }
}
