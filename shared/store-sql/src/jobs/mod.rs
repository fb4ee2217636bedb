//! Jobs: one file for each operation.

mod job_store;

pub(crate) mod admit;
pub(crate) mod attempts;
mod complete_by_position;
pub(crate) mod eager;
pub(crate) mod end;
pub(crate) mod enqueue;
mod enqueue_fast;
pub(crate) mod enqueue_rows;
pub(crate) mod finish;
mod finish_fast;
mod finish_sqlite;
pub(crate) mod keys;
pub(crate) mod revive;
pub(crate) mod states;

mod claim;

mod cancelled;
pub(crate) use cancelled::mark_cancelled;
mod completion_effects;
mod expiry;
mod give_back;
mod history;
mod leases;
pub(crate) mod offers;
mod partition;
mod retry;
mod settle;

mod promote;
mod promote_aged;

mod cancel;
mod list;
mod locate;
mod read;
mod reprioritize;
mod run_now;
mod wait_facts;

pub(crate) use claim::{
    NONEMPTY as LANES_WITH_JOBS, in_force as limits_in_force, rate_subject, running_by_lane,
};
pub(crate) use read::{record_of, select_jobs};

#[cfg(test)]
pub(crate) mod plans;
