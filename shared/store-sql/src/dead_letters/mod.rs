//! Dead letters: list, requeue, archive. Settling and reaping make them.

mod filter;
mod rows;

mod decisions;
mod groups;
mod read;

mod archive;
mod requeue;

mod verbs;

pub(crate) use rows::record_of;
