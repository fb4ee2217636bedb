//! Finding objects: which lists there are, what they are filtered by, and the query language `?q=`.
//!
//! A filter is a list of [`Term`]s that must all match. Parameters of a request, fields of a bulk operation's filter and
//! the terms of a query become the same terms, so that all three mean the same. This module reads and checks text; which
//! index answers a term is the store's affair.

mod attribute_term;
mod fields;
mod instant;
mod list;
mod parse;
mod read;
mod suggest;
mod term;

pub use attribute_term::{ATTRIBUTE_PREFIX, attribute_names};
pub use fields::{Field, FieldKind};
pub use instant::InstantSpan;
pub use list::SearchList;
pub use parse::{QUERY_CODE_POINTS_MAX, QueryFault, parse_query};
pub use read::{ParameterFault, term_of_parameter};
pub use suggest::{SuggestAt, Suggestion, quoted, suggest_at};
pub use term::{Bound, Order, Search, Term, TermValue, Test};

#[cfg(test)]
mod tests;
