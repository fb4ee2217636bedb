//! How far upkeep has come in looking back for events.

use std::collections::HashMap;

use domain::event::{FilterShares, LookPosition};
use domain::time::Timestamp;
use store::events::{LookBack, LookBackCursor, WaitingNode};

/// How many looks are remembered that go on in a later round. The others begin again.
const POSITIONS_MAX: usize = 10_000;

/// A type of events, and since when they are looked for.
type Sought = (String, Timestamp);

/// How far upkeep has come: through the waits, with what each tenant may take, and within looks that it was too much for.
#[derive(Default)]
pub(crate) struct LookBackRound {
    pub(super) after: Option<LookBackCursor>,
    pub(super) shares: FilterShares,
    positions: HashMap<WaitingNode, (Vec<Sought>, LookPosition)>,
}

impl LookBackRound {
    /// Begins the next one.
    pub(super) fn end(&mut self) {
        self.after = None;
        self.shares = FilterShares::default();
    }

    /// Where the look for these waits goes on: at the beginning, where it is not for the same events any more.
    pub(super) fn position(&mut self, waits: &[LookBack]) -> LookPosition {
        let known = self.positions.remove(&waits[0].node);
        known.filter(|(of, _)| *of == sought(waits)).map(|(_, position)| position).unwrap_or_default()
    }

    pub(super) fn remember(&mut self, waits: &[LookBack], position: LookPosition) {
        if self.positions.len() >= POSITIONS_MAX {
            self.positions.clear();
        }
        self.positions.insert(waits[0].node.clone(), (sought(waits), position));
    }
}

fn sought(waits: &[LookBack]) -> Vec<Sought> {
    waits.iter().map(|wait| (wait.event.clone(), wait.from)).collect()
}
