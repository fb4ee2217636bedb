//! Find objects: a page of a list, and how many there are.

mod find;
mod suggest;

pub use find::{FoundCount, ListRequest, Listed};
