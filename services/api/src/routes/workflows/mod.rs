//! `/v1/workflows`: register versions, look at them, draw them, pause and resume; and the schema of definitions.

mod graph;
mod mode;
mod read;
mod register;
mod schema;
mod simulate;
mod source;
mod table;

pub(super) use table::{open, router};
