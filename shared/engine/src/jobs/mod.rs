//! Jobs: enqueue, claim, settle, read and change.

mod change;
mod claim;
mod deliver_to_owner;
mod eager;
mod enqueue;
mod leases;
mod logs;
mod next_poll;
mod poll;
mod reports;
mod request;
#[cfg(test)]
pub(crate) mod sample_job;
mod settle;
mod wait;
mod why;

pub use claim::PoolClaim;
pub use deliver_to_owner::PendingAck;
pub use eager::{ReservedSlots, SlotProvider};
pub use leases::LeaseOutcome;
pub use logs::LogRequest;
pub use next_poll::NextPoll;
pub use poll::{PollReceipt, PollRequest, PolledJobs};
pub use reports::{CompleteItem, FailItem, Rejection, ReleaseItem};
pub use request::JobRequest;

pub(crate) use claim::PollBatcher;
pub(crate) use deliver_to_owner::NodeLeases;
pub(crate) use eager::{EagerPools, EagerStarts};
pub(crate) use enqueue::{EnqueueSink, enqueue_hint};
pub(crate) use leases::HeartbeatSink;
pub(crate) use settle::SettleSink;
