//! Any query of any list, and any place in it: it is refused at a place within it, or read alike again; what is suggested
//! replaces a part of it.

#![no_main]

use domain::attribute::Searchable;
use domain::search::{SearchList, parse_query, suggest_at};
use domain::time::Timestamp;
use libfuzzer_sys::fuzz_target;

const LISTS: [SearchList; 6] = [
    SearchList::Jobs,
    SearchList::Executions,
    SearchList::DeadLetters,
    SearchList::Archive,
    SearchList::Deliveries,
    SearchList::Schedules,
];

fuzz_target!(|input: (u8, u16, &str)| {
    let (list, at, text) = input;
    let list = LISTS[usize::from(list) % LISTS.len()];
    let length = text.chars().count();
    let searchable = Searchable::default();
    let now = Timestamp(1_764_000_000_000);
    match parse_query(list, text, now, &searchable) {
        Ok(terms) => assert_eq!(parse_query(list, text, now, &searchable).as_deref(), Ok(terms.as_slice())),
        Err(fault) => assert!(fault.position <= length, "a fault lies within the query"),
    }
    let suggested = suggest_at(list, text, usize::from(at), &searchable);
    assert!(suggested.from <= suggested.to && suggested.to <= length.max(suggested.from));
});
