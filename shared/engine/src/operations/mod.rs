//! What operators look at: workers, the audit log, bulk operations.

mod audit_log;
mod batches;
mod workers;

pub(crate) use workers::WorkerNotes;
