//! Dispatch by offers: nodes and their mode, shards of relays, and the leases that are offered.

use async_trait::async_trait;
use domain::dispatch::{AcceptOutcome, DispatchMode, RelayFigures, ShardView};
use domain::names::{JobType, WorkerId};
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use uuid::Uuid;

use crate::error::StoreResult;
use crate::jobs::{ClaimedJob, LeaseAnswer, LeaseRef};

/// A process that uses the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchNode {
    /// The id of the process.
    pub id: Uuid,
    /// What people know it by.
    pub name: String,
    /// The mode that it runs with.
    pub mode: DispatchMode,
    /// Whether it has a relay.
    pub relays: bool,
    /// Until when it counts as there.
    pub until: Timestamp,
    /// Since when its relay does not reach the broker.
    pub broker_away_since: Option<Timestamp>,
    /// What its relay has done, as of its last renewal.
    pub figures: RelayFigures,
}

/// Whether a process may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Joined {
    /// It may, and is among the nodes.
    Yes,
    /// It may not: these run with another mode.
    Differs(Vec<DispatchNode>),
}

/// The offers of a job type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferFigures {
    /// The type.
    pub job_type: JobType,
    /// How many stand.
    pub standing: u64,
    /// When the oldest of them was made.
    pub oldest: Timestamp,
}

/// Dispatch as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchView {
    /// The mode of the nodes that are there.
    pub mode: DispatchMode,
    /// Whether relays make no more offers.
    pub is_draining: bool,
    /// The nodes that are there.
    pub nodes: Vec<DispatchNode>,
    /// The shards, by number.
    pub shards: Vec<ShardView>,
    /// The offers that stand, by type.
    pub offers: Vec<OfferFigures>,
}

impl DispatchView {
    /// How many offers stand.
    pub fn standing(&self) -> u64 {
        self.offers.iter().map(|offers| offers.standing).sum()
    }

    /// When the oldest of them was made.
    pub fn oldest_offer(&self) -> Option<Timestamp> {
        self.offers.iter().map(|offers| offers.oldest).min()
    }

    /// How many messages the broker had not acknowledged when relays were last renewed.
    pub fn unacknowledged(&self) -> u64 {
        self.nodes.iter().map(|node| node.figures.unacknowledged).sum()
    }

    /// How many offers the broker has and no worker has accepted.
    pub fn lag(&self) -> u64 {
        self.standing().saturating_sub(self.unacknowledged())
    }
}

/// What a relay looks at each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayView {
    /// Whether relays make no more offers.
    pub is_draining: bool,
    /// How many nodes with a relay are there.
    pub relays: usize,
    /// The shards, by number.
    pub shards: Vec<ShardView>,
}

/// An offer that stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingOffer {
    /// The offered lease.
    pub lease: LeaseRef,
    /// The type of the job.
    pub job_type: JobType,
    /// The shard that it belongs to.
    pub shard: u32,
    /// When it ends.
    pub until: Timestamp,
}

/// An offer that a worker accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acceptance<'a> {
    /// The offered lease.
    pub offer: LeaseRef,
    /// The worker.
    pub worker_id: &'a WorkerId,
}

/// What a worker is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// What became of it. Everything else is there with [`AcceptOutcome::Ok`] alone.
    pub outcome: AcceptOutcome,
    /// The lease of the worker.
    pub lease: Option<(LeaseRef, Timestamp)>,
    /// What an earlier attempt reported as progress, as raw JSON text.
    pub progress: Option<String>,
}

/// The store's operations on dispatch.
#[async_trait]
pub trait DispatchStore {
    /// Adds a process, or renews it, unless others that are there run with another mode. The first of a mode begins with
    /// offers: relays are not kept from making them.
    async fn join_dispatch(&self, node: &DispatchNode, now: Timestamp) -> StoreResult<Joined>;

    /// Removes a process, and frees its shards.
    async fn leave_dispatch(&self, node: Uuid, now: Timestamp) -> StoreResult<()>;

    /// Dispatch as a whole.
    async fn dispatch_view(&self, now: Timestamp) -> StoreResult<DispatchView>;

    /// The nodes that are there, without what else there is of dispatch: offers are counted among all leases of their queue.
    async fn dispatch_nodes(&self, now: Timestamp) -> StoreResult<Vec<DispatchNode>>;

    /// What a relay looks at each time.
    async fn relay_view(&self, now: Timestamp) -> StoreResult<RelayView>;

    /// Whether relays make no more offers.
    async fn is_dispatch_draining(&self) -> StoreResult<bool>;

    /// Lets relays make offers, or keeps them from it.
    async fn set_dispatch_draining(&self, is_draining: bool, now: Timestamp) -> StoreResult<()>;

    /// Leases shards to a relay until an instant: those that are free, whose term ended, or that it has. Another owner
    /// begins another term. Answers those that it got.
    async fn lease_shards(
        &self,
        owner: Uuid,
        shards: &[u32],
        until: Timestamp,
        now: Timestamp,
    ) -> StoreResult<Vec<ShardView>>;

    /// Gives shards back.
    async fn release_shards(&self, owner: Uuid, shards: &[u32]) -> StoreResult<()>;

    /// The types of jobs that can be claimed, at most so many lanes of them.
    async fn claimable_types(&self, queue: QueueName, lanes_max: u32) -> StoreResult<Vec<JobType>>;

    /// The offers of these holders that stand, in the order in which they were made.
    async fn standing_offers(&self, holders: &[WorkerId]) -> StoreResult<Vec<StandingOffer>>;

    /// Which of these offers stand, in order. It costs what they are, however many others stand.
    async fn standing_among(&self, offers: &[LeaseRef]) -> StoreResult<Vec<bool>>;

    /// The jobs of offers, as their claim answered them; those that do not stand any more are left out, and those at the end
    /// whose payloads would be too large together.
    async fn offered_jobs(&self, offers: &[LeaseRef]) -> StoreResult<Vec<ClaimedJob>>;

    /// Lets offers stand for so long from now on, whatever the timeout of the job. Answers in order with the new ends.
    async fn keep_offers(
        &self,
        offers: &[LeaseRef],
        span: DurationMs,
        now: Timestamp,
    ) -> StoreResult<Vec<LeaseAnswer<Timestamp>>>;

    /// Starts the leases of offers that stand, each under a new token ([`accepted_token`](domain::dispatch::accepted_token)),
    /// and says of the others why not. An offer must not be named twice. Answers in order.
    async fn accept_offers(
        &self,
        items: &[Acceptance<'_>],
        lease: DurationMs,
        now: Timestamp,
    ) -> StoreResult<Vec<Accepted>>;
}
