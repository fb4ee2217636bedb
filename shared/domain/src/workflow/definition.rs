//! A checked workflow definition: what `parse` makes and `advance` follows. Holds no text and no checks.

use std::collections::HashMap;

use serde_json::Value;

use crate::attribute::AttributeType;
use crate::error::Fault;
use crate::event::MatchPath;
use crate::names::{AttributeName, CallerKey, EventType, JobType, NodeId, WorkflowName};
use crate::queue::Tier;
use crate::rate::Rate;
use crate::retry::Backoff;
use crate::time::DurationMs;
use crate::workflow::expression::{Expression, InputSchema, SealedHeader, Template};
use crate::workflow::unique::UniqueSpec;

/// A definition that passed every check. Immutable; share it behind an `Arc`.
#[derive(Debug)]
pub struct Definition {
    /// Its name.
    pub name: WorkflowName,
    /// Its number; content never changes under one.
    pub version: u32,
    /// The JSON Schema of its input (draft 2020-12), compiled; see [`check_input`](check_input).
    pub input_check: Option<InputSchema>,
    /// How many executions of it may be under way, where the definition says so.
    pub max_concurrent: Option<u32>,
    /// How many executions of it may be started in a period, where the definition says so.
    pub rate: Option<Rate>,
    /// The key of its executions, and what is done while one with it is open.
    pub unique: Option<UniqueSpec>,
    /// Names by which its executions are found.
    pub attributes: Vec<DefinedAttribute>,
    /// How long an execution may take.
    pub timeout: Option<DurationMs>,
    /// How long an execution may wait for its start, where the start says nothing itself.
    pub expires_in: Option<DurationMs>,
    /// The retries of nodes that say nothing themselves.
    pub retry: Option<RetrySpec>,
    /// The nodes in the order of the text, and after them those of `onFailure`.
    pub nodes: Vec<Node>,
    /// Where the nodes of `onFailure` begin in `nodes`; its length where there are none. They start only once the
    /// execution has failed and what completed has been undone.
    pub on_failure_from: usize,
    /// The output; without one, the outputs of the completed leaf nodes by id.
    pub output: Option<Template>,
    /// The canonical text that the content hash is of.
    pub canonical_json: String,
    /// Who waits for whom, by index into `nodes`.
    pub graph: Graph,
    /// The nodes that wait for events, by index into `nodes`.
    pub event_waits: Vec<usize>,
}

impl Definition {
    /// The node with this id.
    pub fn node(&self, id: &NodeId) -> Option<&Node> {
        self.graph.index.get(id).map(|&index| &self.nodes[index])
    }

    /// Whether a node belongs to `onFailure`.
    pub const fn is_on_failure(&self, index: usize) -> bool {
        index >= self.on_failure_from
    }
}

/// A name by which the executions of a definition are found.
#[derive(Debug)]
pub struct DefinedAttribute {
    /// The name.
    pub name: AttributeName,
    /// The type of its values.
    pub kind: AttributeType,
    /// What it is set to at the start; nodes may set it as well.
    pub value: Option<Template>,
}

/// The dependencies, compiled for `advance`: everything by index into [`Definition::nodes`].
///
/// The target of a `goto` (of a `SWITCH` case or of `onError`) waits for the node that names it, whether or not it
/// lists it in `dependsOn`.
#[derive(Debug, Default)]
pub struct Graph {
    /// The index of each node.
    pub index: HashMap<NodeId, usize>,
    /// The nodes that each node waits for.
    pub dependencies: Vec<Vec<usize>>,
    /// The nodes that wait for each node, ascending.
    pub dependents: Vec<Vec<usize>>,
    /// The nodes that wait for none; without those of `onFailure`.
    pub roots: Vec<usize>,
    /// The nodes of `onFailure` that wait for none.
    pub on_failure_roots: Vec<usize>,
    /// The nodes that none waits for; without those of `onFailure`.
    pub leaves: Vec<usize>,
}

/// Retries as a definition spells them; what is absent comes from the queue.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RetrySpec {
    /// How often a failed job is tried again.
    pub retries_max: Option<u32>,
    /// The waits in between.
    pub backoff: Option<Backoff>,
}

/// A unit of the workflow: what it does, what it waits for, and what happens when it fails.
#[derive(Debug)]
pub struct Node {
    /// Its id, unique in the definition.
    pub id: NodeId,
    /// What it does, with the options of that kind.
    pub kind: NodeKind,
    /// The nodes it lists as those it waits for. It waits as well for those that name it as their target; see
    /// [`Graph::dependencies`] for all of them.
    pub depends_on: Vec<NodeId>,
    /// Skips the node when it is false.
    pub when: Option<Expression>,
    /// Its retries, the definition's filled in where the node says nothing. Those of a `WORKFLOW` are its own only:
    /// another child is started only where the node asks for it.
    pub retry: Option<RetrySpec>,
    /// The longest attempt; the longest wait of a node that waits.
    pub timeout: Option<DurationMs>,
    /// How long its jobs, or its child, may wait for their start. Those of a `MAP` are its items'.
    pub expires_in: Option<DurationMs>,
    /// The keys of its jobs. Those of a `MAP` are its items'.
    pub keys: JobKeys,
    /// What its execution is found by once it completed.
    pub attributes: Vec<(AttributeName, Template)>,
    /// Its tier; `None` takes the execution's.
    pub priority: Option<Tier>,
    /// What happens when it fails for good.
    pub on_error: OnError,
    /// What undoes it, once it completed and the execution does not.
    pub compensate: Option<Box<Task>>,
    /// Runs it again until a condition holds.
    pub repeat: Option<Repeat>,
}

/// Under which keys the jobs of a node run. An expression that gives null gives no key.
#[derive(Debug, Default)]
pub struct JobKeys {
    /// At most one leased job of the tenant has this key, or as many as is declared for it.
    pub concurrency: Option<Template>,
    /// Starts are counted under this key of the tenant besides.
    pub rate: Option<Template>,
}

/// Something to do that is no node of its own: each item of a `MAP`, and a compensation. Its kind is `SERVICE_TASK`,
/// `HTTP`, `TRANSFORM` or, in a `MAP`, `WORKFLOW`.
#[derive(Debug)]
pub struct Task {
    /// What it does, with the options of that kind.
    pub kind: NodeKind,
    /// Its retries; where it says nothing those of its `MAP`, and then the definition's. Those of a `WORKFLOW` never
    /// come from the definition.
    pub retry: Option<RetrySpec>,
    /// How long one attempt may take; `None` is unlimited.
    pub timeout: Option<DurationMs>,
}

/// `repeat`: a node runs again, a round each, until a condition on its output holds.
#[derive(Debug)]
pub struct Repeat {
    /// Ends the loop when it is true. The node's own output is in scope as `nodes.<id>.output`.
    pub until: Expression,
    /// The most rounds; the node fails with the code `repeat_exhausted` when the last one does not meet `until`.
    pub rounds_max: u32,
    /// The wait between two rounds.
    pub delay: DurationMs,
}

/// What a node that is out of retries does to its execution.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OnError {
    /// The execution fails.
    #[default]
    Fail,
    /// The node counts as COMPLETED with the output `{"error": …}`.
    Continue,
    /// As `Continue`, but of the nodes that wait for it only this one goes on. If the node succeeds, this one does
    /// not go on because of it.
    Goto(NodeId),
}

/// What a node does.
#[derive(Debug)]
pub enum NodeKind {
    /// A handler chosen by job type does it.
    ServiceTask {
        /// The handler's name.
        job_type: JobType,
        /// What it gets; an empty object where absent.
        input: Option<Template>,
    },
    /// The node pool sends a request.
    Http {
        /// An object with `method`, `url`, `headers` and, where the definition has one, `body`.
        request: Template,
        /// Headers with secrets in them, which are not among those of `request`.
        sealed: Vec<SealedHeader>,
        /// The status codes that count as success; empty means any 2xx.
        expect: Vec<u16>,
    },
    /// Evaluated in place.
    Transform {
        /// The output.
        output: Template,
    },
    /// Waits for a time.
    Timer(TimerEnd),
    /// Waits for a signal; its payload is the output. One that came early is kept.
    Signal {
        /// The signal's name.
        signal: CallerKey,
    },
    /// Waits for a person.
    UserTask(Box<UserTaskSpec>),
    /// Does one thing for each item of a list. The output is the list of results in the order of the items.
    Map(Box<MapSpec>),
    /// Runs another workflow to its end; the child's output is the output.
    Workflow {
        /// The child's workflow.
        workflow: WorkflowName,
        /// The version; the latest at the time of the start where absent.
        version: Option<u32>,
        /// The child's input; an empty object where absent.
        input: Option<Template>,
    },
    /// Chooses one of several ways. Completes with `{"chosen": id}`, or `{"chosen": null}` where nothing matches and
    /// there is no default. Every target that it did not choose is SKIPPED.
    Switch {
        /// The first whose condition is true is taken.
        cases: Vec<SwitchCase>,
        /// Taken where no case is.
        default: Option<NodeId>,
    },
    /// Waits for one request to a callback address of its own, which expressions of any node read as
    /// `nodes.<id>.callbackUrl`. The output is what was sent.
    WaitWebhook,
    /// Waits for an event; the output is `{"event", "body", "deliveryId", "receivedAt"}`.
    WaitEvent(Box<EventSpec>),
}

/// Which events a `WAIT_EVENT` waits for.
#[derive(Debug)]
pub struct EventSpec {
    /// Their types, of which the first to come counts.
    pub events: Vec<EventType>,
    /// What of the body has to be equal to what, in the order of the paths. The values are evaluated when the wait begins.
    pub matches: Vec<(MatchPath, Template)>,
    /// What else has to hold of an event. It sees the delivery beside the execution.
    pub filter: Option<Expression>,
    /// How long before the wait an event may have come.
    pub lookback: DurationMs,
}

/// When a `TIMER` ends.
#[derive(Debug)]
pub enum TimerEnd {
    /// So long after it started.
    Duration(DurationMs),
    /// So long after it started; a template that gives a duration as text.
    DurationOf(Template),
    /// At an instant; a template that gives an RFC 3339 text. One that has passed ends the timer at once.
    Until(Template),
}

/// What a `USER_TASK` asks of a person.
#[derive(Debug)]
pub struct UserTaskSpec {
    /// The person, as text.
    pub assignee: Option<Template>,
    /// The group, as text.
    pub group: Option<Template>,
    /// Input of the task, shown to the user.
    pub input: Option<Template>,
    /// The JSON Schema of what is submitted, and the same compiled.
    pub form: Option<(Value, InputSchema)>,
    /// When it should be done, counted from its start. Nothing happens then; it is shown and can be filtered by.
    pub due_in: Option<DurationMs>,
    /// Reassigns the task if it is not completed in time.
    pub escalation: Option<Escalation>,
}

/// Reassigns a user task.
#[derive(Debug)]
pub struct Escalation {
    /// Counted from the task's start.
    pub after: DurationMs,
    /// The new person; the old one is kept where both are absent.
    pub assignee: Option<Template>,
    /// The new group.
    pub group: Option<Template>,
}

/// What a `MAP` does for each item of its list.
#[derive(Debug)]
pub struct MapSpec {
    /// A template that gives the list.
    pub items: Template,
    /// How many items may be under way at once;
    /// [`CONCURRENCY_DEFAULT`](crate::workflow::advance::CONCURRENCY_DEFAULT) where absent.
    pub concurrency: Option<u32>,
    /// What happens when an item fails for good.
    pub on_item_error: OnItemError,
    /// What is done for each; `item` and `index` are in scope.
    pub task: Task,
}

/// What an item that failed for good does to its `MAP`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnItemError {
    /// The other items are cancelled, and the `MAP` fails with the item's error.
    #[default]
    Fail,
    /// The item's result is `{"error": …}`.
    Collect,
}

/// A way out of a `SWITCH`.
#[derive(Debug)]
pub struct SwitchCase {
    /// Taken when this is true.
    pub when: Expression,
    /// Where it leads.
    pub goto: NodeId,
}

impl NodeKind {
    /// The public name of the type.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::ServiceTask { .. } => "SERVICE_TASK",
            Self::Http { .. } => "HTTP",
            Self::Transform { .. } => "TRANSFORM",
            Self::Timer(_) => "TIMER",
            Self::Signal { .. } => "SIGNAL",
            Self::UserTask(_) => "USER_TASK",
            Self::Map(_) => "MAP",
            Self::Workflow { .. } => "WORKFLOW",
            Self::Switch { .. } => "SWITCH",
            Self::WaitWebhook => "WAIT_WEBHOOK",
            Self::WaitEvent(_) => "WAIT_EVENT",
        }
    }
}

/// Checks an input against the definition's schema. Pointers are under `/input`.
pub fn check_input(definition: &Definition, input: &Value) -> Result<(), Vec<Fault>> {
    let Some(schema) = &definition.input_check else {
        return Ok(());
    };
    schema.check(input).map_err(|faults| faults.into_iter().map(|fault| fault.under("/input")).collect())
}
