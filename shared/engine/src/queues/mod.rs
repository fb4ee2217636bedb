//! Queues: figures, modes, limits.

mod figures;
mod limits;
mod mode;

pub use limits::{LimitEdit, LimitLine, LimitPart, LimitTarget};
pub(crate) use mode::ModeCache;
