//! The frame of every list.

use domain::id::{Id, Kind};
use domain::time::Timestamp;
use serde::Serialize;
use store::Page;
use utoipa::ToSchema;

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListOf<T> {
    /// The items.
    pub(crate) items: Vec<T>,
    /// The `cursor` of the next page; null on the last page.
    #[schema(required = true)]
    pub(crate) next_cursor: Option<String>,
    /// Number of matches, where `count` asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) count: Option<CountResponse>,
    /// Where the page is short because a call looks at a bounded number of rows: the instant up to which it looked. More may
    /// follow at `nextCursor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) scanned_to: Option<Timestamp>,
}

/// How many objects match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ListCount)]
pub(crate) struct CountResponse {
    /// Number of matches, at most 10,000.
    pub(crate) value: u64,
    /// Whether there are no more than `value`. False: there are at least as many, or counting would take too long.
    pub(crate) exact: bool,
}

impl<T> ListOf<T> {
    /// A list without pages.
    pub(crate) fn whole(items: Vec<T>) -> Self {
        Self { items, next_cursor: None, count: None, scanned_to: None }
    }

    /// A page of things with ids of kind `K`.
    pub(crate) fn of_page<K: Kind, R>(page: Page<R>, each: impl FnMut(R) -> T) -> Self {
        let next_cursor = page.next.map(|uuid| Id::<K>::from_uuid(uuid).to_string());
        Self { items: page.items.into_iter().map(each).collect(), next_cursor, count: None, scanned_to: None }
    }

    /// Items that were read with a limit one above the one asked for; the cursor is the key of the last one shown.
    pub(crate) fn cut<R>(
        mut rows: Vec<R>,
        limit: u32,
        key: impl Fn(&R) -> String,
        each: impl FnMut(R) -> T,
    ) -> Self {
        let limit = limit as usize;
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = if has_more { rows.last().map(key) } else { None };
        Self { items: rows.into_iter().map(each).collect(), next_cursor, count: None, scanned_to: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_is_there_while_there_is_more() {
        let list = |rows: &[u32]| ListOf::cut(rows.to_vec(), 2, ToString::to_string, |row| row);
        assert_eq!(list(&[1, 2, 3]).next_cursor.as_deref(), Some("2"));
        assert_eq!(list(&[1, 2, 3]).items, [1, 2]);
        assert_eq!(list(&[1, 2]).next_cursor, None);
        assert_eq!(list(&[]).next_cursor, None);
    }
}
