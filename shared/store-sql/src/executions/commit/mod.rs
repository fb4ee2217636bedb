//! Committing steps of executions: of each everything that follows from it, or nothing; of many in one transaction.
//!
//! The rows of the executions are locked first and the jobs' rows after them, as everywhere. The lease of each
//! execution's job is its gate: a step without it is left out, and the others go through. On PostgreSQL steps that only
//! move on are one statement (`plain`), and so are those that only end their executions (`fast_end`); where that does
//! not fit, they go the way of the others.

mod batch;
mod gate;

mod children;
mod ending;
mod fast;
mod fast_end;
mod park;
mod spawn;
mod unowned;
mod write;

pub(super) use batch::commit;
pub(crate) use park::NEVER;
pub(super) use unowned::commit_unowned;

#[cfg(test)]
mod plans;
