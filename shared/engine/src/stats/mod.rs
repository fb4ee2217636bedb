//! Figures of queues over time. Every process counts what it does, and adds its counts to rows of minutes and hours; what
//! waits and runs is looked at by processes with upkeep. Nothing is counted from large tables.

mod collect;
mod flush;
mod read;

pub(crate) use collect::{StatNotes, StoredJobs};
pub use read::{StatRequest, StatSeries, TenantWork};
