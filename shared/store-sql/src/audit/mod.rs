//! The audit log: rows that are appended and never changed, and a chain of seals beside them.

mod list;
mod prune;
mod record;
mod seal;
mod verbs;

pub(crate) use list::{line_of, select_lines};
pub(crate) use prune::prune;
pub(crate) use record::append;
