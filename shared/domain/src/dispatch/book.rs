//! What a relay knows of its offers: which stand, which the broker has, and how many of each type were accepted lately.
//!
//! It learns in two ways what became of them. From time to time it is compared with all that stands in the store: an offer
//! there that it does not know is of a relay before it, and is published again. In between it asks about the offers of types
//! that wait for room ([`walk`](OfferBook::walk)). An offer that is gone before its end was accepted, settled or cancelled: the
//! type goes on, and may have more. One that is gone after its end came back.

use std::collections::{HashMap, HashSet};

use crate::id::{JobId, LeaseToken};
use crate::names::JobType;
use crate::time::Timestamp;

use super::published::{Published, Walk};
use super::window::{AcceptedLately, Room, allowance};

/// An offer as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The job.
    pub id: JobId,
    /// The token of the offer.
    pub token: LeaseToken,
    /// The type of the job.
    pub job_type: JobType,
    /// When the offer ends.
    pub until: Timestamp,
}

/// An offer that the relay knows.
#[derive(Debug, Clone)]
struct Known {
    token: LeaseToken,
    job_type: JobType,
    until: Timestamp,
    /// Its place among those that the broker has, where it is one of them.
    place: Option<u64>,
}

/// The offers of a type.
#[derive(Debug, Default)]
struct OfType {
    standing: u64,
    published: Published,
    accepted: AcceptedLately,
}

/// The offers of a relay.
#[derive(Debug, Default)]
pub struct OfferBook {
    known: HashMap<JobId, Known>,
    unpublished: HashSet<JobId>,
    types: HashMap<JobType, OfType>,
}

impl OfferBook {
    /// How many offers stand.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether no offer stands.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Adds an offer that is not published yet.
    pub fn add(&mut self, offer: Standing) {
        let Standing { id, token, job_type, until } = offer;
        self.forget(id);
        self.types.entry(job_type.clone()).or_default().standing += 1;
        self.unpublished.insert(id);
        self.known.insert(id, Known { token, job_type, until, place: None });
    }

    /// Whether the offer stands as far as the relay knows.
    pub fn holds(&self, id: JobId, token: LeaseToken) -> bool {
        self.known.get(&id).is_some_and(|known| known.token == token)
    }

    /// The broker has it.
    pub fn published(&mut self, id: JobId, token: LeaseToken) {
        let Some(known) = self.known.get_mut(&id).filter(|known| known.token == token) else {
            return;
        };
        if known.place.is_none()
            && let Some(of_type) = self.types.get_mut(&known.job_type)
        {
            known.place = Some(of_type.published.push(id));
            self.unpublished.remove(&id);
        }
    }

    /// It ended, or ends at another instant.
    pub fn moved(&mut self, id: JobId, token: LeaseToken, until: Option<Timestamp>) {
        if !self.holds(id, token) {
            return;
        }
        match until {
            Some(until) => {
                if let Some(known) = self.known.get_mut(&id) {
                    known.until = until;
                }
            }
            None => self.forget(id),
        }
    }

    /// Compares with what stands in the store now. Answers the offers that it does not know.
    pub fn compare(&mut self, standing: &[Standing], now: Timestamp) -> Vec<Standing> {
        let mut there: HashMap<JobId, &Standing> = HashMap::with_capacity(standing.len());
        there.extend(standing.iter().map(|offer| (offer.id, offer)));
        let is_gone = |(id, known): (&JobId, &Known)| {
            let stands = there.get(id).is_some_and(|offer| offer.token == known.token);
            (!stands).then_some(*id)
        };
        let gone: Vec<JobId> = self.known.iter().filter_map(is_gone).collect();
        for id in gone {
            self.gone(id, now);
        }
        let mut unknown = Vec::new();
        for offer in standing {
            match self.known.get_mut(&offer.id) {
                Some(known) => known.until = offer.until,
                // It would end before anybody could take it.
                None if offer.until <= now => {}
                None => unknown.push(offer.clone()),
            }
        }
        unknown
    }

    /// Of these types those that have room for less than half of what may stand, so that it matters what was taken of them.
    /// Those of which some were taken lately come first.
    pub fn short_of_room(&mut self, types: &[JobType], window: u64, now: Timestamp) -> Vec<JobType> {
        let mut short: Vec<JobType> = types.to_vec();
        short.retain(|job_type| {
            let room = self.room(job_type, window, now);
            room.left() * 2 < room.allowance
        });
        short.sort_by_cached_key(|job_type| {
            self.types.get_mut(job_type).is_none_or(|of_type| of_type.accepted.count(now) == 0)
        });
        short
    }

    /// A walk through the offers of a type that the broker has.
    pub fn walk(&mut self, job_type: &JobType) -> Walk {
        self.types.entry(job_type.clone()).or_default().published.walk(job_type.clone())
    }

    /// About which offers a walk asks next, at most so many. None where it is over.
    pub fn to_ask(&self, walk: &Walk, most: usize) -> Vec<(JobId, LeaseToken)> {
        let Some(of_type) = self.types.get(&walk.job_type) else {
            return Vec::new();
        };
        let ids = of_type.published.chunk(walk, most);
        ids.filter_map(|id| self.known.get(&id).map(|known| (id, known.token))).collect()
    }

    /// What a walk was answered: which of the offers stand, in order. Answers how many are gone.
    pub fn answered(
        &mut self,
        walk: &mut Walk,
        asked: &[(JobId, LeaseToken)],
        stand: &[bool],
        now: Timestamp,
    ) -> usize {
        let (mut behind, mut gone, mut standing) = (0, 0, Vec::new());
        for (&(id, token), &stands) in asked.iter().zip(stand) {
            let Some(place) =
                self.known.get(&id).filter(|known| known.token == token).and_then(|one| one.place)
            else {
                continue;
            };
            behind = behind.max(place + 1);
            if stands {
                standing.push((id, place));
            } else {
                gone += 1;
                self.gone(id, now);
            }
        }
        let put_off = standing.into_iter().filter(|&(id, place)| self.put_off(id, place)).count();
        walk.step(behind, asked.len(), gone, put_off);
        gone
    }

    /// Offers that the broker does not have and that end before an instant.
    pub fn to_keep(&self, before: Timestamp) -> Vec<(JobId, LeaseToken)> {
        let ends = |id: &JobId| {
            let known = self.known.get(id)?;
            (known.until < before).then_some((*id, known.token))
        };
        self.unpublished.iter().filter_map(ends).collect()
    }

    /// The room of a type under a window.
    pub fn room(&mut self, job_type: &JobType, window: u64, now: Timestamp) -> Room {
        let of_type = self.types.get_mut(job_type);
        let (standing, accepted) =
            of_type.map_or((0, 0), |of_type| (of_type.standing, of_type.accepted.count(now)));
        Room { job_type: job_type.clone(), allowance: allowance(window, accepted), standing }
    }

    /// Forgets types of which nothing stands and nothing was accepted lately.
    pub fn tidy(&mut self, now: Timestamp) {
        self.types.retain(|_, of_type| of_type.standing > 0 || of_type.accepted.count(now) > 0);
    }

    /// Forgets all offers, as when shards are lost: the relay that has them now publishes what stands.
    pub fn clear(&mut self) {
        self.known.clear();
        self.unpublished.clear();
        for of_type in self.types.values_mut() {
            of_type.standing = 0;
            of_type.published.clear();
        }
    }

    /// An offer does not stand any more.
    fn gone(&mut self, id: JobId, now: Timestamp) {
        let Some(known) = self.known.get(&id) else {
            return;
        };
        if let Some(of_type) = self.types.get_mut(&known.job_type) {
            if known.until > now {
                of_type.accepted.add(1, now);
            }
            if let Some(place) = known.place {
                of_type.published.gone(place);
            }
        }
        self.forget(id);
    }

    /// Puts an offer that stands to the end where it was overtaken. Answers whether that is so.
    fn put_off(&mut self, id: JobId, place: u64) -> bool {
        let Some(known) = self.known.get_mut(&id) else {
            return false;
        };
        let moved = self.types.get_mut(&known.job_type).and_then(|of_type| of_type.published.put_off(place));
        known.place = moved.or(known.place);
        moved.is_some()
    }

    fn forget(&mut self, id: JobId) {
        let Some(known) = self.known.remove(&id) else {
            return;
        };
        self.unpublished.remove(&id);
        if let Some(of_type) = self.types.get_mut(&known.job_type) {
            of_type.standing = of_type.standing.saturating_sub(1);
            if let Some(place) = known.place {
                of_type.published.remove(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn offer(number: u128, until: i64) -> Standing {
        Standing {
            id: JobId::from_uuid(Uuid::from_u128(number)),
            token: LeaseToken(Uuid::from_u128(number + 1_000)),
            job_type: JobType::trusted("a"),
            until: Timestamp(until),
        }
    }

    #[test]
    fn what_is_accepted_widens_the_window_and_what_returns_does_not() {
        let (mut book, job_type) = (OfferBook::default(), JobType::trusted("a"));
        for number in 0..700 {
            book.add(offer(number, if number < 600 { 60_000 } else { 1_000 }));
        }
        assert_eq!(
            book.room(&job_type, 5_000, Timestamp(0)),
            Room { job_type: job_type.clone(), allowance: 500, standing: 700 }
        );
        assert!(book.compare(&[], Timestamp(2_000)).is_empty());
        let room = book.room(&job_type, 5_000, Timestamp(2_000));
        assert_eq!((room.allowance, room.standing), (600, 0), "a hundred came back");
        assert_eq!(book.room(&job_type, 5_000, Timestamp(7_000)).allowance, 500);
    }

    #[test]
    fn offers_of_a_relay_before_are_found_once() {
        let mut book = OfferBook::default();
        book.add(offer(1, 60_000));
        let standing = [offer(1, 61_000), offer(2, 60_000), offer(3, 10)];
        let unknown = book.compare(&standing, Timestamp(100));
        assert_eq!(unknown, [offer(2, 60_000)], "the third is about to come back");
        book.add(unknown[0].clone());
        assert!(book.compare(&standing, Timestamp(100)).is_empty());
        assert_eq!(book.to_keep(Timestamp(60_500)).len(), 1, "the first was kept by somebody");
        book.published(standing[1].id, standing[1].token);
        assert!(book.to_keep(Timestamp(60_500)).is_empty(), "what the broker has is not kept");
        // The same job under another token is another offer.
        let again = Standing { token: LeaseToken(Uuid::from_u128(9)), ..offer(1, 90_000) };
        assert_eq!(book.compare(std::slice::from_ref(&again), Timestamp(200)), [again]);
        assert!(book.is_empty());
    }

    /// Asks until the walk is over; answers how many are gone, and about how many it asked.
    fn walk(book: &mut OfferBook, stands: impl Fn(u128) -> bool, most: usize) -> (usize, usize) {
        let (mut gone, mut asked_in_all) = (0, 0);
        let mut walk = book.walk(&JobType::trusted("a"));
        loop {
            let asked = book.to_ask(&walk, most);
            if asked.is_empty() {
                return (gone, asked_in_all);
            }
            let stand: Vec<bool> = asked.iter().map(|(id, _)| stands(id.uuid().as_u128())).collect();
            asked_in_all += asked.len();
            gone += book.answered(&mut walk, &asked, &stand, Timestamp(1_000));
        }
    }

    fn publish(book: &mut OfferBook, numbers: std::ops::Range<u128>) {
        for number in numbers {
            let one = offer(number, 60_000);
            book.add(one.clone());
            book.published(one.id, one.token);
        }
    }

    #[test]
    fn a_walk_costs_what_was_taken_and_not_what_stands() {
        let (mut book, job_type) = (OfferBook::default(), JobType::trusted("a"));
        publish(&mut book, 0..5_000);
        book.add(offer(9_000, 60_000));
        let (gone, asked) = walk(&mut book, |number| number >= 2_000, 1_000);
        assert_eq!((gone, book.len()), (2_000, 3_001));
        assert!(asked <= 4_000, "{asked}");
        let (gone, asked) = walk(&mut book, |number| number >= 2_010, 1_000);
        assert_eq!(gone, 10);
        assert!(asked <= 512, "few are gone of the first chunk: {asked}");
        let (gone, asked) = walk(&mut book, |_| true, 1_000);
        assert_eq!(gone, 0);
        assert!(asked <= 512, "two chunks find out that nothing was taken: {asked}");
        let room = book.room(&job_type, 5_000, Timestamp(1_000));
        assert_eq!((room.allowance, room.standing), (2_010, 2_991), "what was taken widens the window");
        assert_eq!(
            walk(&mut book, |_| false, 1_000).0,
            2_990,
            "what the broker does not have is not asked about"
        );
    }

    /// A consumer that has the oldest stands still, and others go on.
    #[test]
    fn offers_that_nobody_takes_do_not_hide_those_that_are_taken() {
        let mut book = OfferBook::default();
        publish(&mut book, 0..5_000);
        let is_stuck = |number: u128| number < 1_500;
        assert!(walk(&mut book, is_stuck, 1_000).0 > 0, "the walk gets past the oldest");
        for _ in 0..20 {
            walk(&mut book, is_stuck, 1_000);
        }
        assert_eq!(book.len(), 1_500, "all others were found");
        publish(&mut book, 5_000..8_000);
        let rounds =
            (0..20).take_while(|_| walk(&mut book, is_stuck, 1_000).0 > 0 || book.len() > 1_500).count();
        assert!(rounds < 20, "and they are found behind new ones as well");
    }

    #[test]
    fn types_that_wait_for_room_are_asked_about() {
        let mut book = OfferBook::default();
        publish(&mut book, 0..300);
        let types = ["b", "a"].map(JobType::trusted);
        assert_eq!(book.short_of_room(&types, 5_000, Timestamp(0)), types[1..], "b has all its room");
        assert!(book.short_of_room(&types[1..], 5_000, Timestamp(0)).contains(&types[1]));
        assert_eq!(walk(&mut book, |number| number >= 200, 1_000).0, 200);
        assert!(book.short_of_room(&types, 5_000, Timestamp(1_000)).is_empty(), "a has room again");
        book.clear();
        let walk = book.walk(&types[1]);
        assert!(book.to_ask(&walk, 10).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Whatever is taken is found, and nothing else: by a few walks where it is the oldest, and in time wherever it is.
        #[test]
        fn walks_find_what_is_taken(taken in prop::collection::vec(any::<bool>(), 1..1_200), oldest in 0..600_u128) {
            let mut book = OfferBook::default();
            publish(&mut book, 0..taken.len() as u128);
            let stands = |number: u128| number >= oldest && !taken[number as usize];
            let standing = (0..taken.len() as u128).filter(|&number| stands(number)).count();
            for _ in 0..150 {
                walk(&mut book, stands, 1_000);
            }
            prop_assert_eq!(book.len(), standing);
        }
    }
}
