//! The course of every measurement of a peer: enqueue and drain, or latency; one line of JSON for each.
//!
//! The peers in other languages follow the same course with the same options and print the same lines.

mod arguments;
mod counters;
mod course;
mod handled;
mod payload;
mod queue;

pub use arguments::{Arguments, Mode, Scenario};
pub use course::run;
pub use handled::Handled;
pub use payload::{BULK, Payload, payload};
pub use queue::Queue;
