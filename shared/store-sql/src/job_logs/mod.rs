//! Lines that handlers log: kept beside the jobs, read by position.

mod append;
mod list;
mod prune;

mod verbs;

pub(crate) use prune::prune;
