//! What follows from the facts that the oracle holds: one pass over the definition in its order, until nothing does.

use super::oracle::{ACTIVE, Fact, Oracle};
use super::plan::{ErrorWay, Kind};
use crate::workflow::execution::{ExecutionStatus, NodeStatus};

impl Oracle {
    /// Works out what follows from the facts, until nothing does.
    pub(super) fn settle(&mut self) {
        loop {
            for node in 0..self.nodes.len() {
                self.look_at(node);
            }
            if self.status == ExecutionStatus::Running {
                if (0..self.plan.main).all(|node| self.is_settled(node)) {
                    self.status = ExecutionStatus::Completed;
                }
                return;
            }
            let is_waiting = !self.undoing.is_empty() || !self.stopping.is_empty();
            if self.status != ExecutionStatus::Compensating || is_waiting {
                return;
            }
            if let Some(node) = self.undo.pop() {
                self.undoing.insert(node);
                return;
            }
            if !std::mem::replace(&mut self.handlers_run, true) {
                continue;
            }
            if (self.plan.main..self.nodes.len()).any(|node| self.nodes[node] == ACTIVE) {
                return;
            }
            if self.requeued.is_empty() {
                self.end();
                return;
            }
            let requeued = std::mem::take(&mut self.requeued);
            self.reopen();
            for node in requeued {
                self.restart_items(node);
                self.delayed.remove(&node);
            }
        }
    }

    /// Decides about a node that is not settled. Those before it have been looked at.
    fn look_at(&mut self, node: usize) {
        if !self.is_live(node) {
            return;
        }
        if self.nodes[node] == NodeStatus::Pending {
            match self.admit(node) {
                None => return,
                Some(status) => self.nodes[node] = status,
            }
        }
        if self.nodes[node] == ACTIVE {
            self.work(node);
        }
    }

    fn admit(&self, node: usize) -> Option<NodeStatus> {
        let before = &self.draft(node).dependencies;
        let is_vetoed = before.iter().any(|&switch| {
            let Kind::Switch { cases, taken, default } = &self.draft(switch).kind else { return false };
            let chosen = cases.get(*taken).copied().or(*default);
            let is_target = cases.contains(&node) || *default == Some(node);
            self.nodes[switch] == NodeStatus::Completed && is_target && chosen != Some(node)
        });
        if is_vetoed {
            return Some(NodeStatus::Skipped);
        }
        if !before.iter().all(|&before| self.is_settled(before)) {
            return None;
        }
        let leads_here = |&before: &usize| {
            self.nodes[before] == NodeStatus::Completed
                && match self.draft(before).on_error {
                    ErrorWay::Goto(target) => self.has_error[before] == (target == node),
                    ErrorWay::Fail | ErrorWay::Continue => true,
                }
        };
        let starts = before.is_empty() || before.iter().any(leads_here);
        Some(if starts && self.draft(node).when != Some(false) { ACTIVE } else { NodeStatus::Skipped })
    }

    /// What an active node does by itself.
    fn work(&mut self, node: usize) {
        match self.draft(node).kind.clone() {
            Kind::Transform => {
                let is_done = self.draft(node).rounds == 1 || node.is_multiple_of(2);
                self.learn(node, if is_done { Fact::Done } else { Fact::Failed });
            }
            Kind::Switch { .. } => self.learn(node, Fact::Done),
            Kind::Map { total, concurrency, collects, .. } => {
                let items = self.items.entry(node).or_default();
                while items.next < total {
                    let done = (0..items.next).filter(|item| items.is_done(*item, collects)).count() as u32;
                    if items.next - done >= concurrency {
                        break;
                    }
                    items.next += 1;
                }
                if (0..total).all(|item| items.is_done(item, collects)) {
                    self.learn(node, Fact::Done);
                }
            }
            Kind::Signal | Kind::Webhook if !self.delayed.contains(&node) && self.kept.remove(&node) => {
                // A kept signal ends one round; the model's signals that are early always say that it is the last.
                self.learn(node, Fact::Done);
            }
            _ => {}
        }
    }
}
