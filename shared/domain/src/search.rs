//! Finding objects: which lists there are, what they are filtered by, and the query language `?q=`.
//!
//! A filter is a list of [`Term`]s that must all match. Parameters of a request, fields of a bulk operation's filter and
//! the terms of a query become the same terms, so that all three mean the same. This module reads and checks text; which
//! index answers a term is the store's affair.

mod attribute_term;
mod cursor;
mod fields;
mod list;
mod parse;
mod read;
mod suggest;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::time::Timestamp;

pub use attribute_term::{ATTRIBUTE_PREFIX, attribute_names};
pub use cursor::Cursor;
pub use fields::{Field, FieldKind};
pub use list::{
    ListType, OfArchive, OfAudit, OfBatches, OfDeadLetters, OfDeliveries, OfExecutions, OfJobs, OfRuns,
    OfSchedules, OfUserTasks, OfWorkers, SearchList,
};
pub use parse::{QUERY_CODE_POINTS_MAX, QueryFault, parse_query};
pub use read::{InstantSpan, ParameterFault, term_of_parameter};
pub use suggest::{SuggestAt, Suggestion, quoted, suggest_at};

// Terms of a filter, as the store takes them: typed, with relative times resolved.

/// What is looked for in a list, and in which order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// The list.
    pub list: SearchList,
    /// What must match, all of it.
    pub terms: Vec<Term>,
    /// The instant by which it is ordered.
    pub sort: String,
    /// In which direction.
    pub order: Order,
}

impl Search {
    /// Everything of a list, newest first.
    pub fn all(list: SearchList) -> Self {
        Self { list, terms: Vec::new(), sort: list.instants()[0].to_owned(), order: Order::Desc }
    }

    /// The term of a key, where there is one that is not negated.
    pub fn term(&self, key: &str) -> Option<&Term> {
        self.terms.iter().find(|term| term.key == key && !term.is_negated)
    }

    /// Whether it has a term of a key at all.
    pub fn has(&self, key: &str) -> bool {
        self.terms.iter().any(|term| term.key == key)
    }
}

words! {
    serde
    /// The direction of a list.
    Order {
        /// Oldest first.
        Asc "asc",
        /// Newest first.
        Desc "desc",
    }
}

/// One condition: a key and tests of which any matches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// A filter or an instant of the list, or `id`.
    pub key: String,
    /// Whether what matches is left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_negated: bool,
    /// The tests.
    pub tests: Vec<Test>,
}

impl Term {
    /// A term that one value meets.
    pub fn is(key: &str, value: TermValue) -> Self {
        Self { key: key.to_owned(), is_negated: false, tests: vec![Test::Is(value)] }
    }

    /// The values, where each test is one.
    pub fn values(&self) -> Option<Vec<&TermValue>> {
        self.tests.iter().map(|test| if let Test::Is(value) = test { Some(value) } else { None }).collect()
    }
}

/// A test of a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Test {
    /// It is this.
    Is(TermValue),
    /// It is a text that begins so.
    Begins(String),
    /// It lies between the bounds; one of them may be missing.
    Between(Option<Bound>, Option<Bound>),
    /// There is one.
    Present,
}

/// An end of a range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The end.
    pub value: TermValue,
    /// Whether it belongs to the range.
    pub is_included: bool,
}

/// A typed value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TermValue {
    /// Text, and words of an enumeration.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A finite number.
    Number(f64),
    /// Yes or no.
    Boolean(bool),
    /// An instant.
    Instant(Timestamp),
    /// An id without its prefix.
    Id(Uuid),
}

#[cfg(test)]
mod tests;
