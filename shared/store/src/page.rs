//! Lists, newest first, by cursor.

use uuid::Uuid;

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// How many at most.
    pub limit: u32,
    /// Only what comes after (is older than) this id.
    pub after: Option<Uuid>,
}

/// Part of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// The items, newest first.
    pub items: Vec<T>,
    /// The cursor of the next part; `None` at the end.
    pub next: Option<Uuid>,
}

impl<T> Page<T> {
    /// Makes a page of rows that were read with a limit one above the one asked for.
    pub fn cut(mut items: Vec<T>, limit: u32, id_of: impl Fn(&T) -> Uuid) -> Self {
        let limit = limit as usize;
        if items.len() > limit {
            items.truncate(limit);
            let next = items.last().map(id_of);
            Self { items, next }
        } else {
            Self { items, next: None }
        }
    }
}

/// Where an object stands in the order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The instant by which the list is ordered; 0 where that is when its objects were made, as ids are in that order.
    pub at: i64,
    /// Its id; of slots and user tasks their number, and of workers what their tenant and name give.
    pub id: Uuid,
}
