//! The owner of an execution: the one writer, as long as it holds the lease of the execution's job.
//!
//! It keeps the state in memory, folds what arrives in the inbox through `domain`, and commits each step in one
//! transaction that is gated by the lease. Results of jobs that run in its process come to it without the inbox
//! (`handed`). All owners of a process share their commits, their looks into inboxes and
//! their loads (`share`). An execution that only waits is parked: it leaves memory and gives its slot back. An owner
//! that dies is replaced by another, which loads the last commit and goes on; nothing that completed runs again. It
//! does not renew its lease: the pool does, for all its jobs.

mod apart;
mod children;
mod commit;
mod delivered;
mod entries;
mod load;
mod owner;
mod patience;
mod running;
mod share;
mod step;
mod stepper;
mod unowned;

pub(crate) use apart::Apart;
pub(crate) use delivered::DeliveredResult;
pub use owner::{OwnerEnd, own_execution};
pub(crate) use share::OwnerBatches;
