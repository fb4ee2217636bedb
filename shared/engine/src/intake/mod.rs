//! The intake: what applications commit in SQL becomes jobs, executions and signals.
//!
//! One process takes rows at a time, under a lease, so that they are taken in the order in which they were committed. The
//! ids of what they become are in the rows: a process that was frozen and takes rows once more makes nothing twice.

mod request;
mod room;
mod step;
mod take;

pub use step::IntakeStep;

use domain::time::Timestamp;
use parking_lot::Mutex;

/// What a process remembers of the lease.
#[derive(Debug, Default)]
pub(crate) struct IntakeMemory(Mutex<Held>);

/// Until when who has the lease.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// Nobody that we know of.
    #[default]
    Unknown,
    /// This process.
    Here(Timestamp),
    /// Another one.
    Elsewhere(Timestamp),
}
