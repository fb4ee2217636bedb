//! The order in which events are looked at that came before a wait was stored: of those before the wait began the newest
//! first, then those since, the oldest first.

use std::collections::BTreeMap;

use crate::id::DeliveryId;

/// How far a look has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LookPosition {
    /// Nothing was looked at.
    #[default]
    Beginning,
    /// Of those before the wait, this one and those that came later were.
    Before(DeliveryId),
    /// All before the wait were, and of those since this one and those that came earlier.
    Since(Option<DeliveryId>),
}

impl LookPosition {
    /// Whether one that came before the wait is still to be looked at.
    pub fn is_before_left(self, id: DeliveryId) -> bool {
        match self {
            Self::Beginning => true,
            Self::Before(last) => id < last,
            Self::Since(_) => false,
        }
    }
}

/// Pages of ids, of one type of events each, as one list.
#[derive(Debug)]
pub struct EventPages<T> {
    limit: usize,
    /// The last one that is in all pages: of later ones some may be missing.
    reach: Option<DeliveryId>,
    all: BTreeMap<DeliveryId, T>,
}

impl<T: Copy> EventPages<T> {
    /// Without pages. A page with `limit` ids has one behind it.
    pub const fn new(limit: usize) -> Self {
        Self { limit, reach: None, all: BTreeMap::new() }
    }

    /// Adds a page, the oldest first.
    pub fn add(&mut self, page: &[DeliveryId], of: T) {
        if page.len() >= self.limit
            && let Some(last) = page.last()
        {
            self.reach = Some(self.reach.map_or(*last, |reach| reach.min(*last)));
        }
        self.all.extend(page.iter().map(|id| (*id, of)));
    }

    /// Those that can be looked at, the oldest first, and whether there are later ones.
    pub fn in_order(self) -> (Vec<(DeliveryId, T)>, bool) {
        let reach = self.reach;
        let within = self.all.into_iter().filter(|(id, _)| reach.is_none_or(|reach| *id <= reach));
        (within.collect(), reach.is_some())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn id(number: u128) -> DeliveryId {
        DeliveryId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn pages_are_read_as_far_as_all_of_them_reach() {
        let mut pages = EventPages::new(2);
        pages.add(&[id(1), id(5)], 'a');
        pages.add(&[id(2), id(3)], 'b');
        pages.add(&[id(9)], 'c');
        assert_eq!(pages.in_order(), (vec![(id(1), 'a'), (id(2), 'b'), (id(3), 'b')], true));
        let mut last = EventPages::new(2);
        last.add(&[id(5)], 'a');
        last.add(&[], 'b');
        assert_eq!(last.in_order(), (vec![(id(5), 'a')], false));
    }

    /// Whatever is looked at in however many parts, each event is looked at once and in order.
    #[test]
    fn a_look_that_goes_on_leaves_none_out() {
        for limit in 1..5 {
            let (paid, lost) = ([1, 4, 5, 6, 9].map(id), [2, 3, 7].map(id));
            let (mut seen, mut position) = (Vec::new(), None);
            loop {
                let mut pages = EventPages::new(limit);
                for ids in [&paid[..], &lost[..]] {
                    let behind = ids.iter().copied().filter(|id| position.is_none_or(|last| *id > last));
                    pages.add(&behind.take(limit).collect::<Vec<_>>(), ());
                }
                let (page, has_more) = pages.in_order();
                position = page.last().map(|(id, ())| *id).or(position);
                seen.extend(page.into_iter().map(|(id, ())| id));
                if !has_more {
                    break;
                }
            }
            assert_eq!(seen, [1, 2, 3, 4, 5, 6, 7, 9].map(id), "pages of {limit}");
        }
    }

    #[test]
    fn of_those_before_the_wait_the_newest_come_first() {
        let left = |position: LookPosition| position.is_before_left(id(5));
        assert!(left(LookPosition::Beginning) && left(LookPosition::Before(id(6))));
        assert!(!left(LookPosition::Before(id(5))) && !left(LookPosition::Since(None)));
    }
}
