//! How many connections are open, in all and for each address, and which of them are only asked to retry.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use api::TrustedProxies;

/// How many connections of one address are asked to retry at one time; more are closed.
const REFUSED_PER_ADDRESS_MAX: usize = 4;

/// How many connections may be open.
#[derive(Debug, Clone)]
pub(in crate::serve) struct CapOptions {
    /// Those that are served.
    pub(in crate::serve) live: LiveCaps,
    /// Beyond them: those that are asked to retry, and may ask for health.
    pub(in crate::serve) refused_max: usize,
    /// Addresses that call for many others, and are bounded by `served_max` only.
    pub(in crate::serve) proxies: TrustedProxies,
}

/// Bounds that can be changed while connections are served; those that are open stay. Clones are the same bounds, and the
/// connections of all listeners that have them count together.
#[derive(Debug, Clone)]
pub(in crate::serve) struct LiveCaps(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    served_max: AtomicUsize,
    per_address_max: AtomicUsize,
    open: Mutex<Open>,
}

impl LiveCaps {
    /// How many connections are served, and how many of each source address; IPv6 counts by /64.
    pub(in crate::serve) fn new(served_max: usize, per_address_max: usize) -> Self {
        let [served_max, per_address_max] = [served_max, per_address_max].map(AtomicUsize::new);
        Self(Arc::new(Shared { served_max, per_address_max, open: Mutex::default() }))
    }

    /// Other bounds from the next connection on.
    pub(in crate::serve) fn set(&self, served_max: usize, per_address_max: usize) {
        self.0.served_max.store(served_max, Ordering::Relaxed);
        self.0.per_address_max.store(per_address_max, Ordering::Relaxed);
    }

    fn served_max(&self) -> usize {
        self.0.served_max.load(Ordering::Relaxed)
    }

    fn per_address_max(&self) -> usize {
        self.0.per_address_max.load(Ordering::Relaxed)
    }
}

/// What becomes of a connection.
#[derive(Debug)]
pub(super) enum Admission {
    /// It is served, for as long as the place is held.
    Served(Place),
    /// It is asked to retry.
    Refused(Place),
    /// It is closed.
    Closed,
}

/// The connections of a listener.
#[derive(Debug)]
pub(super) struct Caps {
    options: CapOptions,
}

#[derive(Debug, Default)]
struct Open {
    all: Counts,
    by_address: HashMap<IpAddr, Counts>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    served: usize,
    refused: usize,
}

/// A connection that is open until this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    caps: Arc<Caps>,
    address: IpAddr,
    is_served: bool,
}

impl Caps {
    pub(super) fn new(options: CapOptions) -> Arc<Self> {
        Arc::new(Self { options })
    }

    /// Decides about a connection from an address, and counts it.
    pub(super) fn admit(self: &Arc<Self>, peer: IpAddr) -> Admission {
        let options = &self.options;
        let is_proxy = options.proxies.trusts(peer.to_canonical());
        let address = subscriber(peer);
        let mut open = self.open();
        let own = open.by_address.get(&address).copied().unwrap_or_default();
        let is_served = open.all.served < options.live.served_max()
            && (is_proxy || own.served < options.live.per_address_max());
        let is_refused =
            open.all.refused < options.refused_max && (is_proxy || own.refused < REFUSED_PER_ADDRESS_MAX);
        if !is_served && !is_refused {
            return Admission::Closed;
        }
        open.all.add(is_served);
        open.by_address.entry(address).or_default().add(is_served);
        drop(open);
        let place = Place { caps: Arc::clone(self), address, is_served };
        if is_served { Admission::Served(place) } else { Admission::Refused(place) }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // Nothing is left half done by a panic while it is locked.
        self.options.live.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    const fn add(&mut self, is_served: bool) {
        if is_served {
            self.served += 1;
        } else {
            self.refused += 1;
        }
    }

    const fn remove(&mut self, is_served: bool) {
        if is_served {
            self.served -= 1;
        } else {
            self.refused -= 1;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.caps.open();
        open.all.remove(self.is_served);
        if let Entry::Occupied(mut own) = open.by_address.entry(self.address) {
            own.get_mut().remove(self.is_served);
            if own.get().served + own.get().refused == 0 {
                own.remove();
            }
        }
    }
}

/// Who is behind an address: an IPv6 subscriber has a whole /64 of them.
fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caps(proxies: &[&str]) -> Arc<Caps> {
        let proxies = TrustedProxies::parse(proxies.iter().copied()).expect("networks");
        Caps::new(CapOptions { live: LiveCaps::new(3, 2), refused_max: 5, proxies })
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn an_address_has_its_share_and_not_more() {
        let caps = caps(&[]);
        let mine = address("192.0.2.1");
        let held: Vec<Admission> = (0..7).map(|_| caps.admit(mine)).collect();
        let served = held.iter().filter(|one| matches!(one, Admission::Served(_))).count();
        let refused = held.iter().filter(|one| matches!(one, Admission::Refused(_))).count();
        assert_eq!((served, refused), (2, REFUSED_PER_ADDRESS_MAX));
        assert!(matches!(held.last(), Some(Admission::Closed)));
        let other = caps.admit(address("192.0.2.2"));
        assert!(matches!(other, Admission::Served(_)), "there is room for others");
        assert!(matches!(caps.admit(address("192.0.2.3")), Admission::Refused(_)), "all places are taken");
        drop((held, other));
        assert!(matches!(caps.admit(mine), Admission::Served(_)));
        assert!(caps.open().by_address.is_empty(), "nothing is kept of those who left");
    }

    #[test]
    fn listeners_with_the_same_bounds_count_together() {
        let rest = caps(&[]);
        let grpc = Caps::new(rest.options.clone());
        let held = [rest.admit(address("192.0.2.1")), grpc.admit(address("192.0.2.1"))];
        assert!(held.iter().all(|one| matches!(one, Admission::Served(_))));
        assert!(
            matches!(rest.admit(address("192.0.2.1")), Admission::Refused(_)),
            "the address has its share"
        );
        let other = grpc.admit(address("192.0.2.2"));
        assert!(matches!(rest.admit(address("192.0.2.3")), Admission::Refused(_)), "all places are taken");
        drop((held, other));
        assert!(matches!(rest.admit(address("192.0.2.1")), Admission::Served(_)));
    }

    #[test]
    fn bounds_change_for_those_who_come() {
        let caps = caps(&[]);
        let held: Vec<Admission> = (0..2).map(|_| caps.admit(address("192.0.2.1"))).collect();
        caps.options.live.set(1, 1);
        assert!(matches!(caps.admit(address("192.0.2.2")), Admission::Refused(_)));
        caps.options.live.set(9, 3);
        assert!(matches!(caps.admit(address("192.0.2.1")), Admission::Served(_)));
        drop(held);
    }

    #[test]
    fn one_subscriber_is_one_address_and_a_proxy_is_many() {
        let caps = caps(&["10.0.0.0/8"]);
        let one: Vec<Admission> =
            ["2001:db8::1", "2001:db8::2", "2001:db8::3"].map(|text| caps.admit(address(text))).into();
        assert!(matches!(one[..], [Admission::Served(_), Admission::Served(_), Admission::Refused(_)]));
        drop(one);
        let many: Vec<Admission> = (0..3).map(|_| caps.admit(address("::ffff:10.1.2.3"))).collect();
        assert!(many.iter().all(|one| matches!(one, Admission::Served(_))));
    }
}
