//! Jobs: enqueued, claimed, settled, looked at and changed.

mod cancel;
mod claim;
mod complete;
mod enqueue;
mod fail;
mod heartbeat;
mod leases;
mod poll;
mod polled;
mod read;
mod release;
mod reprioritize;
mod request;
mod run_now;
mod settle;
mod why;

pub use claim::PoolClaim;
pub use complete::CompleteItem;
pub use fail::FailItem;
pub use leases::LeaseOutcome;
pub use poll::PollRequest;
pub use polled::{PollReceipt, PolledJobs};
pub use request::JobRequest;

pub(crate) use enqueue::EnqueueSink;
pub(crate) use heartbeat::HeartbeatSink;
pub(crate) use settle::SettleSink;
