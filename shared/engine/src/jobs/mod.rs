//! Jobs: enqueued, claimed, settled, looked at and changed.

mod cancel;
mod claim;
mod claim_together;
mod complete;
mod eager;
mod eager_polls;
mod enqueue;
mod fail;
mod hand_over;
mod heartbeat;
mod leases;
mod node_leases;
mod poll;
mod polled;
mod read;
mod release;
mod reports;
mod reprioritize;
mod request;
mod run_now;
#[cfg(test)]
mod sample_job;
mod settle;
mod wait;
mod why;

pub use claim::PoolClaim;
pub use complete::CompleteItem;
pub use eager::{IdleHands, TakenHands};
pub use fail::FailItem;
pub use hand_over::HandedOver;
pub use leases::LeaseOutcome;
pub use poll::PollRequest;
pub use polled::{PollReceipt, PolledJobs};
pub use release::ReleaseItem;
pub use reports::Rejection;
pub use request::JobRequest;

pub(crate) use claim_together::ClaimLines;
pub(crate) use eager::{EagerPools, EagerStarts};
pub(crate) use enqueue::{EnqueueSink, news};
pub(crate) use heartbeat::HeartbeatSink;
pub(crate) use node_leases::NodeLeases;
pub(crate) use settle::SettleSink;
