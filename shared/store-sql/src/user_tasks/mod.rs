//! User tasks: written by the commits of owners, shown to people.

pub(crate) mod change;

mod claim;
mod latest;
mod rows;
mod verbs;

pub(crate) use rows::record_of;
