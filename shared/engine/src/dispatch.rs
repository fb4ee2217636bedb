//! Dispatch by offers: nodes of one mode, what a relay does, and what workers accept.

mod accept;
mod relay;
mod report;

use domain::dispatch::{DispatchMode, RelayFigures};
use domain::time::{DurationMs, Timestamp};
use store::dispatch::{DispatchNode, Joined};

use crate::engine::Engine;
use crate::error::EngineError;

pub use accept::{AcceptRequest, AcceptedJob};
pub use relay::{OFFERS_PER_CLAIM_MAX, RefusedOffer};
pub use report::{DispatchReport, OutboxFigures};

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
