//! What is needed of a consumer of Kafka.

use std::sync::Arc;
use std::time::Duration;

use super::offsets::{Place, Positions};
use crate::error::ClientError;

/// A message.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) place: Place,
    pub(super) offset: i64,
    pub(super) value: Vec<u8>,
    /// The header `tl-job-type`.
    pub(super) job_type: Option<String>,
}

/// A consumer of a group. One thread uses it.
pub(super) trait Consumer: Send {
    /// What comes within the time, at most so many messages.
    fn poll(&mut self, limit: Duration, records_max: usize) -> Vec<Record>;

    /// Stops or goes on reading the partitions of a topic that are assigned.
    fn pause(&mut self, topic: &str, is_paused: bool);

    /// Whether the broker has them now. Where not, they may be sent again, or are left to the next owner.
    fn commit(&mut self, positions: &Positions) -> bool;

    /// Why no broker is reached, if so.
    fn failed(&mut self) -> Option<String>;
}

/// What a consumer reports to.
#[derive(Clone)]
pub(super) struct Rebalance {
    /// Partitions came. Each of them may be paused or not.
    pub(super) assigned: Arc<dyn Fn() + Send + Sync>,
    /// Partitions go to another, once what this gives is committed.
    pub(super) revoked: Arc<dyn Fn(&[Place]) -> Positions + Send + Sync>,
}

/// Makes a consumer of a group for some topics.
pub(super) type ConsumerFactory =
    Arc<dyn Fn(&str, &[String], Rebalance) -> Result<Box<dyn Consumer>, ClientError> + Send + Sync>;
