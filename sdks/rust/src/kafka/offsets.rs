//! Which messages of a consumer are over, and up to where its partitions may be committed.

use std::collections::{BTreeSet, HashMap};

/// A partition of a topic.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) topic: String,
    pub(super) partition: i32,
}

/// Offsets by partition.
pub(super) type Positions = Vec<(Place, i64)>;

#[derive(Debug, Default)]
struct Known {
    open: BTreeSet<i64>,
    next: i64,
    committed: Option<i64>,
}

/// What was received of each partition. A message is over once its job is settled, given back or not this worker's; only what
/// lies before the first message that is not over may be committed.
#[derive(Debug, Default)]
pub(super) struct Offsets(HashMap<Place, Known>);

impl Offsets {
    pub(super) fn received(&mut self, place: &Place, offset: i64) {
        let known = self.0.entry(place.clone()).or_default();
        known.open.insert(offset);
        known.next = known.next.max(offset + 1);
    }

    pub(super) fn has(&self, place: &Place, offset: i64) -> bool {
        self.0.get(place).is_some_and(|known| known.open.contains(&offset))
    }

    /// Of a partition that was taken away, nothing is known any more.
    pub(super) fn over(&mut self, place: &Place, offset: i64) {
        if let Some(known) = self.0.get_mut(place) {
            known.open.remove(&offset);
        }
    }

    pub(super) fn forget(&mut self, places: &[Place]) {
        for place in places {
            self.0.remove(place);
        }
    }

    /// What to commit of the partitions where that has moved.
    pub(super) fn to_commit(&self) -> Positions {
        let moved = |(place, known): (&Place, &Known)| {
            let offset = known.open.first().copied().unwrap_or(known.next);
            known.committed.is_none_or(|committed| offset > committed).then(|| (place.clone(), offset))
        };
        self.0.iter().filter_map(moved).collect()
    }

    pub(super) fn committed(&mut self, positions: &Positions) {
        for (place, offset) in positions {
            if let Some(known) = self.0.get_mut(place) {
                known.committed = Some(*offset);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_over_is_committed() {
        let place = Place { topic: "t".to_owned(), partition: 0 };
        let mut offsets = Offsets::default();
        for offset in 5..9 {
            offsets.received(&place, offset);
        }
        let at = |offset| vec![(place.clone(), offset)];
        offsets.over(&place, 6);
        assert_eq!(offsets.to_commit(), at(5), "the fifth runs");
        offsets.over(&place, 5);
        assert_eq!(offsets.to_commit(), at(7));
        offsets.committed(&at(7));
        assert!(offsets.to_commit().is_empty());
        offsets.over(&place, 7);
        offsets.over(&place, 8);
        assert_eq!(offsets.to_commit(), at(9));
        offsets.forget(std::slice::from_ref(&place));
        offsets.over(&place, 8);
        assert!(offsets.to_commit().is_empty() && !offsets.has(&place, 8));
    }
}
