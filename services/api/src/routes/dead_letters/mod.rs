//! `/v1/dead-letters`: look at what died, requeue it, archive it.

mod groups;
mod query;
mod read;
mod resolve;
mod table;

pub(super) use query::DeadLettersQuery;
pub(super) use table::router;
