//! Jobs: enqueue, claim, settle, read and change.

mod change;
mod claim;
mod deliver_to_owner;
mod eager;
mod enqueue;
mod leases;
mod logs;
mod next_poll;
mod node_leases;
mod poll;
mod polled;
mod reports;
mod request;
#[cfg(test)]
pub(crate) mod sample_job;
mod settle;
pub(crate) mod stored_executions;
mod wait;
mod why;

pub(crate) use claim::PollBatcher;
pub use deliver_to_owner::PendingAck;
pub(crate) use eager::{EagerPools, EagerStarts};
pub use eager::{ReservedSlots, SlotProvider};
pub(crate) use enqueue::{EnqueueSink, enqueue_hint};
pub(crate) use leases::HeartbeatSink;
pub use logs::LogRequest;
pub use next_poll::NextPoll;
pub(crate) use node_leases::NodeLeases;
pub use polled::{PollReceipt, PolledJobs};
pub use reports::{FailItem, Rejection, ReleaseItem};
pub use request::{CompleteItem, JobRequest, PollRequest, PoolClaim};
pub(crate) use settle::SettleSink;
