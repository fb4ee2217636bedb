//! A definition with one execution of it, driven by hand. For the tests of `advance`.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::failure::JobError;
use crate::id::{ExecutionId, JobId};
use crate::names::{NodeId, TenantName};
use crate::queue::Tier;
use crate::time::Timestamp;
use crate::workflow::NodeKey;
use crate::workflow::advance::advance;
use crate::workflow::callback::CallbackBase;
use crate::workflow::definition::Definition;
use crate::workflow::execution::{
    ChildStart, Decision, Effect, Event, EventWait, ExecutionContext, ExecutionState, ExecutionStatus,
    NodeJob, NodeRecord, NodeSettled, NodeState, NodeStatus, Outputs, Refusal, UserTask, Wait,
};
use crate::workflow::expression::Allowance;
use crate::workflow::parse::{DefinitionLimits, Format, parse};

/// One execution.
pub(super) struct Run {
    pub(super) definition: Definition,
    pub(super) context: ExecutionContext,
    pub(super) state: ExecutionState,
    pub(super) outputs: Outputs,
    pub(super) now: Timestamp,
    /// The jobs that were enqueued and neither settled nor cancelled, in the order in which they were enqueued.
    pub(super) jobs: Vec<NodeJob>,
    /// The children that were started and neither ended nor were cancelled.
    pub(super) children: Vec<ChildStart>,
    /// The children that were asked to undo what they did, and have not ended.
    pub(super) stopping: Vec<ChildStart>,
    /// The children that failed.
    pub(super) failed: Vec<ChildStart>,
    /// The jobs that were cancelled. Each may have completed just before.
    pub(super) cancelled: Vec<NodeJob>,
    /// The user tasks that are open.
    pub(super) tasks: Vec<UserTask>,
    pub(super) event_waits: Vec<EventWait>,
    /// Every record so far.
    pub(super) records: Vec<NodeRecord>,
    /// Every line of the timeline so far: kind, and the node it is about.
    pub(super) timeline: Vec<(&'static str, Option<NodeId>)>,
    /// What became of the execution.
    pub(super) output: Option<Value>,
    /// Whether everything is checked after every event, which takes as long as the state is large.
    pub(super) is_checked: bool,
}

/// A definition with these nodes and, beside them, these fields.
pub(super) fn definition_of(nodes: &Value, more: &Value) -> Definition {
    let mut text = json!({"name": "w", "version": 1, "nodes": nodes});
    for (field, value) in more.as_object().expect("an object") {
        text[field] = value.clone();
    }
    let parsed = parse(text.to_string().as_bytes(), Format::Json, &DefinitionLimits::default());
    parsed.unwrap_or_else(|faults| panic!("a valid definition: {faults:?} {text}")).definition
}

/// What executions of it have in common.
pub(super) fn context_of(definition: &Definition, input: Value) -> ExecutionContext {
    ExecutionContext {
        id: ExecutionId::from_uuid(Uuid::from_u128(42)),
        tenant: TenantName::trusted("acme"),
        workflow: definition.name.clone(),
        version: definition.version,
        tier: Tier::Normal,
        input,
        created_at: Timestamp(0),
        depth: 0,
        callbacks: CallbackBase { url: "https://trunk.example".to_owned(), key: [7; 32] },
        allowance: Allowance::default(),
    }
}

impl Run {
    /// An execution of a workflow with these nodes and, beside them, these fields.
    pub(super) fn of(nodes: &Value, more: &Value, input: Value) -> Self {
        let definition = definition_of(nodes, more);
        let context = context_of(&definition, input);
        let state = ExecutionState::new(&definition);
        Self {
            definition,
            context,
            state,
            outputs: BTreeMap::new(),
            now: Timestamp(1_000),
            jobs: Vec::new(),
            children: Vec::new(),
            stopping: Vec::new(),
            failed: Vec::new(),
            cancelled: Vec::new(),
            tasks: Vec::new(),
            event_waits: Vec::new(),
            records: Vec::new(),
            timeline: Vec::new(),
            output: None,
            is_checked: true,
        }
    }

    /// The same, started.
    pub(super) fn started(nodes: &Value, input: Value) -> Self {
        Self::started_with(nodes, &json!({}), input)
    }

    /// The same, with more fields.
    pub(super) fn started_with(nodes: &Value, more: &Value, input: Value) -> Self {
        let mut run = Self::of(nodes, more, input);
        run.apply(Event::Started).expect("a new execution starts");
        run
    }

    /// Applies an event, and does to `jobs` what the shell would do; checks what holds after every event.
    pub(super) fn apply(&mut self, event: Event) -> Result<Decision, Refusal> {
        self.now.0 += 1;
        let before = self.is_checked.then(|| (self.state.clone(), self.outputs.clone()));
        let result =
            advance(&self.definition, &self.context, &mut self.state, &mut self.outputs, event, self.now);
        match (&result, before) {
            (Err(_), Some((state, outputs))) => {
                assert_eq!((&state, &outputs), (&self.state, &self.outputs), "a refusal leaves no trace");
            }
            (Ok(decision), _) => self.carry_out(decision),
            _ => {}
        }
        if self.is_checked {
            self.check();
        }
        result
    }

    /// Applies `Due` at an instant.
    pub(super) fn due_at(&mut self, at: i64) -> Decision {
        self.now = Timestamp(at - 1);
        self.apply(Event::Due).expect("not ended")
    }

    fn carry_out(&mut self, decision: &Decision) {
        for effect in &decision.effects {
            match effect {
                Effect::EnqueueNode(job) => self.jobs.push(job.clone()),
                Effect::CancelJobs(ids) => {
                    for id in ids {
                        let position = self.jobs.iter().position(|job| job.id == *id);
                        let job =
                            self.jobs.remove(position.expect("only jobs that were enqueued are cancelled"));
                        self.cancelled.push(job);
                    }
                }
                Effect::StartChild(child) => self.children.push(child.clone()),
                Effect::RetryChild { node, child_id } => {
                    let position = self.failed.iter().position(|child| child.id == *child_id);
                    let child = self.failed.remove(position.expect("only children that failed go on"));
                    assert_eq!(child.node, *node);
                    self.children.push(child);
                }
                Effect::CancelChildren { children, undoes } => {
                    for id in children {
                        self.cancel_child(*id, *undoes);
                    }
                }
                Effect::OpenUserTask(task) => self.tasks.push(task.clone()),
                Effect::EscalateUserTask { node, round, assignee, group } => {
                    let task = self.tasks.iter_mut().find(|task| task.node == *node && task.round == *round);
                    let task = task.expect("only open tasks are handed on");
                    if assignee.is_some() || group.is_some() {
                        (task.assignee, task.group) = (assignee.clone(), group.clone());
                    }
                }
                Effect::CloseUserTask { node, round, .. } => {
                    let position =
                        self.tasks.iter().position(|task| task.node == *node && task.round == *round);
                    self.tasks.remove(position.expect("only open tasks are closed"));
                }
                Effect::OpenEventWait(wait) => self.event_waits.push(wait.clone()),
                Effect::CloseEventWait { node, round } => {
                    let is_it = |wait: &EventWait| wait.node == *node && wait.round == *round;
                    let position = self.event_waits.iter().position(is_it);
                    self.event_waits.remove(position.expect("only open waits are closed"));
                }
                Effect::RecordNode(record) => {
                    let is_new = !self.is_checked
                        || self
                            .records
                            .iter()
                            .all(|old| (&old.node, old.round) != (&record.node, record.round));
                    assert!(is_new, "(node, round) names one result: {record:?}");
                    self.records.push(record.clone());
                }
                Effect::Emit(event) => self.timeline.push((event.kind.as_str(), event.node.clone())),
                Effect::SetAttributes(_) => {}
            }
        }
        if decision.output.is_some() {
            self.output.clone_from(&decision.output);
        }
    }

    fn cancel_child(&mut self, id: ExecutionId, undoes: bool) {
        let position = self.children.iter().position(|child| child.id == id);
        match position {
            Some(position) if undoes => self.stopping.push(self.children.remove(position)),
            Some(position) => drop(self.children.remove(position)),
            None => {
                assert!(!undoes, "only children that were started are cancelled");
                self.stopping.retain(|child| child.id != id);
            }
        }
    }

    /// What is kept beside the nodes agrees with the nodes, and with the effects that the shell got.
    fn check(&self) {
        check_counters(&self.definition, &self.state);
        let running = self.state.nodes.values().filter(|node| node.status == NodeStatus::Running);
        let running: Vec<JobId> = running.filter_map(|node| node.job_id).collect();
        assert_eq!(running.len(), self.jobs.len(), "{running:?} {:?}", self.jobs);
        assert!(self.jobs.iter().all(|job| running.contains(&job.id)));
        let waiting = |is_it: fn(&Wait) -> bool| {
            self.state.nodes.values().filter(|node| node.wait.as_ref().is_some_and(is_it)).count()
        };
        assert_eq!(waiting(|wait| matches!(wait, Wait::Child { .. })), self.children.len());
        assert_eq!(waiting(|wait| matches!(wait, Wait::UserTask { .. })), self.tasks.len());
        assert_eq!(waiting(|wait| matches!(wait, Wait::Event { .. })), self.event_waits.len());
        let stopping = self.stopping.iter().map(|child| child.id);
        assert!(self.state.stopping.iter().all(|id| stopping.clone().any(|stopping| stopping == *id)));
        let is_active =
            self.state.nodes.values().any(NodeState::is_active) || !self.state.stopping.is_empty();
        let is_under_way =
            matches!(self.state.status, ExecutionStatus::Running | ExecutionStatus::Compensating);
        assert_eq!(is_under_way, is_active, "{:?}", self.state);
        let bytes = self.state.to_snapshot().expect("encodes");
        let loaded = ExecutionState::restore(&bytes, &self.definition).expect("decodes");
        assert_eq!(without_values(&loaded), without_values(&self.state));
    }

    /// Drops what is in memory, and takes the execution up from its snapshot and its records.
    pub(super) fn reload(&mut self) {
        let bytes = self.state.to_snapshot().expect("encodes");
        self.state = ExecutionState::restore(&bytes, &self.definition).expect("decodes");
        self.outputs = outputs_of(&self.records, &self.state);
    }

    /// The event of the job of a node ending.
    pub(super) fn settled(job: &NodeJob, result: Result<Value, JobError>) -> Event {
        Event::NodeSettled(NodeSettled {
            node: job.node.clone(),
            job_id: job.id,
            result,
            attempts: 1,
            started_at: Some(Timestamp(900)),
        })
    }

    /// Takes the job of a running node.
    pub(super) fn take(&mut self, node: &str) -> NodeJob {
        let position = self.jobs.iter().position(|job| job.node.as_str() == node);
        self.jobs.remove(position.unwrap_or_else(|| panic!("{node} is not running")))
    }

    /// The node's job ends well.
    pub(super) fn succeed(&mut self, node: &str, output: Value) -> Decision {
        let job = self.take(node);
        self.apply(Self::settled(&job, Ok(output))).expect("awaited")
    }

    /// The node's job becomes a dead letter.
    pub(super) fn fail(&mut self, node: &str) -> NodeJob {
        let job = self.take(node);
        self.apply(Self::settled(&job, Err(JobError::coded("boom", "it broke")))).expect("awaited");
        job
    }

    /// The dead letter of a node is requeued: its job is in the queue again.
    pub(super) fn requeue(&mut self, job: &NodeJob) -> Result<Decision, Refusal> {
        self.jobs.push(job.clone());
        let event = Event::NodeRequeued { node: job.node.clone(), job_id: job.id };
        let result = self.apply_unchecked(event);
        if result.is_err() {
            self.jobs.retain(|queued| queued.id != job.id);
        }
        self.check();
        result
    }

    /// The child of a node ends.
    pub(super) fn child_ends(&mut self, node: &str, result: Result<Value, JobError>) -> Decision {
        let position = self.children.iter().position(|child| child.node.as_str() == node);
        let child = self.children.remove(position.unwrap_or_else(|| panic!("{node} has no child")));
        if result.is_err() {
            self.failed.push(child.clone());
        }
        let event = Event::ChildSettled { node: child.node, child_id: child.id, result };
        self.apply(event).expect("awaited")
    }

    /// A child that was asked to stop ends.
    pub(super) fn stopped_child_ends(&mut self, node: &str, result: Result<Value, JobError>) {
        let position = self.stopping.iter().position(|child| child.node.as_str() == node);
        let child = self.stopping.remove(position.unwrap_or_else(|| panic!("{node} has no child")));
        let event = Event::ChildSettled { node: child.node, child_id: child.id, result };
        self.apply(event).expect("its end is awaited");
    }

    /// A child that failed goes on.
    pub(super) fn child_goes_on(&mut self, child: &ChildStart) -> Result<Decision, Refusal> {
        let position = self.failed.iter().position(|failed| failed.id == child.id).expect("failed");
        let child = self.failed.remove(position);
        self.children.push(child.clone());
        let event = Event::ChildResumed { node: child.node.clone(), child_id: child.id };
        let result = self.apply_unchecked(event);
        if result.is_err() {
            self.children.retain(|running| running.id != child.id);
            self.failed.push(child);
        }
        self.check();
        result
    }

    /// A job that was cancelled had completed just before.
    pub(super) fn late(&mut self, node: &str, output: Value) -> Result<Decision, Refusal> {
        let position = self.cancelled.iter().rposition(|job| job.node.as_str() == node);
        let job = self.cancelled.remove(position.unwrap_or_else(|| panic!("{node} was not cancelled")));
        self.apply(Self::settled(&job, Ok(output)))
    }

    fn apply_unchecked(&mut self, event: Event) -> Result<Decision, Refusal> {
        self.now.0 += 1;
        let result =
            advance(&self.definition, &self.context, &mut self.state, &mut self.outputs, event, self.now);
        if let Ok(decision) = &result {
            self.carry_out(decision);
        }
        result
    }

    pub(super) fn status(&self, node: &str) -> NodeStatus {
        self.state.nodes[&NodeId::trusted(node)].status
    }

    /// The ids of the nodes with a job in the queue.
    pub(super) fn running(&self) -> Vec<&str> {
        self.jobs.iter().map(|job| job.node.as_str()).collect()
    }

    /// The ids of the nodes in the order in which they were settled with this status.
    pub(super) fn recorded(&self, status: NodeStatus) -> Vec<&str> {
        let records = self.records.iter().filter(|record| record.status == status);
        records.map(|record| record.node.as_str()).collect()
    }

    pub(super) fn error_code(&self) -> Option<&str> {
        self.state.error.as_ref().and_then(|error| error.code.as_deref())
    }

    pub(super) fn job_id(&self, node: &str) -> Option<JobId> {
        self.state.nodes[&NodeId::trusted(node)].job_id
    }
}

/// The counters agree with the nodes.
pub(super) fn check_counters(definition: &Definition, state: &ExecutionState) {
    let mut counted = state.clone();
    counted.recount(definition);
    assert_eq!(counted.nodes_open, state.nodes_open);
    for (key, node) in &state.nodes {
        assert_eq!(counted.nodes[key].waits_for, node.waits_for, "{key}");
        if !node.is_active() {
            assert_eq!((&node.wait, node.due_at), (&None, None), "{key}");
        }
        if let Some(items) = node.items.as_ref().filter(|items| items.next > 0) {
            let bits: u32 = items.completed.iter().map(|byte| byte.count_ones()).sum();
            assert_eq!(bits, items.done, "{key}");
        }
    }
    let is_compensation = |key: &NodeId| matches!(NodeKey::of(key), NodeKey::Compensation(_));
    let undoing = state.nodes.iter().filter(|(key, node)| is_compensation(key) && node.is_active()).count();
    assert_eq!(undoing as u32, state.undoing);
}

/// The state without what is made again after a load.
pub(super) fn without_values(state: &ExecutionState) -> ExecutionState {
    let mut state = state.clone();
    for items in state.nodes.values_mut().filter_map(|node| node.items.as_mut()) {
        items.values = None;
    }
    state
}

/// The outputs as the store gives them: the latest of each key.
pub(super) fn outputs_of(records: &[NodeRecord], state: &ExecutionState) -> Outputs {
    let outputs = records.iter().filter_map(|record| Some((record.node.clone(), record.output.clone()?)));
    outputs.filter(|(key, _)| state.has_output(key)).collect()
}

/// A SERVICE_TASK.
pub(super) fn task(id: &str, depends_on: &[&str]) -> Value {
    json!({"id": id, "type": "SERVICE_TASK", "jobType": "work", "dependsOn": depends_on})
}

/// The same with more fields.
pub(super) fn task_with(id: &str, depends_on: &[&str], more: &Value) -> Value {
    let mut node = task(id, depends_on);
    for (field, value) in more.as_object().expect("an object") {
        node[field] = value.clone();
    }
    node
}

/// A TRANSFORM.
pub(super) fn transform(id: &str, depends_on: &[&str], output: &Value) -> Value {
    json!({"id": id, "type": "TRANSFORM", "dependsOn": depends_on, "output": output})
}
