//! How many starts rates leave, as far as that is known.

use std::collections::HashMap;

use crate::rate::{Rate, RateSubject};

/// How many more starts fit, by subject. What is not known is asked for by the plan that needs it.
#[derive(Debug, Default, Clone)]
pub struct StartRooms {
    rooms: HashMap<RateSubject, u32>,
    /// Whether what is taken can be counted: under the lock of the queue.
    can_count: bool,
}

impl StartRooms {
    /// For a claim that counts what it takes.
    pub fn counting() -> Self {
        Self { rooms: HashMap::new(), can_count: true }
    }

    /// For a claim that cannot count, and has to know which of these subjects have no room for now.
    pub fn held(subjects: impl Iterator<Item = RateSubject>) -> Self {
        Self { rooms: subjects.map(|subject| (subject, 0)).collect(), can_count: false }
    }

    /// Says how many more starts fit.
    pub fn set(&mut self, subject: RateSubject, room: u32) {
        self.rooms.insert(subject, room);
    }

    /// How many more starts fit; `None` where that is not known.
    pub fn get(&self, subject: &RateSubject) -> Option<u32> {
        self.rooms.get(subject).copied()
    }

    /// Whether what is taken can be counted.
    pub(super) fn can_count(&self) -> bool {
        self.can_count
    }

    /// The room under a rate, and whether it is known. Without a rate there is no end of it.
    pub(super) fn room(&self, rate: Option<Rate>, subject: impl FnOnce() -> RateSubject) -> (u32, bool) {
        match rate {
            None => (u32::MAX, true),
            Some(_) => match self.rooms.get(&subject()) {
                Some(&room) => (room, true),
                None => (u32::MAX, false),
            },
        }
    }
}
