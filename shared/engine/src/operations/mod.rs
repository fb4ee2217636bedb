//! What operators look at: workers, the audit log.

mod audit;
mod builds;
mod drains;
mod servers;
mod workers;

pub use audit::ChainReport;
pub(crate) use audit::SealTimes;
pub(crate) use builds::{PinnedBy, check_builds};
pub(crate) use drains::Drains;
pub use servers::ServerInfo;
pub(crate) use servers::{OwnServer, SEEN_WITHIN};
pub(crate) use workers::{SILENCE_MAX, WorkerSightings};
