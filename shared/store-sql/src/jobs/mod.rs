//! Jobs: one file for each operation.

mod job_store;

pub(crate) mod admit;
pub(crate) mod eager;
pub(crate) mod end;
pub(crate) mod enqueue;
pub(crate) mod enqueue_fast;
pub(crate) mod finish;
mod finish_fast;
pub(crate) mod revive;

mod claim;

pub(crate) use end::mark_cancelled;
mod completion_effects;
mod expiry;
mod leases;
pub(crate) mod offers;
mod retry;
mod settle;
mod warm;

pub(crate) mod promote;

pub(crate) mod read;
pub(crate) mod reprioritize;
pub(crate) mod status;

pub(crate) use claim::{NONEMPTY as LANES_WITH_JOBS, in_force as limits_in_force, rate_subject};
pub(crate) use read::{record_of, select_jobs};

#[cfg(test)]
pub(crate) mod plans;
