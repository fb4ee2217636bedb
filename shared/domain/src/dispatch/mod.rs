//! Dispatch of jobs by pushing them: what an offer is, how many may stand, where each is published and in which order.
//!
//! The relay of `services/relay` claims jobs as a worker would and publishes them to a log. All that it decides is decided
//! here; claims, statements and brokers are elsewhere.

mod book;
mod figures;
mod mode;
mod offer;
mod outbox;
mod shards;
mod topic;
mod window;

pub use book::{OfferBook, Standing};
pub use figures::{PublishFault, RelayFigures, per_second};
pub use mode::DispatchMode;
pub use offer::{
    AcceptOutcome, FoundLease, HOLDER_PREFIX, accept_outcome, accepted_token, event_id, holder_of, is_holder,
    shard_of_holder,
};
pub use outbox::Outbox;
pub use shards::{SHARDS, ShardPlan, ShardView, plan_shards, shard_of};
pub use topic::{TopicLayout, TopicNames};
pub use window::{ACCEPTED_WITHIN, AcceptedLately, Room, WINDOW_LEAST, allowance, plan_claim};
