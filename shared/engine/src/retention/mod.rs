//! How long finished things are kept: the policy, times that operators set, and what of both is in force.

mod policy;
mod set;

pub use policy::{QueueRetention, RetentionPolicy};
pub use set::{RetentionEdit, RetentionLine, RetentionSource, RetentionView};
