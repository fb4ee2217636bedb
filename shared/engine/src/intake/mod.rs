//! The intake: what applications commit in SQL becomes jobs, executions, signals and events.
//!
//! One process takes rows at a time, under a lease, so that they are taken in the order in which they were committed. The
//! ids of what they become are in the rows: a process that was frozen and takes rows once more makes nothing twice.

mod memory;
mod request;
mod room;
mod step;
mod take;

pub use step::IntakeStep;

pub(crate) use memory::IntakeMemory;
