//! What operators look at and what upkeep does: workers, bulk operations, retention, care for the file.

pub(crate) mod idle_lanes;
mod workers;

mod drop_payloads;
mod prune;
mod prune_dead_letters;
mod prune_deliveries;
mod prune_executions;
mod prune_jobs;
mod prune_schedules;
pub(crate) mod walk;

mod compact_file;
mod standstill;

mod verbs;

pub(crate) use workers::{select_workers, worker_of};
