//! What each node has to be: worked out from what is known of it, in one pass over the definition after every step.
//!
//! It holds facts (this job ended well, that item failed), never counters, and has no code in common with `advance`.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::{Draft, ErrorWay, Kind, Plan};
use crate::workflow::execution::{ExecutionStatus, NodeStatus};

/// How a node's work ended for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fact {
    Done,
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Failed,
    Cancelled,
}

#[derive(Debug, Clone)]
pub(super) struct Oracle {
    pub(super) plan: Plan,
    pub(super) status: ExecutionStatus,
    pub(super) nodes: Vec<NodeStatus>,
    /// Whether a node completed although it failed.
    pub(super) has_error: Vec<bool>,
    pub(super) facts: BTreeMap<usize, Fact>,
    pub(super) rounds: BTreeMap<usize, u32>,
    pub(super) delayed: BTreeSet<usize>,
    pub(super) tries: BTreeMap<(usize, Option<u32>), u32>,
    pub(super) kept: BTreeSet<usize>,
    pub(super) items: BTreeMap<usize, Items>,
    /// The completed nodes that can be undone, in the order in which they completed.
    pub(super) completed: Vec<usize>,
    pub(super) undone: BTreeSet<usize>,
    pub(super) undo: Vec<usize>,
    pub(super) undoing: BTreeSet<usize>,
    /// The keys of children that undo what they did.
    pub(super) stopping: BTreeSet<String>,
    /// Whether what completes late is undone as well.
    pub(super) undoes_late: bool,
    pub(super) ending: Option<Ending>,
    pub(super) requeued: BTreeSet<usize>,
    /// Whether everything was undone once, and `onFailure` began.
    pub(super) handlers_run: bool,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Items {
    pub(super) next: u32,
    pub(super) facts: BTreeMap<u32, Fact>,
    pub(super) cancelled: BTreeSet<u32>,
}

impl Items {
    pub(super) fn is_done(&self, item: u32, collects: bool) -> bool {
        self.facts.get(&item).is_some_and(|fact| collects || *fact == Fact::Done)
    }
}

pub(super) const ACTIVE: NodeStatus = NodeStatus::Running;

impl Oracle {
    pub(super) fn new(plan: Plan) -> Self {
        let count = plan.nodes.len();
        let mut oracle = Self {
            plan,
            status: ExecutionStatus::Running,
            nodes: vec![NodeStatus::Pending; count],
            has_error: vec![false; count],
            facts: BTreeMap::new(),
            rounds: BTreeMap::new(),
            delayed: BTreeSet::new(),
            tries: BTreeMap::new(),
            kept: BTreeSet::new(),
            items: BTreeMap::new(),
            completed: Vec::new(),
            undone: BTreeSet::new(),
            undo: Vec::new(),
            undoing: BTreeSet::new(),
            stopping: BTreeSet::new(),
            undoes_late: false,
            ending: None,
            requeued: BTreeSet::new(),
            handlers_run: false,
        };
        oracle.settle();
        oracle
    }

    pub(super) fn draft(&self, node: usize) -> &Draft {
        &self.plan.nodes[node]
    }

    pub(super) fn is_handler(&self, node: usize) -> bool {
        node >= self.plan.main
    }

    pub(super) fn is_live(&self, node: usize) -> bool {
        match self.status {
            ExecutionStatus::Running => !self.is_handler(node),
            ExecutionStatus::Compensating => {
                self.is_handler(node) && self.handlers_run && self.ending == Some(Ending::Failed)
            }
            _ => false,
        }
    }

    /// What is under way under keys: nodes that are neither a `MAP` nor wait for their next round, items, compensations.
    pub(super) fn outstanding(&self) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        for node in 0..self.nodes.len() {
            let id = self.plan.id(node);
            if self.undoing.contains(&node) {
                keys.insert(format!("{id}:compensate"));
            }
            if self.nodes[node] != ACTIVE || self.delayed.contains(&node) {
                continue;
            }
            match self.draft(node).kind {
                Kind::Map { .. } => keys.extend(self.active_items(node).map(|item| format!("{id}[{item}]"))),
                _ => drop(keys.insert(id)),
            }
        }
        keys
    }

    fn active_items(&self, node: usize) -> impl Iterator<Item = u32> + '_ {
        let collects = matches!(self.draft(node).kind, Kind::Map { collects: true, .. });
        let items = self.items.get(&node);
        let next = items.map_or(0, |items| items.next);
        (0..next).filter(move |item| {
            items.is_some_and(|items| !items.is_done(*item, collects) && !items.cancelled.contains(item))
        })
    }

    /// A job, a wait or a child of a node ended.
    pub(super) fn node_ends(&mut self, node: usize, is_done: bool, stops: bool) {
        if !is_done && self.is_tried_again(node, None) {
            return;
        }
        let mut fact = if is_done { Fact::Done } else { Fact::Failed };
        let (rounds_max, has_delay) = (self.draft(node).rounds, self.draft(node).has_delay);
        if is_done && rounds_max > 1 && !stops {
            let rounds = self.rounds.entry(node).or_default();
            *rounds += 1;
            if *rounds < rounds_max {
                self.tries.remove(&(node, None));
                if has_delay || !self.is_live(node) {
                    self.delayed.insert(node);
                }
                self.settle();
                return;
            }
            fact = Fact::Failed;
        }
        self.learn(node, fact);
        self.settle();
    }

    pub(super) fn item_ends(&mut self, node: usize, item: u32, is_done: bool) {
        if !is_done && self.is_tried_again(node, Some(item)) {
            return;
        }
        let Kind::Map { total, collects, .. } = self.draft(node).kind else { panic!("no MAP") };
        let items = self.items.get_mut(&node).expect("under way");
        items.facts.insert(item, if is_done { Fact::Done } else { Fact::Failed });
        if !is_done && !collects {
            let others: Vec<u32> = self.active_items(node).filter(|other| *other != item).collect();
            self.stop_items(node, &others);
            let items = self.items.get_mut(&node).expect("under way");
            items.cancelled.extend(others);
            items.cancelled.insert(item);
            self.learn(node, Fact::Failed);
        } else if (0..total).all(|item| items.is_done(item, collects)) && self.is_live(node) {
            self.learn(node, Fact::Done);
        }
        self.settle();
    }

    fn is_tried_again(&mut self, node: usize, item: Option<u32>) -> bool {
        let Kind::Child { retries } = self.draft(node).kind else { return false };
        let tries = self.tries.entry((node, item)).or_default();
        *tries += 1;
        *tries <= retries
    }

    /// A node's work is over.
    pub(super) fn learn(&mut self, node: usize, fact: Fact) {
        self.facts.insert(node, fact);
        self.delayed.remove(&node);
        let is_failed = fact == Fact::Failed && self.draft(node).on_error == ErrorWay::Fail;
        if fact == Fact::Done {
            self.completed.push(node);
        }
        self.nodes[node] = if is_failed { NodeStatus::Failed } else { NodeStatus::Completed };
        self.has_error[node] = fact == Fact::Failed;
        if is_failed && !self.is_handler(node) {
            self.requeued.remove(&node);
            if self.status == ExecutionStatus::Running {
                self.stop(Ending::Failed, true);
            }
        }
    }

    /// Children of the items that are cancelled undo what they did.
    fn stop_items(&mut self, node: usize, items: &[u32]) {
        if matches!(self.draft(node).kind, Kind::Map { has_children: true, .. }) {
            let id = self.plan.id(node);
            self.stopping.extend(items.iter().map(|item| format!("{id}[{item}]")));
        }
    }

    fn stop(&mut self, ending: Ending, undoes: bool) {
        for node in 0..self.nodes.len() {
            if self.nodes[node] == ACTIVE {
                self.nodes[node] = NodeStatus::Cancelled;
                let is_delayed = self.delayed.remove(&node);
                if matches!(self.draft(node).kind, Kind::Child { .. }) && !is_delayed {
                    self.stopping.insert(self.plan.id(node));
                }
                let active: Vec<u32> = self.active_items(node).collect();
                self.stop_items(node, &active);
                self.items.entry(node).or_default().cancelled.extend(active);
            }
        }
        self.undoing.clear();
        self.undo = self
            .completed
            .iter()
            .copied()
            .filter(|&node| undoes && self.draft(node).has_undo && !self.undone.contains(&node))
            .collect();
        self.requeued.clear();
        self.handlers_run = false;
        self.undoes_late = undoes;
        self.ending = Some(ending);
        self.status = ExecutionStatus::Compensating;
        if !undoes {
            self.end();
        }
    }

    pub(super) fn end(&mut self) {
        self.status = match self.ending.take() {
            Some(Ending::Cancelled) => ExecutionStatus::Cancelled,
            _ => ExecutionStatus::Failed,
        };
        self.undo.clear();
        self.stopping.clear();
    }

    /// What was cancelled had completed before; what it did is undone like the rest. Answers whether it counts.
    pub(super) fn late(&mut self, node: usize, item: Option<u32>, stops: bool) -> bool {
        if self.draft(node).rounds > 1 && !stops {
            return false;
        }
        if let Some(item) = item {
            let items = self.items.get_mut(&node).expect("a MAP that was cancelled");
            items.cancelled.remove(&item);
            items.facts.insert(item, Fact::Done);
            self.settle();
            return true;
        }
        self.learn(node, Fact::Done);
        if self.draft(node).has_undo && self.undoes_late {
            if self.status == ExecutionStatus::Failed {
                self.status = ExecutionStatus::Compensating;
                self.ending = Some(Ending::Failed);
                self.handlers_run = true;
            }
            self.undo.push(node);
        }
        self.settle();
        true
    }

    /// A child that was asked to stop has ended. Its item starts again where the others already did.
    pub(super) fn stopped(&mut self, key: &str) {
        self.stopping.remove(key);
        for node in 0..self.nodes.len() {
            if self.nodes[node] == ACTIVE && self.is_live(node) {
                self.restart_items(node);
            }
        }
        self.settle();
    }

    pub(super) fn undo_ends(&mut self, node: usize, is_done: bool) {
        self.undoing.remove(&node);
        if is_done {
            self.undone.insert(node);
        }
        self.settle();
    }

    /// A signal or a request that is early is kept; it counts once its node waits.
    pub(super) fn call(&mut self, node: usize, stops: bool) {
        if self.nodes[node] == ACTIVE && !self.delayed.contains(&node) {
            self.node_ends(node, true, stops);
        } else {
            self.kept.insert(node);
        }
    }

    pub(super) fn is_kept(&self, node: usize) -> bool {
        self.kept.contains(&node)
    }

    /// The clock passes all timers and delays.
    pub(super) fn time_passes(&mut self) {
        for node in 0..self.nodes.len() {
            let is_due = self.nodes[node] == ACTIVE && self.is_live(node);
            if is_due && self.draft(node).kind == Kind::Timer {
                self.learn(node, Fact::Done);
            } else if is_due {
                self.delayed.remove(&node);
            }
        }
        self.settle();
    }

    pub(super) fn cancel(&mut self, undoes: bool) -> bool {
        let is_refused =
            self.status.is_terminal() || (undoes && self.status == ExecutionStatus::Compensating);
        if !is_refused {
            self.stop(Ending::Cancelled, undoes);
            self.settle();
        }
        !is_refused
    }

    pub(super) fn retry(&mut self) -> bool {
        let can_retry = self.status == ExecutionStatus::Failed;
        if can_retry {
            self.reopen();
            self.settle();
        }
        can_retry
    }

    /// Whether the dead letter of a node, an item or a compensation can be requeued; and what follows.
    pub(super) fn requeue(&mut self, node: usize, item: Option<u32>, is_undo: bool) -> bool {
        let is_ending = is_undo || self.is_handler(node);
        let has_ended = matches!(self.status, ExecutionStatus::Completed | ExecutionStatus::Cancelled);
        if has_ended || (is_ending && self.status == ExecutionStatus::Running) {
            return false;
        }
        if is_undo {
            if self.undoing.contains(&node) || self.undone.contains(&node) {
                return false;
            }
            self.undoing.insert(node);
        } else {
            if (!is_ending && self.ending == Some(Ending::Cancelled))
                || self.nodes[node] != NodeStatus::Failed
            {
                return false;
            }
            self.facts.remove(&node);
            if !is_ending && self.is_built_on_undone(node) {
                self.nodes[node] = NodeStatus::Pending;
                self.rounds.remove(&node);
                self.tries.retain(|(of, _), _| *of != node);
                self.has_error[node] = false;
                if matches!(self.draft(node).kind, Kind::Child { .. } | Kind::Map { has_children: true, .. })
                {
                    let id = self.plan.id(node);
                    self.stopping.insert(item.map_or(id.clone(), |item| format!("{id}[{item}]")));
                }
                if self.status == ExecutionStatus::Compensating {
                    self.requeued.insert(node);
                } else {
                    self.reopen();
                }
                self.settle();
                return true;
            }
            self.nodes[node] = ACTIVE;
            if let Some(item) = item {
                let items = self.items.get_mut(&node).expect("a MAP that failed");
                items.facts.remove(&item);
                items.cancelled.remove(&item);
            }
        }
        match (self.status, is_ending) {
            (ExecutionStatus::Failed, true) => {
                self.status = ExecutionStatus::Compensating;
                self.ending = Some(Ending::Failed);
                self.handlers_run = true;
                self.restart_items(node);
            }
            (ExecutionStatus::Failed, false) => {
                self.reopen();
                self.restart_items(node);
            }
            (_, true) => self.restart_items(node),
            (_, false) => drop(self.requeued.insert(node)),
        }
        self.settle();
        true
    }

    /// Whether something before a node is undone, or will be.
    fn is_built_on_undone(&self, node: usize) -> bool {
        self.draft(node).dependencies.iter().any(|&before| {
            self.undone.contains(&before)
                || self.undo.contains(&before)
                || self.undoing.contains(&before)
                || self.is_built_on_undone(before)
        })
    }

    /// What was cancelled of a `MAP` starts again, save where a child still undoes what it did.
    pub(super) fn restart_items(&mut self, node: usize) {
        let id = self.plan.id(node);
        if let Some(items) = self.items.get_mut(&node) {
            items.cancelled.retain(|item| self.stopping.contains(&format!("{id}[{item}]")));
        }
    }

    /// What failed, was cancelled or is undone starts again; `onFailure` is as if it had never run.
    pub(super) fn reopen(&mut self) {
        self.status = ExecutionStatus::Running;
        self.ending = None;
        self.undoes_late = false;
        for node in 0..self.nodes.len() {
            let status = self.nodes[node];
            let starts = if self.is_handler(node) {
                true
            } else {
                matches!(status, NodeStatus::Failed | NodeStatus::Cancelled) || self.undone.contains(&node)
            };
            if status == NodeStatus::Completed && starts {
                self.items.remove(&node);
            }
            if starts {
                self.nodes[node] = NodeStatus::Pending;
                self.has_error[node] = false;
                self.facts.remove(&node);
                self.rounds.remove(&node);
                self.delayed.remove(&node);
                self.tries.retain(|(of, _), _| *of != node);
                self.completed.retain(|completed| *completed != node);
                self.undone.remove(&node);
            }
        }
        for node in 0..self.nodes.len() {
            if self.nodes[node] == NodeStatus::Pending {
                let is_stale = self.is_handler(node)
                    || self.draft(node).dependencies.iter().any(|&before| !self.is_settled(before));
                if is_stale {
                    self.items.remove(&node);
                } else {
                    self.restart_items(node);
                    let collects = matches!(self.draft(node).kind, Kind::Map { collects: true, .. });
                    if let Some(items) = self.items.get_mut(&node) {
                        items.facts.retain(|_, fact| collects || *fact == Fact::Done);
                    }
                }
            }
        }
    }

    pub(super) fn is_settled(&self, node: usize) -> bool {
        match self.nodes[node] {
            NodeStatus::Completed | NodeStatus::Skipped => true,
            NodeStatus::Failed => self.is_handler(node),
            _ => false,
        }
    }
}
