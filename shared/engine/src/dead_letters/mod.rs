//! Dead letters: list, requeue, archive, one by one. Many are done by `bulk`. Groups of them, and what is decided about them.

mod groups;
mod read;
mod resolve;

pub use groups::{GroupStanding, GroupView};
