//! Committing steps of executions: of each everything that follows from it, or nothing; of many in one transaction.
//!
//! The rows of the executions are locked first and the jobs' rows after them, as everywhere. The lease of each
//! execution's job is its gate: a step without it is left out, and the others go through.

mod batch;
mod gate;

mod ending;
mod park;
mod spawn;
mod write;

pub(super) use batch::commit;
