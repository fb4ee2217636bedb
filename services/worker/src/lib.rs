//! The worker pools: claim jobs of the four queues, run them, keep their leases, report how they ended.
//!
//! Each pool has a dispatcher that claims for all its free slots, apalis runs what it dispatches, one settler writes
//! the reports in batches, and one heartbeat renews the leases from a thread of its own. What becomes of a job is
//! decided by the engine; this crate knows no database and serves no API. apalis is named in `apalis_backend` and
//! `apalis_host` only.

mod apalis_backend;
mod apalis_host;
mod backoff;
mod dispatcher;
mod heartbeat;
mod leases;
mod mail;
mod pool;
mod pools;
mod runner;
mod settler;
mod slots;

pub mod egress;
pub mod handlers;

pub use handlers::{Handler, HandlerEnd, Handlers};
pub use mail::{MailEncryption, MailFault, MailOptions, NotificationSender};
pub use pool::PoolOptions;
pub use pools::{Drained, Pools, start};

#[cfg(test)]
mod test_job;
#[cfg(test)]
mod test_server;
