//! Dispatch by offers: nodes of one mode, what a relay does, and what workers accept.

mod accept;
mod relay;
mod report;

use std::sync::atomic::{AtomicI64, Ordering};

use domain::dispatch::{DispatchMode, RelayFigures, TopicNames};
use domain::time::{DurationMs, Timestamp};
use store::dispatch::{DispatchNode, Joined};

use crate::engine::Engine;
use crate::error::EngineError;

pub use accept::{AcceptRequest, AcceptedJob};
pub use relay::{OFFERS_PER_CLAIM_MAX, RefusedOffer};
pub use report::{DispatchReport, OutboxFigures};

// What a process knows of its own broker connection.

/// Since when the broker is away, for those who look at this process.
#[derive(Debug, Default)]
pub(crate) struct DispatchMemory {
    /// 0 where it is not.
    away_since: AtomicI64,
}

impl DispatchMemory {
    pub(crate) fn set_away(&self, since: Option<Timestamp>) {
        self.away_since.store(since.map_or(0, |since| since.0), Ordering::Relaxed);
    }

    pub(crate) fn away_since(&self) -> Option<Timestamp> {
        let since = self.away_since.load(Ordering::Relaxed);
        (since != 0).then_some(Timestamp(since))
    }
}

// What the settings say of dispatch by offers.

/// Dispatch by offers. Where there is no such policy, workers poll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchPolicy {
    /// Where jobs are published.
    pub topics: TopicNames,
    /// How many offers of a job type may stand.
    pub window: u64,
    /// How long an offer stands.
    pub offer_timeout: DurationMs,
}

// Nodes: all of one mode, each renewed while it runs.

/// How long a node counts as there without renewal. One that was killed keeps nodes of another mode out for as long.
const PRESENT_FOR: DurationMs = DurationMs::from_secs(10);

/// Nodes of another mode are there.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "this node has dispatch.mode = \"{own}\", but {others}; stop those first, or give this one the same setting (a node that \
     was killed counts for 10 s more)"
)]
pub struct DispatchRefused {
    /// The mode of this node.
    pub own: DispatchMode,
    /// Which others run, each with its mode.
    pub others: String,
}

/// What a node says of its broker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrokerState {
    /// Whether the node has a relay.
    pub relays: bool,
    /// Since when its broker is away.
    pub away_since: Option<Timestamp>,
    /// What the relay has done.
    pub figures: RelayFigures,
}

impl Engine {
    /// The mode that this node runs with.
    pub fn dispatch_mode(&self) -> DispatchMode {
        if self.policy().dispatch.is_some() { DispatchMode::KafkaOutbox } else { DispatchMode::Polling }
    }

    /// Adds this node to those that are there, or renews it. `Some` where others run with another mode; nothing is written
    /// then.
    pub async fn join_dispatch(
        &self,
        name: &str,
        broker: BrokerState,
    ) -> Result<Option<DispatchRefused>, EngineError> {
        let now = self.now();
        self.memory().dispatch.set_away(broker.away_since);
        let node = DispatchNode {
            id: self.process(),
            name: name.to_owned(),
            mode: self.dispatch_mode(),
            relays: broker.relays,
            until: now.plus(PRESENT_FOR),
            broker_away_since: broker.away_since,
            figures: broker.figures,
        };
        let others = match self.store().join_dispatch(&node, now).await? {
            Joined::Yes => return Ok(None),
            Joined::Differs(others) => others,
        };
        let named = others.iter().map(|other| format!("{} runs with \"{}\"", other.name, other.mode));
        Ok(Some(DispatchRefused { own: node.mode, others: named.collect::<Vec<_>>().join(", ") }))
    }

    /// Removes this node, and frees what its relay has.
    pub async fn leave_dispatch(&self) -> Result<(), EngineError> {
        Ok(self.store().leave_dispatch(self.process(), self.now()).await?)
    }

    /// Since when the broker of this node is away.
    pub fn broker_away_since(&self) -> Option<Timestamp> {
        self.memory().dispatch.away_since()
    }
}
