//! Hints within the process and between the nodes of a deployment.
//!
//! Hints only save time: whoever waits for something also polls, so that a lost hint costs a moment and nothing else.

mod listen;
mod local;
mod notify;
mod payload;
mod place;
mod postgres;

pub use local::LocalWakeup;
pub use postgres::PostgresWakeup;

pub(crate) use place::Place;
pub(crate) use postgres::back_off;
