//! From event to event, until the execution has ended or waits for something that nobody gave.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::failure::JobError;
use crate::id::ExecutionId;
use crate::names::NodeId;
use crate::time::{DurationMs, Timestamp};
use crate::workflow::advance::advance;
use crate::workflow::definition::Definition;
use crate::workflow::execution::{
    Decision, Effect, Event, ExecutionContext, ExecutionError, ExecutionState, ExecutionStatus, NodeRecord,
    NodeSettled, NodeStatus, Outputs, TimelineEvent,
};
use crate::workflow::simulate::arrivals::{Arrivals, Seen};
use crate::workflow::simulate::{
    Awaited, MockEvent, MockOutcome, MockResult, Script, WaitingFor, awaited_by, open_in,
};

/// The most events of a simulation.
pub const EVENTS_MAX: usize = 10_000;

/// The most bytes of inputs and outputs that a simulation brings about.
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// Who completes user tasks of simulations.
const ACTOR: &str = "simulation";

/// A simulation that would take too long, or hold too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the simulation takes more than {EVENTS_MAX} events, {BYTES_MAX} bytes or the evaluation limits")]
pub struct TooMuch;

/// What became of a simulated execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulated {
    /// Where it stands: ended, or under way and waiting.
    pub status: ExecutionStatus,
    /// Its output, where it completed.
    pub output: Option<Value>,
    /// Why it failed, where it did.
    pub error: Option<ExecutionError>,
    /// All that began, a round each: first what was settled, in that order, then what is open or never started.
    pub rounds: Vec<SimulatedRound>,
    /// The timeline.
    pub timeline: Vec<TimelineEvent>,
    /// What it waits for; empty where it ended.
    pub waiting_for: Vec<WaitingFor>,
    /// The instant that the clock stands at.
    pub now: Timestamp,
}

/// A round of a node, of an item of a `MAP` or of a compensation.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedRound {
    /// Which.
    pub key: NodeId,
    /// How often it had been started.
    pub round: u32,
    /// Where it stands.
    pub status: NodeStatus,
    /// What its handler, child or person was given, where it has one.
    pub input: Option<Value>,
    /// What it returned.
    pub output: Option<Value>,
    /// Why it failed.
    pub error: Option<JobError>,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// When it was settled.
    pub finished_at: Option<Timestamp>,
}

/// Runs a definition from its start at `now`.
///
/// `context.allowance` is that of one step of an execution, for all of the simulation.
pub fn simulate(
    definition: &Definition,
    context: &ExecutionContext,
    mut script: Script,
    now: Timestamp,
) -> Result<Simulated, TooMuch> {
    let timed = script.take_timed_signals();
    let (timed_events, ready_events) = script.take_events();
    let mut run = Run {
        definition,
        context,
        script,
        state: ExecutionState::new(definition),
        outputs: Outputs::new(),
        now,
        pending: BTreeMap::new(),
        arrivals: Arrivals::new(ready_events),
        sequence: 0,
        begun: BTreeSet::new(),
        times_out: BTreeSet::new(),
        children: BTreeMap::new(),
        inputs: BTreeMap::new(),
        records: Vec::new(),
        timeline: Vec::new(),
        output: None,
    };
    run.schedule(DurationMs::ZERO, Event::Started);
    for signal in timed {
        let event = Event::Signal { name: signal.name, payload: signal.payload };
        run.schedule(signal.after.unwrap_or(DurationMs::ZERO), event);
    }
    for event in timed_events {
        run.schedule_next(event.after.unwrap_or(DurationMs::ZERO), Next::Arrival(event));
    }
    run.go()?;
    Ok(run.into_simulated())
}

/// What happens at an instant.
enum Next {
    /// To the execution.
    Event(Event),
    /// An event comes from outside, whoever waits for it.
    Arrival(MockEvent),
}

struct Run<'a> {
    definition: &'a Definition,
    context: &'a ExecutionContext,
    script: Script,
    state: ExecutionState,
    outputs: Outputs,
    now: Timestamp,
    /// What is going to happen, by instant and then in the order in which it was decided.
    pending: BTreeMap<(Timestamp, u64), Next>,
    arrivals: Arrivals,
    sequence: u64,
    /// The rounds of waits that were looked at.
    begun: BTreeSet<(NodeId, u32)>,
    /// Nodes that nothing comes for.
    times_out: BTreeSet<NodeId>,
    /// Whose children they are.
    children: BTreeMap<ExecutionId, NodeId>,
    inputs: BTreeMap<(NodeId, u32), Value>,
    records: Vec<NodeRecord>,
    timeline: Vec<TimelineEvent>,
    output: Option<Value>,
}

impl Run<'_> {
    fn go(&mut self) -> Result<(), TooMuch> {
        let mut bytes = 0;
        for _ in 0..EVENTS_MAX {
            let event = match self.next_event() {
                Some(Next::Event(event)) => event,
                Some(Next::Arrival(event)) => {
                    self.arrive(&event);
                    // Events that nobody waits for are work as well: whoever asked may be gone.
                    if self.context.allowance.is_low() {
                        return Err(TooMuch);
                    }
                    continue;
                }
                None => return Ok(()),
            };
            let (definition, context, now) = (self.definition, self.context, self.now);
            // What is refused came too late, as it may in use: the node was cancelled or has timed out.
            if let Ok(decision) = advance(definition, context, &mut self.state, &mut self.outputs, event, now)
            {
                bytes += decision.bytes;
                self.carry_out(decision);
            }
            if bytes > BYTES_MAX || self.context.allowance.is_low() {
                return Err(TooMuch);
            }
            if self.state.status.is_terminal() {
                return Ok(());
            }
            self.begin_waits();
        }
        Err(TooMuch)
    }

    /// What happens next, with the clock moved to it: something that was given, or something that is due.
    fn next_event(&mut self) -> Option<Next> {
        let given = self.pending.first_key_value().map(|(key, _)| *key);
        match (given, self.state.next_due_at()) {
            (given, Some(due_at)) if given.is_none_or(|(at, _)| due_at < at) => {
                self.may_wait_until(due_at).then(|| Next::Event(self.due(due_at)))
            }
            (Some(key), _) => {
                self.now = self.now.max(key.0);
                self.pending.remove(&key)
            }
            (None, _) => None,
        }
    }

    fn due(&mut self, due_at: Timestamp) -> Event {
        self.now = self.now.max(due_at);
        Event::Due
    }

    /// Whether the clock may move to what is due: nobody is waited for, or what is due is no end of a wait for somebody.
    /// Otherwise each execution that waits for a person would be seen to time out.
    fn may_wait_until(&self, due_at: Timestamp) -> bool {
        let mut is_open = false;
        for (key, node) in &self.state.nodes {
            let awaits = awaited_by(node).is_some_and(|awaited| !self.is_given(key, &awaited));
            is_open |= awaits;
            if !awaits && node.is_active() && node.due_times().any(|at| at <= due_at) {
                return true;
            }
        }
        // A `MAP` that paused goes on at once: its due time lies in the past.
        !is_open || due_at <= self.now
    }

    /// Whether something is going to end a node that waits: a result, or its timeout where that was asked for.
    fn is_given(&self, key: &NodeId, awaited: &Awaited) -> bool {
        let times_out = self.times_out.contains(key)
            && self.state.nodes.get(key).is_some_and(|node| node.due_at.is_some());
        let ends = |next: &Next| match next {
            Next::Event(event) => ends(event, key, awaited),
            Next::Arrival(event) => self.arrivals.would_end(event, key, self.seen()),
        };
        times_out || self.pending.values().any(ends)
    }

    fn schedule(&mut self, after: DurationMs, event: Event) {
        self.schedule_next(after, Next::Event(event));
    }

    fn schedule_next(&mut self, after: DurationMs, next: Next) {
        self.sequence += 1;
        self.pending.insert((self.now.plus(after), self.sequence), next);
    }

    fn seen(&self) -> Seen<'_> {
        let (definition, context) = (self.definition, self.context);
        Seen { definition, context, state: &self.state, outputs: &self.outputs }
    }

    fn arrive(&mut self, event: &MockEvent) {
        let mut arrivals = std::mem::take(&mut self.arrivals);
        let ends = arrivals.arrive(event, self.seen(), self.now);
        self.arrivals = arrivals;
        for end in ends {
            self.schedule(DurationMs::ZERO, end);
        }
    }

    fn carry_out(&mut self, decision: Decision) {
        if decision.output.is_some() {
            self.output = decision.output;
        }
        for effect in decision.effects {
            match effect {
                Effect::EnqueueNode(job) => {
                    self.keep_input(&job.node, job.data);
                    let settled = |result| NodeSettled {
                        node: job.node.clone(),
                        job_id: job.id,
                        result,
                        attempts: 1,
                        started_at: None,
                    };
                    if let Some((after, result)) = self.take_result(&job.node) {
                        self.schedule(after, Event::NodeSettled(settled(result)));
                    }
                }
                Effect::StartChild(child) => {
                    self.keep_input(&child.node, child.input);
                    self.children.insert(child.id, child.node.clone());
                    if let Some((after, result)) = self.take_result(&child.node) {
                        let event = Event::ChildSettled { node: child.node, child_id: child.id, result };
                        self.schedule(after, event);
                    }
                }
                Effect::CancelChildren { children, undoes: true } => self.end_children(children),
                Effect::OpenUserTask(task) => {
                    if let Some(input) = task.input {
                        self.keep_input(&task.node, input);
                    }
                }
                Effect::OpenEventWait(wait) => self.arrivals.open(wait),
                Effect::CloseEventWait { node, round } => self.arrivals.close(&node, round),
                Effect::RecordNode(record) => self.records.push(record),
                Effect::Emit(line) => self.timeline.push(line),
                // Results that come for them are refused; and nobody retries an execution here.
                Effect::CancelJobs(_)
                | Effect::CancelChildren { .. }
                | Effect::RetryChild { .. }
                | Effect::EscalateUserTask { .. }
                | Effect::CloseUserTask { .. }
                | Effect::SetAttributes(_) => {}
            }
        }
    }

    /// Children that undo what they did report once more.
    fn end_children(&mut self, children: Vec<ExecutionId>) {
        for child_id in children {
            if let Some(node) = self.children.get(&child_id).cloned() {
                let result = Err(JobError::coded("cancelled", "The child was cancelled."));
                self.schedule(DurationMs::ZERO, Event::ChildSettled { node, child_id, result });
            }
        }
    }

    /// Looks at the nodes that began to wait for the world or for a person, and schedules what comes for them.
    fn begin_waits(&mut self) {
        let waits: Vec<(WaitingFor, u32)> = open_in(&self.state)
            .filter(|open| !matches!(open.awaited, Awaited::Result | Awaited::Child))
            .map(|open| {
                let round = self.state.nodes.get(&open.key).map_or(0, |node| node.round);
                (open, round)
            })
            .filter(|(open, round)| !self.begun.contains(&(open.key.clone(), *round)))
            .collect();
        for (WaitingFor { key, awaited }, round) in waits {
            self.begun.insert((key.clone(), round));
            let given = match (self.script.take(&key), &awaited) {
                (Some(MockResult { outcome: MockOutcome::Output(value), after }), _) => Some((after, value)),
                (Some(_), _) => {
                    self.times_out.insert(key);
                    continue;
                }
                (None, Awaited::Signal(name)) => {
                    self.script.take_signal(name).map(|signal| (DurationMs::ZERO, signal.payload))
                }
                (None, Awaited::Event(_)) => {
                    self.begin_event_wait(&key);
                    continue;
                }
                (None, _) => None,
            };
            let Some((after, value)) = given else { continue };
            let event = match awaited {
                Awaited::Signal(name) => Event::Signal { name, payload: value },
                Awaited::UserTask => Event::UserTaskCompleted {
                    node: key,
                    round: Some(round),
                    output: value,
                    actor: ACTOR.to_owned(),
                },
                Awaited::Callback => Event::Callback { node: key, round: Some(round), payload: value },
                Awaited::Event(_) => Event::EventCame { node: key, round, output: value },
                Awaited::Result | Awaited::Child => continue,
            };
            self.schedule(after, event);
        }
    }

    /// Events may have come before, or come now that a node waits for them.
    fn begin_event_wait(&mut self, key: &NodeId) {
        let mut arrivals = std::mem::take(&mut self.arrivals);
        let ends = arrivals.begin(key, self.seen(), self.now);
        self.arrivals = arrivals;
        for end in ends {
            self.schedule(DurationMs::ZERO, end);
        }
    }

    /// The next result of a job or child, and how long it takes.
    fn take_result(&mut self, key: &NodeId) -> Option<(DurationMs, Result<Value, JobError>)> {
        let MockResult { outcome, after } = self.script.take(key)?;
        let result = match outcome {
            MockOutcome::Output(value) => Ok(value),
            MockOutcome::Error(error) => Err(error),
            MockOutcome::TimesOut => {
                Err(JobError::coded("timeout", "The attempt took longer than its timeout."))
            }
        };
        Some((after, result))
    }

    fn keep_input(&mut self, key: &NodeId, input: Value) {
        let round = self.state.nodes.get(key).map_or(0, |node| node.round);
        self.inputs.insert((key.clone(), round), input);
    }

    fn into_simulated(mut self) -> Simulated {
        let has_ended = self.state.status.is_terminal();
        let waiting_for = if has_ended { Vec::new() } else { open_in(&self.state).collect() };
        let mut rounds: Vec<SimulatedRound> = Vec::with_capacity(self.records.len());
        let mut settled = BTreeSet::new();
        for record in self.records {
            let input = self.inputs.remove(&(record.node.clone(), record.round)).or(record.input);
            settled.insert((record.node.clone(), record.round));
            rounds.push(SimulatedRound {
                key: record.node,
                round: record.round,
                status: record.status,
                input,
                output: record.output,
                error: record.error,
                started_at: record.started_at,
                finished_at: Some(record.finished_at),
            });
        }
        let in_order = self.definition.nodes.iter().map(|node| &node.id);
        let others = self.state.nodes.keys().filter(|key| self.definition.node(key).is_none());
        for key in in_order.chain(others) {
            let Some(node) = self.state.nodes.get(key) else { continue };
            if settled.contains(&(key.clone(), node.round)) {
                continue;
            }
            rounds.push(SimulatedRound {
                key: key.clone(),
                round: node.round,
                status: node.status,
                input: self.inputs.remove(&(key.clone(), node.round)),
                output: None,
                error: node.error.clone(),
                started_at: node.started_at,
                finished_at: node.finished_at,
            });
        }
        Simulated {
            status: self.state.status,
            output: self.output,
            error: self.state.error.clone(),
            rounds,
            timeline: self.timeline,
            waiting_for,
            now: self.now,
        }
    }
}

/// Whether an event ends a node that waits.
fn ends(event: &Event, key: &NodeId, awaited: &Awaited) -> bool {
    match (event, awaited) {
        (Event::NodeSettled(settled), Awaited::Result) => settled.node == *key,
        (Event::ChildSettled { node, .. }, Awaited::Child)
        | (Event::UserTaskCompleted { node, .. }, Awaited::UserTask)
        | (Event::Callback { node, .. }, Awaited::Callback)
        | (Event::EventCame { node, .. }, Awaited::Event(_)) => node == key,
        (Event::Signal { name, .. }, Awaited::Signal(awaited)) => name == awaited,
        _ => false,
    }
}
