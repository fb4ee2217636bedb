//! The audit log: read, sealed, checked.

mod export;
mod seal;
mod verify;

pub(crate) use seal::SealTimes;
pub use verify::ChainReport;
