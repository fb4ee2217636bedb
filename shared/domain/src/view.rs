//! Saved views: how somebody looks at a list. Kept for its owner, or for all who see the same data.

use serde::{Deserialize, Serialize};

use crate::attribute::Searchable;
use crate::error::Fault;
use crate::search::{Order, QUERY_CODE_POINTS_MAX, SearchList, parse_query};
use crate::time::Timestamp;

/// The lists that have views, as in their paths.
pub const VIEW_LISTS: [&str; 15] = [
    "jobs",
    "executions",
    "dead-letters",
    "dead-letter-groups",
    "archive",
    "deliveries",
    "schedules",
    "runs",
    "user-tasks",
    "workers",
    "workflows",
    "webhooks",
    "audit",
    "batches",
    "alerts",
];
/// How many views an owner has.
pub const VIEWS_MAX: u32 = 100;
/// How many columns a view has, and how long a name of one is.
const COLUMNS_MAX: usize = 50;
const COLUMN_BYTES_MAX: usize = 100;
/// The longest name of a view, in characters.
const NAME_CHARS_MAX: usize = 100;

/// What a view shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewSpec {
    /// What people call it.
    pub name: String,
    /// The list.
    pub list: String,
    /// A query; empty for everything.
    pub q: String,
    /// The instant by which it is ordered; the list's own where absent.
    pub sort: Option<String>,
    /// The direction; the list's own where absent.
    pub order: Option<Order>,
    /// The columns, in order; the list's own where there are none.
    pub columns: Vec<String>,
    /// Whether others see it.
    pub is_shared: bool,
}

/// What is wrong with a view. Queries and orders of lists that are searched must be theirs; `now` is what relative times
/// of the query count from, `searchable` is what it may name.
pub fn check_view(view: &ViewSpec, now: Timestamp, searchable: &Searchable) -> Vec<Fault> {
    let mut faults = Vec::new();
    let is_text = |text: &str| !text.trim().is_empty() && !text.chars().any(char::is_control);
    if !is_text(&view.name) || view.name.chars().count() > NAME_CHARS_MAX {
        faults.push(Fault::new("/name", format!("expected 1 to {NAME_CHARS_MAX} printable characters")));
    }
    if !VIEW_LISTS.contains(&view.list.as_str()) {
        faults.push(Fault::new("/list", format!("expected one of {}", VIEW_LISTS.join(", "))));
        return faults;
    }
    if view.q.chars().count() > QUERY_CODE_POINTS_MAX || view.q.contains('\0') {
        faults.push(Fault::new("/q", format!("expected at most {QUERY_CODE_POINTS_MAX} code points")));
    }
    if view.columns.len() > COLUMNS_MAX {
        faults.push(Fault::new("/columns", format!("expected at most {COLUMNS_MAX} columns")));
    }
    for (index, column) in view.columns.iter().enumerate().take(COLUMNS_MAX) {
        if !is_text(column) || column.len() > COLUMN_BYTES_MAX {
            let message = format!("expected 1 to {COLUMN_BYTES_MAX} bytes");
            faults.push(Fault::new(format!("/columns/{index}"), message));
        }
    }
    let searched = SearchList::parse(&view.list);
    match (searched, &view.sort) {
        (Some(list), Some(sort)) if list.instant(sort).is_none() => {
            faults.push(Fault::new("/sort", format!("expected one of {}", list.instants().join(", "))));
        }
        (None, Some(sort)) if !is_text(sort) || sort.len() > COLUMN_BYTES_MAX => {
            faults.push(Fault::new("/sort", format!("expected 1 to {COLUMN_BYTES_MAX} bytes")));
        }
        _ => {}
    }
    if let (Some(list), true) = (searched, faults.is_empty())
        && let Err(fault) = parse_query(list, &view.q, now, searchable)
    {
        faults.push(Fault::new("/q", format!("at {}: {}", fault.position, fault.message)));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(list: &str, q: &str) -> ViewSpec {
        ViewSpec {
            name: "Failed today".into(),
            list: list.into(),
            q: q.into(),
            sort: None,
            order: Some(Order::Desc),
            columns: vec!["id".into(), "status".into()],
            is_shared: false,
        }
    }

    fn pointers(view: &ViewSpec) -> Vec<String> {
        check_view(view, Timestamp(0), &Searchable::default())
            .into_iter()
            .map(|fault| fault.pointer)
            .collect()
    }

    #[test]
    fn views_are_checked_as_their_lists_are() {
        let nothing: [&str; 0] = [];
        assert_eq!(pointers(&view("jobs", "status:FAILED created:>=now-1d")), nothing);
        assert_eq!(pointers(&view("alerts", "whatever the console understands")), nothing);
        let long = "x".repeat(QUERY_CODE_POINTS_MAX + 1);
        for (bad, pointer) in [
            (view("jobs", "colour:red"), "/q"),
            (view("alerts", &long), "/q"),
            (view("planets", ""), "/list"),
            (ViewSpec { name: " ".into(), ..view("jobs", "") }, "/name"),
            (ViewSpec { name: "x".repeat(101), ..view("jobs", "") }, "/name"),
            (ViewSpec { sort: Some("died".into()), ..view("jobs", "") }, "/sort"),
            (ViewSpec { sort: Some(String::new()), ..view("alerts", "") }, "/sort"),
            (ViewSpec { columns: vec!["id".into(); 51], ..view("jobs", "") }, "/columns"),
            (ViewSpec { columns: vec!["id".into(), String::new()], ..view("jobs", "") }, "/columns/1"),
        ] {
            assert_eq!(pointers(&bad), [pointer], "{bad:?}");
        }
        assert_eq!(pointers(&ViewSpec { sort: Some("run".into()), ..view("jobs", "") }), nothing);
    }

    #[test]
    fn every_list_that_is_searched_has_views() {
        for list in SearchList::ALL {
            assert!(VIEW_LISTS.contains(&list.as_str()), "{list:?}");
        }
    }
}
