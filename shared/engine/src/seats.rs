//! How many requests wait in this process, and under how many names workers poll: bounded by key and by tenant, so that
//! one cannot make the others pay for its long polls.

mod take;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use domain::names::{TenantName, WorkerId};
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;

use crate::caller::Caller;

/// Names of workers count for so long after they were last seen.
const WORKER_SILENCE_MAX: DurationMs = DurationMs::from_secs(600);
/// From so many owners on, those without a name that counts are forgotten.
const OWNERS_SWEPT_FROM: usize = 1_000;

/// What a request waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Waiting {
    /// Jobs, by a long poll.
    Poll,
    /// Changes, as a stream of events.
    Stream,
    /// The end of an execution or a job.
    End,
}

/// How many may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingBound {
    /// Of one key.
    pub per_key: u32,
    /// Of all keys of a tenant.
    pub per_tenant: u32,
}

/// How many requests may wait in each process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingPolicy {
    /// Long polls.
    pub polls: WaitingBound,
    /// Event streams.
    pub streams: WaitingBound,
    /// Requests that wait for an end.
    pub ends: WaitingBound,
    /// Worker ids under which somebody polled within ten minutes.
    pub workers: WaitingBound,
}

impl Default for WaitingPolicy {
    fn default() -> Self {
        let bound = |per_key| WaitingBound { per_key, per_tenant: 2 * per_key };
        Self { polls: bound(2_000), streams: bound(200), ends: bound(1_000), workers: bound(2_000) }
    }
}

impl WaitingPolicy {
    const fn of(&self, waiting: Waiting) -> WaitingBound {
        match waiting {
            Waiting::Poll => self.polls,
            Waiting::Stream => self.streams,
            Waiting::End => self.ends,
        }
    }
}

impl Waiting {
    const fn plural(self) -> &'static str {
        match self {
            Self::Poll => "long polls",
            Self::Stream => "event streams",
            Self::End => "requests that wait for an end",
        }
    }
}

/// For whom is counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Owner {
    Key(String),
    Tenant(TenantName),
}

impl Owner {
    const fn noun(&self) -> &'static str {
        match self {
            Self::Key(_) => "key",
            Self::Tenant(_) => "tenant",
        }
    }
}

/// The owners of a caller's request, each with its bound.
fn owners(caller: &Caller, bound: WaitingBound) -> Vec<(Owner, u32)> {
    let key = (Owner::Key(caller.actor.clone()), bound.per_key);
    let tenant = caller.scope.tenant().map(|tenant| (Owner::Tenant(tenant.clone()), bound.per_tenant));
    [Some(key), tenant].into_iter().flatten().collect()
}

/// Who waits for what.
#[derive(Debug, Default)]
pub(crate) struct Seats(Mutex<HashMap<(Waiting, Owner), u32>>);

/// A place among those who wait, until this is dropped.
#[derive(Debug)]
pub struct Seat {
    seats: Arc<Seats>,
    waiting: Waiting,
    owners: Vec<Owner>,
}

impl Seats {
    fn take(self: &Arc<Self>, waiting: Waiting, owners: Vec<(Owner, u32)>) -> Result<Seat, (Owner, u32)> {
        let mut taken = self.0.lock();
        let count = |owner: &Owner| taken.get(&(waiting, owner.clone())).copied().unwrap_or_default();
        if let Some(full) = owners.iter().find(|(owner, bound)| count(owner) >= *bound) {
            return Err(full.clone());
        }
        let owners: Vec<Owner> = owners.into_iter().map(|(owner, _)| owner).collect();
        for owner in &owners {
            *taken.entry((waiting, owner.clone())).or_default() += 1;
        }
        Ok(Seat { seats: Arc::clone(self), waiting, owners })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.0.lock();
        for owner in self.owners.drain(..) {
            if let Entry::Occupied(mut count) = taken.entry((self.waiting, owner)) {
                *count.get_mut() -= 1;
                if *count.get() == 0 {
                    count.remove();
                }
            }
        }
    }
}

/// The names under which workers poll, and when each was last seen.
#[derive(Debug, Default)]
pub(crate) struct WorkerNames(Mutex<HashMap<Owner, HashMap<WorkerId, Timestamp>>>);

impl WorkerNames {
    /// Records a name, unless an owner has as many as it may have.
    fn show(&self, owners: Vec<(Owner, u32)>, id: &WorkerId, now: Timestamp) -> Result<(), (Owner, u32)> {
        let counts = |seen: &Timestamp| now.since(*seen) < WORKER_SILENCE_MAX;
        let mut names = self.0.lock();
        for (owner, bound) in &owners {
            let Some(own) = names.get_mut(owner) else { continue };
            if own.contains_key(id) || own.len() < *bound as usize {
                continue;
            }
            own.retain(|_, seen| counts(seen));
            if own.len() >= *bound as usize {
                return Err((owner.clone(), *bound));
            }
        }
        if names.len() >= OWNERS_SWEPT_FROM {
            names.retain(|_, own| own.values().any(counts));
        }
        for (owner, _) in owners {
            let own = names.entry(owner).or_default();
            match own.get_mut(id) {
                Some(seen) => *seen = now,
                None => {
                    own.insert(id.clone(), now);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use domain::access::TenantScope;

    use super::*;

    fn of(actor: &str, tenant: Option<&str>) -> Caller {
        let scope = tenant.map_or(TenantScope::All, |name| TenantScope::One(TenantName::trusted(name)));
        Caller { actor: actor.to_owned(), scope, ..Caller::system() }
    }

    const BOUND: WaitingBound = WaitingBound { per_key: 2, per_tenant: 3 };

    #[test]
    fn keys_and_tenants_have_as_many_seats_as_they_may() {
        let seats = Arc::new(Seats::default());
        let take = |actor: &str, tenant| seats.take(Waiting::Poll, owners(&of(actor, tenant), BOUND));
        let mut held = vec![take("a", Some("acme")), take("a", Some("acme"))];
        assert!(held.iter().all(Result::is_ok));
        assert_eq!(
            take("a", Some("acme")).err().map(|(owner, bound)| (owner.noun(), bound)),
            Some(("key", 2))
        );
        held.push(take("b", Some("acme")));
        let full = take("b", Some("acme")).err().map(|(owner, bound)| (owner.noun(), bound));
        assert_eq!(full, Some(("tenant", 3)));
        assert!(take("c", Some("umbrella")).is_ok() && take("d", None).is_ok(), "others have theirs");
        assert!(seats.take(Waiting::Stream, owners(&of("a", Some("acme")), BOUND)).is_ok());
        held.pop();
        assert!(take("b", Some("acme")).is_ok());
        drop(held);
        assert!(seats.0.lock().is_empty(), "nothing is kept of those who left");
    }

    #[test]
    fn names_of_workers_are_bounded_and_forgotten() {
        let names = WorkerNames::default();
        let show = |id: &str, at: i64| {
            names.show(owners(&of("a", Some("acme")), BOUND), &WorkerId::trusted(id), Timestamp(at)).is_ok()
        };
        assert!(show("one", 0) && show("two", 0) && show("one", 1_000));
        assert!(!show("three", 2_000));
        let later = WORKER_SILENCE_MAX.0 + 500;
        assert!(show("three", later), "two fell silent");
        assert!(!show("four", later), "one was seen since");
    }
}
