//! A definition with one execution of it, driven by hand. For the tests of `advance`.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::failure::JobError;
use crate::id::{ExecutionId, JobId};
use crate::names::{NodeId, TenantName};
use crate::queue::Tier;
use crate::time::Timestamp;
use crate::workflow::advance::advance;
use crate::workflow::definition::Definition;
use crate::workflow::execution::{
    Decision, Effect, Event, ExecutionContext, ExecutionState, ExecutionStatus, NodeJob, NodeRecord,
    NodeSettled, NodeStatus, Outputs, Refusal,
};
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
    /// Every record so far.
    pub(super) records: Vec<NodeRecord>,
    /// What became of the execution.
    pub(super) output: Option<Value>,
}

impl Run {
    /// An execution of a workflow with these nodes and, beside them, these fields.
    pub(super) fn of(nodes: &Value, more: &Value, input: Value) -> Self {
        let mut text = json!({"name": "w", "version": 1, "nodes": nodes});
        for (field, value) in more.as_object().expect("an object") {
            text[field] = value.clone();
        }
        let parsed = parse(text.to_string().as_bytes(), Format::Json, &DefinitionLimits::default());
        let definition = parsed.expect("a valid definition").definition;
        let context = ExecutionContext {
            id: ExecutionId::from_uuid(Uuid::from_u128(42)),
            tenant: TenantName::trusted("acme"),
            workflow: definition.name.clone(),
            version: definition.version,
            tier: Tier::Normal,
            input,
            created_at: Timestamp(0),
        };
        let state = ExecutionState::new(&definition);
        Self {
            definition,
            context,
            state,
            outputs: BTreeMap::new(),
            now: Timestamp(1_000),
            jobs: Vec::new(),
            records: Vec::new(),
            output: None,
        }
    }

    /// The same, started.
    pub(super) fn started(nodes: &Value, input: Value) -> Self {
        let mut run = Self::of(nodes, &json!({}), input);
        run.apply(Event::Started).expect("a new execution starts");
        run
    }

    /// Applies an event, and does to `jobs` what the shell would do; checks what holds after every event.
    pub(super) fn apply(&mut self, event: Event) -> Result<Decision, Refusal> {
        self.now.0 += 1;
        let before = (self.state.clone(), self.outputs.clone());
        let result =
            advance(&self.definition, &self.context, &mut self.state, &mut self.outputs, event, self.now);
        match &result {
            Err(_) => {
                assert_eq!((&before.0, &before.1), (&self.state, &self.outputs), "a refusal leaves no trace");
            }
            Ok(decision) => self.carry_out(decision),
        }
        self.check();
        result
    }

    fn carry_out(&mut self, decision: &Decision) {
        for effect in &decision.effects {
            match effect {
                Effect::EnqueueNode(job) => self.jobs.push(job.clone()),
                Effect::CancelJobs(ids) => {
                    for id in ids {
                        let position = self.jobs.iter().position(|job| job.id == *id);
                        self.jobs.remove(position.expect("only jobs that were enqueued are cancelled"));
                    }
                }
                Effect::RecordNode(record) => {
                    let is_new =
                        self.records.iter().all(|old| (&old.node, old.round) != (&record.node, record.round));
                    assert!(is_new, "(node, round) names one result: {record:?}");
                    self.records.push(record.clone());
                }
                Effect::Emit(_) => {}
            }
        }
        if decision.output.is_some() {
            self.output.clone_from(&decision.output);
        }
    }

    /// What is kept beside the nodes agrees with the nodes.
    fn check(&self) {
        let is_open = |status| !matches!(status, NodeStatus::Completed | NodeStatus::Skipped);
        let open = self.state.nodes.values().filter(|node| is_open(node.status)).count();
        assert_eq!(self.state.nodes_open as usize, open);
        for node in &self.definition.nodes {
            let state = &self.state.nodes[&node.id];
            if state.status == NodeStatus::Pending {
                let open = node.depends_on.iter().filter(|id| is_open(self.state.nodes[*id].status)).count();
                assert_eq!(state.waits_for as usize, open, "{}", node.id);
            }
        }
        let running = self.state.nodes.values().filter(|node| node.status == NodeStatus::Running).count();
        assert_eq!(running, self.jobs.len());
        assert_eq!(self.state.status == ExecutionStatus::Running, running > 0, "{:?}", self.state.status);
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

    pub(super) fn job_id(&self, node: &str) -> Option<JobId> {
        self.state.nodes[&NodeId::trusted(node)].job_id
    }
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
