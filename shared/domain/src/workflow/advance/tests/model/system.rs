//! An execution whose owner commits now and then and can lose its memory at any time.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::oracle::Oracle;
use super::plan::{Kind, Plan};
use crate::failure::JobError;
use crate::id::JobId;
use crate::names::NodeId;
use crate::time::Timestamp;
use crate::workflow::NodeKey;
use crate::workflow::advance::tests::fixture::{Run, without_values};
use crate::workflow::execution::{
    Activity, ChildStart, Event, ExecutionState, ExecutionStatus, NodeJob, NodeSettled, NodeState, NodeStatus,
};

/// One step; the numbers choose among what there is to choose from.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Settle {
        which: u16,
        is_done: bool,
        stops: bool,
    },
    /// The result of something that was cancelled turns out to have come before.
    Late {
        which: u16,
        stops: bool,
    },
    /// A child that was asked to stop ends.
    Stopped {
        which: u16,
        is_done: bool,
    },
    Call {
        which: u16,
    },
    Pass,
    Retry,
    Requeue {
        which: u16,
    },
    Cancel {
        undoes: bool,
    },
    Repeat {
        which: u16,
    },
    Commit,
    Crash,
}

/// What would survive: everything that a commit writes.
struct Committed {
    snapshot: Vec<u8>,
    records: usize,
    jobs: Vec<NodeJob>,
    children: Vec<ChildStart>,
    stopping: Vec<ChildStart>,
    failed: Vec<ChildStart>,
    cancelled: Vec<NodeJob>,
    tasks: Vec<crate::workflow::execution::UserTask>,
}

pub(super) struct System {
    run: Run,
    oracle: Oracle,
    committed: Committed,
    /// What the inbox holds that is not committed: with what the shell did to its queue before.
    inbox: Vec<Event>,
    /// Events that were applied, to be sent again.
    old: Vec<Event>,
    dead: Vec<NodeJob>,
    /// The jobs of rounds whose completion was committed.
    done: BTreeSet<JobId>,
}

fn pick(which: u16, len: usize) -> usize {
    which as usize % len
}

impl System {
    pub(super) fn new(plan: &Plan) -> Self {
        let (nodes, more) = plan.to_json();
        let run = Run::started_with(&nodes, &more, json!({"yes": true}));
        let mut system = Self {
            committed: committed_of(&run),
            run,
            oracle: Oracle::new(plan.clone()),
            inbox: Vec::new(),
            old: Vec::new(),
            dead: Vec::new(),
            done: BTreeSet::new(),
        };
        system.commit();
        system.compare();
        system
    }

    pub(super) fn carry_out(&mut self, step: &Step) {
        match *step {
            Step::Settle { which, is_done, stops } => self.settle(which, is_done, stops),
            Step::Late { which, stops } => self.late(which, stops),
            Step::Stopped { which, is_done } => self.stopped(which, is_done),
            Step::Call { which } => self.call(which),
            Step::Pass => self.pass(),
            Step::Retry => {
                // One that runs gets its time anew, and nothing else.
                let runs = self.run.state.status == ExecutionStatus::Running;
                let is_applied = self.oracle.retry() || runs;
                assert_eq!(self.send(Event::Retry), is_applied);
            }
            Step::Requeue { which } => self.requeue(which),
            Step::Cancel { undoes } => {
                let is_applied = self.oracle.cancel(undoes);
                assert_eq!(self.send(Event::Cancel { reason: None, compensate: undoes }), is_applied);
            }
            Step::Repeat { which } => self.repeat(which),
            Step::Commit => self.commit(),
            Step::Crash => self.crash(),
        }
        self.compare();
    }

    /// An event that goes through the inbox.
    fn send(&mut self, event: Event) -> bool {
        let is_applied = self.run.apply(event.clone()).is_ok();
        if is_applied {
            self.inbox.push(event);
        }
        is_applied
    }

    fn settle(&mut self, which: u16, is_done: bool, stops: bool) {
        let keys: Vec<String> = self.oracle.outstanding().into_iter().collect();
        if keys.is_empty() {
            return;
        }
        let key = NodeId::trusted(keys[pick(which, keys.len())].clone());
        let named = NodeKey::of(&key);
        let node = node_of(&named);
        let output = json!({"own": key.as_str(), "stop": stops});
        let result = if is_done { Ok(output) } else { Err(JobError::coded("boom", "it broke")) };
        let Some(event) = self.event_of(&key, node, is_done, result) else {
            return;
        };
        match named {
            NodeKey::Node(_) => self.oracle.node_ends(node, is_done, stops),
            NodeKey::Item { index, .. } => self.oracle.item_ends(node, index, is_done),
            NodeKey::Compensation(_) => self.oracle.undo_ends(node, is_done),
        }
        self.old.push(event.clone());
        assert!(self.send(event), "{key} is awaited");
    }

    /// The end of what is under way under a key. Only what is committed can have been done.
    fn event_of(
        &mut self,
        key: &NodeId,
        node: usize,
        is_done: bool,
        result: Result<Value, JobError>,
    ) -> Option<Event> {
        if let Some(position) = self.run.jobs.iter().position(|job| job.node == *key) {
            self.commit_unless(|committed, run| committed.jobs.contains(&run.jobs[position]));
            let job = self.run.jobs.remove(position);
            if !is_done {
                self.dead.push(job.clone());
            }
            let settled =
                NodeSettled { node: key.clone(), job_id: job.id, result, attempts: 1, started_at: None };
            return Some(Event::NodeSettled(settled));
        }
        if let Some(position) = self.run.children.iter().position(|child| child.node == *key) {
            self.commit_unless(|committed, run| committed.children.contains(&run.children[position]));
            let child = self.run.children.remove(position);
            if !is_done {
                self.run.failed.push(child.clone());
            }
            return Some(Event::ChildSettled { node: key.clone(), child_id: child.id, result });
        }
        let output = result.ok()?;
        match self.oracle.plan.nodes[node].kind {
            Kind::UserTask => {
                self.commit();
                Some(Event::UserTaskCompleted {
                    node: key.clone(),
                    round: None,
                    output,
                    actor: "ada".to_owned(),
                })
            }
            Kind::Signal => Some(Event::Signal { name: format!("to-{key}"), payload: output }),
            Kind::Webhook => Some(Event::Callback { node: key.clone(), round: None, payload: output }),
            _ => None,
        }
    }

    fn late(&mut self, which: u16, stops: bool) {
        let state = |job: &NodeJob| self.run.state.nodes.get(&job.node);
        let is_last = |job: &NodeJob| {
            state(job)
                .is_some_and(|state| state.status == NodeStatus::Cancelled && state.job_id == Some(job.id))
        };
        let jobs: Vec<NodeJob> = self.run.cancelled.iter().filter(|job| is_last(job)).cloned().collect();
        if jobs.is_empty() {
            return;
        }
        let job = jobs[pick(which, jobs.len())].clone();
        self.run.cancelled.retain(|cancelled| cancelled.id != job.id);
        let named = NodeKey::of(&job.node);
        let item = if let NodeKey::Item { index, .. } = named { Some(index) } else { None };
        let is_applied = self.oracle.late(node_of(&named), item, stops);
        let output = json!({"own": job.node.as_str(), "stop": stops});
        assert_eq!(self.send(Run::settled(&job, Ok(output))), is_applied, "{job:?}");
    }

    /// A child that was asked to stop ends: it has undone what it did, or had completed before.
    fn stopped(&mut self, which: u16, is_done: bool) {
        if self.run.stopping.is_empty() || self.oracle.status.is_terminal() {
            return;
        }
        let child = self.run.stopping.remove(pick(which, self.run.stopping.len()));
        let is_awaited = self.run.state.stopping.contains(&child.id);
        let state = self.run.state.nodes.get(&child.node);
        let is_late = state.is_some_and(|state| {
            let is_given_up = state.status == NodeStatus::Cancelled;
            is_given_up && state.child_id == Some(child.id)
        });
        let is_current = state.is_some_and(|state| state.child_id == Some(child.id));
        let result = if is_done && (is_late || !is_current) {
            Ok(json!({"own": child.node.as_str(), "stop": true}))
        } else {
            Err(JobError::coded("cancelled", "it was cancelled"))
        };
        if !is_awaited {
            return;
        }
        let named = NodeKey::of(&child.node);
        let counts = result.is_ok() && is_late;
        self.oracle.stopping.remove(child.node.as_str());
        if counts {
            let item = if let NodeKey::Item { index, .. } = named { Some(index) } else { None };
            self.oracle.late(node_of(&named), item, true);
        } else {
            self.oracle.stopped(child.node.as_str());
        }
        let event = Event::ChildSettled { node: child.node, child_id: child.id, result };
        assert!(self.send(event.clone()), "{event:?}");
    }

    /// A signal or a request comes, whether or not anything waits for it.
    fn call(&mut self, which: u16) {
        let node = pick(which, self.oracle.plan.nodes.len());
        let id = NodeId::trusted(self.oracle.plan.id(node));
        let payload = json!({"own": id.as_str(), "stop": true});
        let is_over = self.oracle.status.is_terminal();
        match self.oracle.plan.nodes[node].kind {
            Kind::Signal if !self.oracle.is_kept(node) => {
                let is_applied = self.send(Event::Signal { name: format!("to-{id}"), payload });
                assert_eq!(is_applied, !is_over);
                if is_applied {
                    self.oracle.call(node, true);
                }
            }
            Kind::Webhook => {
                let is_refused = is_over || self.oracle.is_kept(node) || self.oracle.nodes[node].is_settled();
                assert_eq!(self.send(Event::Callback { node: id, round: None, payload }), !is_refused);
                if !is_refused {
                    self.oracle.call(node, true);
                }
            }
            _ => {}
        }
    }

    fn pass(&mut self) {
        if self.oracle.status.is_terminal() {
            return;
        }
        self.run.now.0 += 10_000;
        self.oracle.time_passes();
        assert!(self.send(Event::Due));
        assert!(self.run.state.next_due_at().is_none_or(|at| at > self.run.now), "nothing is due any more");
    }

    fn requeue(&mut self, which: u16) {
        // The dead letter is there once the failure is committed.
        self.commit();
        if !self.run.failed.is_empty() && (self.dead.is_empty() || which.is_multiple_of(3)) {
            self.child_goes_on(which);
            return;
        }
        if self.dead.is_empty() {
            return;
        }
        let job = self.dead.remove(pick(which, self.dead.len()));
        let named = NodeKey::of(&job.node);
        let state = self.run.state.nodes.get(&job.node);
        let is_current =
            state.is_some_and(|state| state.job_id == Some(job.id) && state.status == NodeStatus::Failed);
        let item = if let NodeKey::Item { index, .. } = named { Some(index) } else { None };
        let is_undo = matches!(named, NodeKey::Compensation(_));
        let is_applied = is_current && self.oracle.requeue(node_of(&named), item, is_undo);
        assert_eq!(self.run.requeue(&job).is_ok(), is_applied, "{job:?} {:?}", self.run.state);
        if is_applied {
            // The row of the inbox and the job that is queued again are one transaction of the store.
            self.commit();
        }
    }

    fn child_goes_on(&mut self, which: u16) {
        let child = self.run.failed[pick(which, self.run.failed.len())].clone();
        let named = NodeKey::of(&child.node);
        let state = self.run.state.nodes.get(&child.node);
        let is_current =
            state.is_some_and(|state| state.child_id == Some(child.id) && state.status == NodeStatus::Failed);
        let item = if let NodeKey::Item { index, .. } = named { Some(index) } else { None };
        let is_applied = is_current && self.oracle.requeue(node_of(&named), item, false);
        assert_eq!(self.run.child_goes_on(&child).is_ok(), is_applied, "{child:?} {:?}", self.run.state);
        if is_applied {
            self.commit();
        } else {
            self.run.failed.retain(|failed| failed.id != child.id);
        }
    }

    /// Something comes twice, or late.
    fn repeat(&mut self, which: u16) {
        if self.old.is_empty() {
            return;
        }
        let event = self.old[pick(which, self.old.len())].clone();
        let is_late = match &event {
            Event::NodeSettled(settled) => {
                let state = self.run.state.nodes.get(&settled.node);
                let is_cancelled = state.is_some_and(|state| {
                    state.status == NodeStatus::Cancelled && state.job_id == Some(settled.job_id)
                });
                !is_cancelled && self.run.jobs.iter().all(|job| job.id != settled.job_id)
            }
            Event::ChildSettled { node, child_id, .. } => {
                let state = self.run.state.nodes.get(node);
                state.is_none_or(|state| state.child_id != Some(*child_id))
                    && !self.run.state.stopping.contains(child_id)
            }
            Event::UserTaskCompleted { node, .. } => self.run.tasks.iter().all(|task| task.node != *node),
            _ => false,
        };
        if is_late {
            assert!(self.run.apply(event.clone()).is_err(), "{event:?} comes too late");
        }
    }

    fn commit_unless(&mut self, is_there: impl Fn(&Committed, &Run) -> bool) {
        if !is_there(&self.committed, &self.run) {
            self.commit();
        }
    }

    fn commit(&mut self) {
        for record in &self.run.records[self.committed.records..] {
            if record.status == NodeStatus::Completed {
                let id =
                    crate::workflow::advance::node_job_id(self.run.context.id, &record.node, record.round);
                self.done.insert(id);
            }
        }
        self.committed = committed_of(&self.run);
        self.inbox.clear();
    }

    /// The owner is lost with all that it did not commit. Another one takes the execution up and reads the inbox again.
    fn crash(&mut self) {
        let before = without_times(&self.run.state);
        let (now, output) = (self.run.now, self.run.output.take());
        let outputs = self.run.outputs.clone();
        let (jobs, children) =
            (keys(&self.run.jobs, |job| job.id), keys(&self.run.children, |child| child.id));
        self.run.records.truncate(self.committed.records);
        self.run.state =
            ExecutionState::restore(&self.committed.snapshot, &self.run.definition).expect("decodes");
        self.run.outputs = super::super::fixture::outputs_of(&self.run.records, &self.run.state);
        self.run.jobs.clone_from(&self.committed.jobs);
        self.run.children.clone_from(&self.committed.children);
        self.run.stopping.clone_from(&self.committed.stopping);
        self.run.failed.clone_from(&self.committed.failed);
        self.run.cancelled.clone_from(&self.committed.cancelled);
        self.run.tasks.clone_from(&self.committed.tasks);
        for event in self.inbox.clone() {
            match &event {
                Event::NodeSettled(settled) => {
                    self.run.jobs.retain(|job| job.id != settled.job_id);
                    self.run.cancelled.retain(|job| job.id != settled.job_id);
                }
                Event::ChildSettled { child_id, result, .. } => {
                    let ended = self.run.children.extract_if(.., |child| child.id == *child_id);
                    let ended: Vec<ChildStart> = ended.collect();
                    if result.is_err() {
                        self.run.failed.extend(ended);
                    }
                    self.run.stopping.retain(|child| child.id != *child_id);
                }
                Event::Due => self.run.now.0 += 10_000,
                _ => {}
            }
            self.run.apply(event).expect("applied before");
        }
        self.run.now = self.run.now.max(now);
        assert_eq!(without_times(&self.run.state), before);
        assert_eq!(keys(&self.run.jobs, |job| job.id), jobs);
        assert_eq!(keys(&self.run.children, |child| child.id), children);
        if !self.inbox.is_empty() {
            assert_eq!(self.run.output, output);
        }
        assert_eq!(self.run.outputs, outputs);
    }

    /// The execution is what the oracle says.
    fn compare(&self) {
        let state = &self.run.state;
        assert_eq!(state.status, self.oracle.status, "{state:?} {:?}", self.oracle);
        for (index, node) in self.run.definition.nodes.iter().enumerate() {
            let own = &state.nodes[&node.id];
            let status = if own.is_active() { NodeStatus::Running } else { own.status };
            assert_eq!(status, self.oracle.nodes[index], "{} {state:?} {:?}", node.id, self.oracle);
        }
        let under_way = |(_, node): &(&NodeId, &NodeState)| {
            use crate::workflow::execution::Wait;
            let is_idle = matches!(node.wait, Some(Wait::Delay | Wait::Items));
            node.is_active() && !is_idle && node.items.is_none()
        };
        let under_way: BTreeSet<String> =
            state.nodes.iter().filter(under_way).map(|(key, _)| key.to_string()).collect();
        assert_eq!(under_way, self.oracle.outstanding());
        for job in &self.run.jobs {
            assert!(
                !self.done.contains(&job.id),
                "{} runs again after its completion was committed",
                job.node
            );
        }
        let is_over = state.status.is_terminal();
        let is_busy = !self.run.jobs.is_empty() || is_over;
        assert_eq!(state.activity() == Activity::Busy, is_busy);
    }

    /// Everything that is under way ends well: then so does the execution, in a bounded number of steps.
    pub(super) fn drain(mut self) {
        for _ in 0..2_000 {
            if self.oracle.status.is_terminal() {
                let results: BTreeMap<_, _> =
                    self.run.records.iter().map(|record| ((&record.node, record.round), record)).collect();
                assert_eq!(results.len(), self.run.records.len(), "(node, round) names one result");
                return;
            }
            self.carry_out(&Step::Pass);
            self.carry_out(&Step::Stopped { which: 0, is_done: false });
            self.carry_out(&Step::Settle { which: 0, is_done: true, stops: true });
        }
        panic!("the execution never ends: {:?}", self.run.state);
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.oracle.status, ExecutionStatus::Completed | ExecutionStatus::Cancelled)
    }
}

fn node_of(named: &NodeKey) -> usize {
    named.node().as_str()[1..].parse().expect("made up from a number")
}

fn keys<T, K: Ord>(of: &[T], key: impl Fn(&T) -> K) -> BTreeSet<K> {
    of.iter().map(key).collect()
}

fn committed_of(run: &Run) -> Committed {
    Committed {
        snapshot: run.state.to_snapshot().expect("encodes"),
        records: run.records.len(),
        jobs: run.jobs.clone(),
        children: run.children.clone(),
        stopping: run.stopping.clone(),
        failed: run.failed.clone(),
        cancelled: run.cancelled.clone(),
        tasks: run.tasks.clone(),
    }
}

/// The state without what depends on when things happened.
fn without_times(state: &ExecutionState) -> ExecutionState {
    let mut state = without_values(state);
    state.started_at = None;
    for node in state.nodes.values_mut() {
        (node.started_at, node.finished_at) = (None, None);
        node.due_at = node.due_at.map(|_| Timestamp(0));
        if let Some(crate::workflow::execution::Wait::UserTask { escalate_at }) = &mut node.wait {
            *escalate_at = escalate_at.map(|_| Timestamp(0));
        }
    }
    state
}
