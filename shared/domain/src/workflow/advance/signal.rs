//! Signals, and requests to callback addresses: given to the node that waits for them, or kept for one that will.

use serde_json::Value;

use crate::names::NodeId;
use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::NodeKind;
use crate::workflow::execution::{Kept, NodeStatus, Refusal, Wait};
use crate::workflow::expression::bytes_of;

/// How many signals and requests an execution keeps for nodes that do not wait yet.
pub const KEPT_MAX: usize = 1_000;

/// How many bytes of JSON they may take together: they are part of the state, and whoever sends them must not be able
/// to make it outgrow its bound, which fails the execution.
const KEPT_BYTES_MAX: usize = 4 * 1024 * 1024;

impl Transition<'_> {
    /// Goes to one node: the first in the order of the definition that waits for this name.
    pub(super) fn signal(&mut self, name: String, payload: Value) -> Result<(), Refusal> {
        self.refuse_if_ended()?;
        let waiting = (0..self.definition.nodes.len()).find(|&index| self.waits_for_signal(index, &name));
        let Some(index) = waiting else {
            self.refuse_if_too_many_kept(&payload)?;
            self.emit("signal_received", None, Some(name.clone()));
            self.state.kept.push(Kept::Signal { name, payload });
            return Ok(());
        };
        self.emit("signal_received", Some(&self.node(index).id), Some(name));
        self.end_wait(index);
        self.succeed(index, payload);
        Ok(())
    }

    fn waits_for_signal(&self, index: usize, name: &str) -> bool {
        match &self.node(index).kind {
            NodeKind::Signal { signal } if signal.as_str() == name => self
                .node_state(index)
                .is_some_and(|state| matches!(&state.wait, Some(Wait::Signal { name: own }) if own == name)),
            _ => false,
        }
    }

    /// The first request counts. One for a node that is settled, for which one is kept already, or that came while an
    /// earlier round waited, is refused.
    pub(super) fn callback(
        &mut self,
        node: NodeId,
        round: Option<u32>,
        payload: Value,
    ) -> Result<(), Refusal> {
        self.refuse_if_ended()?;
        let index = self.definition.graph.index.get(&node).copied();
        let index = index.filter(|&index| matches!(self.node(index).kind, NodeKind::WaitWebhook));
        let Some(index) = index else {
            return Err(Refusal::NotAwaited(node));
        };
        let waiting = self.node_state(index).filter(|state| state.wait == Some(Wait::Callback));
        let waiting = waiting.map(|state| state.round);
        if round.is_some() && round != waiting {
            return Err(Refusal::NotAwaited(node));
        }
        if waiting.is_some() {
            self.end_wait(index);
            self.succeed(index, payload);
            return Ok(());
        }
        let is_kept =
            self.state.kept.iter().any(|kept| matches!(kept, Kept::Callback { node: of, .. } if *of == node));
        if is_kept || self.status_of(index).is_none_or(NodeStatus::is_settled) {
            return Err(Refusal::NotAwaited(node));
        }
        self.refuse_if_too_many_kept(&payload)?;
        self.state.kept.push(Kept::Callback { node, payload });
        Ok(())
    }

    fn refuse_if_too_many_kept(&self, payload: &Value) -> Result<(), Refusal> {
        let kept = &self.state.kept;
        let payload_of = |kept: &Kept| match kept {
            Kept::Signal { payload, .. } | Kept::Callback { payload, .. } => bytes_of(payload),
        };
        let is_full = kept.len() >= KEPT_MAX
            || kept.iter().map(payload_of).sum::<usize>() + bytes_of(payload) > KEPT_BYTES_MAX;
        if is_full { Err(Refusal::TooManyKept(kept.len())) } else { Ok(()) }
    }

    /// The oldest signal of this name that was kept.
    pub(super) fn take_kept_signal(&mut self, signal: &str) -> Option<Value> {
        self.take_kept(|kept| matches!(kept, Kept::Signal { name, .. } if name == signal))
    }

    /// The request that was kept for a node.
    pub(super) fn take_kept_callback(&mut self, id: &NodeId) -> Option<Value> {
        self.take_kept(|kept| matches!(kept, Kept::Callback { node, .. } if node == id))
    }

    fn take_kept(&mut self, is_wanted: impl Fn(&Kept) -> bool) -> Option<Value> {
        let position = self.state.kept.iter().position(is_wanted)?;
        let (Kept::Signal { payload, .. } | Kept::Callback { payload, .. }) =
            self.state.kept.remove(position);
        Some(payload)
    }
}
