//! Find objects: a page of a list, and how many there are.

mod find;

pub use find::{FoundCount, ListRequest, Listed};
