//! Where the jobs lie that this process leased, on SQLite: the end of a lease is written without looking for the row.
//!
//! They are kept under job and token: a report that names one job with the token of another finds nothing here. The
//! statement that goes by a place compares the token with the row's. So nothing here can be wrong, only missing.

use std::collections::HashMap;

use domain::queue::{LaneId, QueueName, Tier};
use domain::time::Timestamp;
use parking_lot::Mutex;
use store::jobs::{LeaseRef, SettledFacts};

/// From so many places on all are forgotten. Those of leases that end in other ways are left behind.
const PLACES_MAX: usize = 50_000;

/// A leased job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowPosition {
    pub(crate) position: i64,
    pub(crate) queue: QueueName,
    pub(crate) lane: LaneId,
    pub(crate) tier: Tier,
    pub(crate) created_at: Timestamp,
    pub(crate) started_at: Timestamp,
    pub(crate) traceparent: Option<String>,
}

impl RowPosition {
    /// What those want to know who measure.
    pub(crate) fn facts(&self, now: Timestamp) -> SettledFacts {
        SettledFacts {
            lane: self.lane,
            tier: self.tier,
            created_at: self.created_at,
            started_at: Some(self.started_at),
            settled_at: now,
            traceparent: self.traceparent.clone(),
        }
    }
}

/// Places by leases.
#[derive(Debug, Default)]
pub(crate) struct LeasedRowPositions(Mutex<HashMap<LeaseRef, RowPosition>>);

impl LeasedRowPositions {
    /// Keeps where jobs lie that are being leased.
    pub(crate) fn record(&self, leased: impl Iterator<Item = (LeaseRef, RowPosition)>) {
        let mut places = self.0.lock();
        if places.len() >= PLACES_MAX {
            places.clear();
        }
        places.extend(leased);
    }

    /// Takes out the places of these leases; `None` where that of any is not known.
    pub(crate) fn take(&self, leases: impl Iterator<Item = LeaseRef>) -> Option<Vec<RowPosition>> {
        let mut places = self.0.lock();
        let taken: Vec<Option<RowPosition>> = leases.map(|lease| places.remove(&lease)).collect();
        taken.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use domain::id::{JobId, LeaseToken};
    use uuid::Uuid;

    use super::*;

    fn lease(job: u128, token: u128) -> LeaseRef {
        LeaseRef { id: JobId::from_uuid(Uuid::from_u128(job)), token: LeaseToken(Uuid::from_u128(token)) }
    }

    fn own(number: u128) -> LeaseRef {
        lease(number, number)
    }

    fn place(position: i64) -> RowPosition {
        let (tier, created_at, started_at) = (Tier::High, Timestamp(1), Timestamp(2));
        let (queue, lane, traceparent) = (QueueName::Node, LaneId(1), None);
        RowPosition { position, queue, lane, tier, created_at, started_at, traceparent }
    }

    #[test]
    fn places_are_known_once_and_together() {
        let places = LeasedRowPositions::default();
        places.record((1..=3).map(|number| (own(number), place(number as i64))));
        assert_eq!(places.take([own(2), own(1)].into_iter()), Some(vec![place(2), place(1)]));
        assert_eq!(places.take([own(3), own(1)].into_iter()), None);
        assert_eq!(places.take([own(3)].into_iter()), None, "what was asked for is gone");
    }

    #[test]
    fn a_token_ends_no_other_job() {
        let places = LeasedRowPositions::default();
        places.record([(own(1), place(1)), (own(2), place(2))].into_iter());
        assert_eq!(places.take(std::iter::once(lease(1, 2))), None);
        assert_eq!(places.take(std::iter::once(own(2))), Some(vec![place(2)]));
    }

    #[test]
    fn places_do_not_grow_without_bound() {
        let places = LeasedRowPositions::default();
        for number in 0..=PLACES_MAX as u128 {
            places.record(std::iter::once((own(number), place(1))));
        }
        assert_eq!(places.0.lock().len(), 1);
    }
}
