//! The room that the bodies of all doors have together, and who has how much of it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bodies up to this size are not counted: that many bytes each connection has in its buffers anyway.
const UNCOUNTED_BYTES_MAX: usize = 4 * 1024;

/// Room in bytes. Cheap to share.
///
/// An owner may take as much as is left for others then: a single one gets half of the room, two get a third each. So
/// there is always some for a newcomer, and nothing is set apart for those who do not come.
#[derive(Debug)]
pub(crate) struct BodyRoom {
    bytes_max: usize,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    all: usize,
    by_owner: HashMap<String, usize>,
}

/// What one request takes of the room, until this is dropped.
#[derive(Debug)]
pub(crate) struct BodyShare {
    room: Arc<BodyRoom>,
    /// The key, or the address of those who have none.
    owner: String,
    bytes: Mutex<usize>,
}

impl BodyRoom {
    pub(crate) fn new(bytes_max: usize) -> Arc<Self> {
        Arc::new(Self { bytes_max, used: Mutex::default() })
    }

    /// A share for a request of `owner`; empty at first.
    pub(crate) fn share(self: &Arc<Self>, owner: String) -> Arc<BodyShare> {
        Arc::new(BodyShare { room: Arc::clone(self), owner, bytes: Mutex::default() })
    }

    fn take(&self, owner: &str, bytes: usize) -> bool {
        let mut used = lock(&self.used);
        let free = self.bytes_max.saturating_sub(used.all);
        let own = used.by_owner.get(owner).copied().unwrap_or_default();
        if bytes > free || own > 0 && own + bytes > free - bytes {
            return false;
        }
        used.all += bytes;
        match used.by_owner.get_mut(owner) {
            Some(own) => *own += bytes,
            None => {
                used.by_owner.insert(owner.to_owned(), bytes);
            }
        }
        true
    }

    fn give_back(&self, owner: &str, bytes: usize) {
        let mut used = lock(&self.used);
        used.all -= bytes;
        if let Entry::Occupied(mut own) = used.by_owner.entry(owner.to_owned()) {
            *own.get_mut() -= bytes;
            if *own.get() == 0 {
                own.remove();
            }
        }
    }

    /// How many bytes are taken.
    #[cfg(test)]
    pub(crate) fn used(&self) -> usize {
        lock(&self.used).all
    }
}

impl BodyShare {
    /// Whether there is room for a body of so many bytes; if so, it is taken. What was taken for the same body before counts.
    pub(crate) fn grow_to(&self, bytes: usize) -> bool {
        let mut taken = lock(&self.bytes);
        if bytes <= UNCOUNTED_BYTES_MAX || bytes <= *taken {
            return true;
        }
        let has_room = self.room.take(&self.owner, bytes - *taken);
        if has_room {
            *taken = bytes;
        }
        has_room
    }

    /// Gives the room back: the body was worked on, and the request goes on without it.
    pub(crate) fn release(&self) {
        let bytes = std::mem::take(&mut *lock(&self.bytes));
        if bytes > 0 {
            self.room.give_back(&self.owner, bytes);
        }
    }
}

impl Drop for BodyShare {
    fn drop(&mut self) {
        self.release();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing is left half done by a panic while it is locked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1024;

    #[test]
    fn nobody_takes_what_others_need() {
        let room = BodyRoom::new(120 * KIB);
        let greedy: Vec<_> = (0..20).map(|_| room.share("greedy".to_owned())).collect();
        let fit = greedy.iter().filter(|share| share.grow_to(10 * KIB)).count();
        assert_eq!(fit, 6, "half of the room");
        let other: Vec<_> = (0..20).map(|_| room.share("other".to_owned())).collect();
        let fit = other.iter().filter(|share| share.grow_to(10 * KIB)).count();
        assert_eq!(fit, 3, "half of what was left");
        assert!(room.share("third".to_owned()).grow_to(10 * KIB), "and there is some for others still");
        assert!(!greedy[19].grow_to(10 * KIB));
        drop((greedy, other));
        assert_eq!((room.used(), lock(&room.used).by_owner.len()), (0, 0));
    }

    #[test]
    fn a_first_body_may_be_large_and_is_counted_once() {
        let room = BodyRoom::new(100 * KIB);
        let share = room.share("one".to_owned());
        assert!(share.grow_to(80 * KIB) && share.grow_to(80 * KIB) && share.grow_to(10 * KIB));
        assert_eq!(room.used(), 80 * KIB);
        assert!(!room.share("two".to_owned()).grow_to(30 * KIB), "there is no room at all");
        share.release();
        assert_eq!(room.used(), 0);
        assert!(room.share("two".to_owned()).grow_to(30 * KIB));
        let small: Vec<_> = (0..1_000).map(|_| room.share("many".to_owned())).collect();
        assert!(small.iter().all(|share| share.grow_to(KIB)), "small ones are not counted");
    }
}
