//! What operators look at: workers, the audit log, bulk operations.

mod audit;
mod batches;
mod workers;

pub use audit::ChainReport;
pub(crate) use audit::SealTimes;
pub(crate) use workers::WorkerNotes;
