//! User tasks: written by the commits of owners, listed for people.

pub(crate) mod change;

mod claim;
mod list;
mod rows;
mod verbs;
