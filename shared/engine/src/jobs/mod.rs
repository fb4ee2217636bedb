//! Jobs: enqueue, claim, settle, read and change.

mod cancel;
mod claim;
mod claim_together;
mod complete;
mod deliver_to_owner;
mod eager;
mod eager_polls;
mod enqueue;
mod fail;
mod heartbeat;
mod leases;
mod logs;
mod next_poll;
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
pub(crate) mod sample_job;
mod settle;
mod wait;
mod why;

pub use claim::PoolClaim;
pub use complete::CompleteItem;
pub use deliver_to_owner::PendingAck;
pub use eager::{ReservedSlots, SlotProvider};
pub use fail::FailItem;
pub use leases::LeaseOutcome;
pub use logs::LogRequest;
pub use next_poll::NextPoll;
pub use poll::PollRequest;
pub use polled::{PollReceipt, PolledJobs};
pub use release::ReleaseItem;
pub use reports::Rejection;
pub use request::JobRequest;

pub(crate) use claim_together::PollBatcher;
pub(crate) use eager::{EagerPools, EagerStarts};
pub(crate) use enqueue::{EnqueueSink, enqueue_hint};
pub(crate) use heartbeat::HeartbeatSink;
pub(crate) use node_leases::NodeLeases;
pub(crate) use settle::SettleSink;
