//! Jobs: one file for each operation.

mod job_store;

pub(crate) mod admit;
pub(crate) mod attempts;
pub(crate) mod eager;
pub(crate) mod end;
pub(crate) mod enqueue;
mod enqueue_plain;
pub(crate) mod enqueue_rows;
pub(crate) mod finish;
mod finish_placed;
mod finish_plain;
mod finish_sqlite;
pub(crate) mod keys;
pub(crate) mod revive;
pub(crate) mod states;

mod claim;

mod afterwards;
mod cancelled;
mod give_back;
mod history;
mod leases;
mod retry;
mod rounds;
mod settle;

mod lift;
mod promote;

mod cancel;
mod list;
mod locate;
mod read;
mod reprioritize;
mod run_now;
mod wait_facts;

#[cfg(test)]
pub(crate) mod plans;
