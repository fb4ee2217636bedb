//! The audit log: read, sealed, checked.

mod list;
mod seal;
mod verify;

pub(crate) use seal::SealTimes;
pub use verify::ChainReport;
