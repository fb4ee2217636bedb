//! What a relay knows of its offers: which stand, which the broker has, and how many of each type were accepted lately.
//!
//! It is compared with the store at each look. An offer that is gone before its end was accepted, settled or cancelled: the
//! type goes on, and may have more. One that is gone after its end came back. One that the relay does not know is of a relay
//! before it, and is published again.

use std::collections::HashMap;

use crate::id::{JobId, LeaseToken};
use crate::names::JobType;
use crate::time::Timestamp;

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
    is_published: bool,
}

/// The offers of a relay.
#[derive(Debug, Default)]
pub struct OfferBook {
    known: HashMap<JobId, Known>,
    standing: HashMap<JobType, u64>,
    accepted: HashMap<JobType, AcceptedLately>,
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
        *self.standing.entry(job_type.clone()).or_default() += 1;
        self.known.insert(id, Known { token, job_type, until, is_published: false });
    }

    /// Whether the offer stands as far as the relay knows.
    pub fn holds(&self, id: JobId, token: LeaseToken) -> bool {
        self.known.get(&id).is_some_and(|known| known.token == token)
    }

    /// The broker has it.
    pub fn published(&mut self, id: JobId, token: LeaseToken) {
        if let Some(known) = self.known.get_mut(&id).filter(|known| known.token == token) {
            known.is_published = true;
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
            if let Some(known) = self.known.get(&id)
                && known.until > now
            {
                self.accepted.entry(known.job_type.clone()).or_default().add(1, now);
            }
            self.forget(id);
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

    /// Offers that the broker does not have and that end before an instant.
    pub fn to_keep(&self, before: Timestamp) -> Vec<(JobId, LeaseToken)> {
        let ends = |(id, known): (&JobId, &Known)| {
            (!known.is_published && known.until < before).then_some((*id, known.token))
        };
        self.known.iter().filter_map(ends).collect()
    }

    /// The room of a type under a window.
    pub fn room(&mut self, job_type: &JobType, window: u64, now: Timestamp) -> Room {
        let accepted = self.accepted.get_mut(job_type).map_or(0, |lately| lately.count(now));
        let standing = self.standing.get(job_type).copied().unwrap_or_default();
        Room { job_type: job_type.clone(), allowance: allowance(window, accepted), standing }
    }

    /// Forgets types of which nothing stands and nothing was accepted lately.
    pub fn tidy(&mut self, now: Timestamp) {
        self.standing.retain(|_, count| *count > 0);
        self.accepted.retain(|_, lately| lately.count(now) > 0);
    }

    /// Forgets all offers, as when shards are lost: the relay that has them now publishes what stands.
    pub fn clear(&mut self) {
        self.known.clear();
        self.standing.clear();
    }

    fn forget(&mut self, id: JobId) {
        if let Some(known) = self.known.remove(&id)
            && let Some(count) = self.standing.get_mut(&known.job_type)
        {
            *count = count.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
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
}
