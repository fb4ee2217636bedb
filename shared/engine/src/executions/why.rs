//! Why an execution does not go on: which node waits for what.

use domain::access::Permission;
use domain::id::{ExecutionId, JobId};
use domain::names::{CallerKey, EventType, NodeId};
use domain::time::Timestamp;
use domain::why::{Why, WhyReason};
use domain::workflow::NodeKey;
use domain::workflow::definition::Definition;
use domain::workflow::execution::{ExecutionState, ExecutionStatus, NodeState, NodeStatus, Wait};
use domain::workflow::snapshot::SnapshotError;
use store::StoreError;
use store::executions::{ExecutionDetail, ExecutionRecord};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How many nodes and items are listed.
const NODES_MAX: usize = 100;
/// How many of their jobs are looked into.
const JOBS_MAX: usize = 20;

/// Why an execution does not go on.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutionWhy {
    /// Where it is.
    pub status: ExecutionStatus,
    /// Why its own job does not run, where nobody owns the execution although there is something to do.
    pub job: Option<Why>,
    /// What its nodes wait for, in the order of the definition, at most a hundred.
    pub waits_for: Vec<NodeWait>,
}

/// What a node waits for.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeWait {
    /// The node, the item of a `MAP` as `notify[17]`, or a compensation as `charge:compensate`.
    pub node_id: NodeId,
    /// The type of what is done there, such as `TIMER`.
    pub node_type: &'static str,
    /// `timer`, `signal`, `user_task`, `child`, `callback`, `event`, `delay`, `job_queued`, `job_running` or `retry_wait`.
    pub reason: &'static str,
    /// A sentence.
    pub detail: String,
    /// When the clock does something about it: the timer ends, the wait times out, the job is tried again.
    pub until: Option<Timestamp>,
    /// Its job.
    pub job_id: Option<JobId>,
    /// Its child.
    pub child_id: Option<ExecutionId>,
    /// Why its job does not run.
    pub job: Option<Why>,
}

impl Engine {
    /// Why an execution does not go on.
    pub async fn why_execution(&self, caller: &Caller, id: ExecutionId) -> Result<ExecutionWhy, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().execution_head(&caller.scope, id).await?;
        let detail = found.ok_or_else(|| EngineError::not_found("execution", &id))?;
        let status = detail.record.status;
        if status.is_terminal() {
            return Ok(ExecutionWhy { status, job: None, waits_for: Vec::new() });
        }
        let definition =
            self.definition(Some(&detail.record.tenant), &detail.definition, &id.to_string()).await?;
        let mut waits_for = waits_of(&detail, &definition)?;
        let with_jobs = waits_for.iter_mut().filter(|wait| wait.job_id.is_some()).take(JOBS_MAX);
        for wait in with_jobs {
            self.look_into_job(caller, wait).await?;
        }
        let job = self.own_job(caller, &detail).await?;
        if job.is_some() && status != ExecutionStatus::Pending {
            // What follows from a step without a slot is held.
            for wait in waits_for.iter_mut().filter(|wait| wait.reason == "job_queued") {
                "Its execution waits for a slot.".clone_into(&mut wait.detail);
            }
        }
        Ok(ExecutionWhy { status, job, waits_for })
    }

    /// A job that is processed or parked is as it should be, and not listed.
    async fn own_job(&self, caller: &Caller, detail: &ExecutionDetail) -> Result<Option<Why>, EngineError> {
        match self.why(caller, detail.record.job_id).await {
            Ok(_) if detail.record.is_held => Ok(Some(held(&detail.record))),
            Ok(why) => Ok(Some(why).filter(|why| {
                !matches!(why.reason, WhyReason::Running | WhyReason::Waiting | WhyReason::Finished)
            })),
            Err(EngineError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn look_into_job(&self, caller: &Caller, wait: &mut NodeWait) -> Result<(), EngineError> {
        let Some(job_id) = wait.job_id else {
            return Ok(());
        };
        let why = match self.why(caller, job_id).await {
            Ok(why) => why,
            Err(EngineError::NotFound { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        wait.detail.clone_from(&why.detail);
        match why.reason {
            WhyReason::Running => wait.reason = "job_running",
            WhyReason::NotDue => {
                wait.reason = "retry_wait";
                wait.until = why.frees_when.as_deref().and_then(Timestamp::parse);
            }
            WhyReason::Finished => {
                "The job has ended; its result is about to be applied.".clone_into(&mut wait.detail);
            }
            _ => {
                wait.reason = "job_queued";
                wait.job = Some(why);
            }
        }
        Ok(())
    }
}

/// The job of an execution that waits for its turn.
fn held(record: &ExecutionRecord) -> Why {
    let key = record.unique_key.as_ref().map(CallerKey::as_str).unwrap_or_default();
    Why {
        reason: WhyReason::UniqueKey,
        detail: format!("An execution with the unique key {key} is open."),
        level: None,
        rank: None,
        rate: None,
        can_start_at: None,
        frees_when: Some("earlier executions with the key have ended".to_owned()),
    }
}

/// What stands in the state, before any job is looked into.
fn waits_of(detail: &ExecutionDetail, definition: &Definition) -> Result<Vec<NodeWait>, EngineError> {
    let Some(bytes) = &detail.state else {
        return Ok(Vec::new());
    };
    let state = restore(bytes, definition, detail.record.id)?;
    let mut waits: Vec<(usize, NodeWait)> =
        state.nodes.iter().filter_map(|(key, node)| wait_of(key, node, definition)).collect();
    waits.sort_by_key(|(place, _)| *place);
    waits.truncate(NODES_MAX);
    Ok(waits.into_iter().map(|(_, wait)| wait).collect())
}

/// What one node, item or compensation waits for, with its place in the definition.
pub(super) fn wait_of(key: &NodeId, state: &NodeState, definition: &Definition) -> Option<(usize, NodeWait)> {
    let key_of = NodeKey::of(key);
    let place = *definition.graph.index.get(key_of.node())?;
    let (reason, detail, child_id) = match (state.status, &state.wait) {
        // A `MAP` is represented by its items.
        (_, Some(Wait::Items)) => return None,
        (NodeStatus::Waiting, Some(wait)) => describe(wait, state),
        (NodeStatus::Running, _) if state.job_id.is_some() => {
            ("job_running", "Its job is queued or processed.".to_owned(), None)
        }
        _ => return None,
    };
    let wait = NodeWait {
        node_id: key.clone(),
        node_type: type_of(&key_of, place, definition),
        reason,
        detail,
        until: state.due_at,
        job_id: state.job_id.filter(|_| state.status == NodeStatus::Running),
        child_id,
        job: None,
    };
    Some((place, wait))
}

fn describe(wait: &Wait, state: &NodeState) -> (&'static str, String, Option<ExecutionId>) {
    let limit = state.due_at.map(|at| format!(" It times out at {at}.")).unwrap_or_default();
    match wait {
        Wait::Timer => {
            let at = state.due_at.map(|at| at.to_string()).unwrap_or_default();
            ("timer", format!("The timer ends at {at}."), None)
        }
        Wait::Delay => {
            let at = state.due_at.map(|at| at.to_string()).unwrap_or_default();
            ("delay", format!("The next round of its loop starts at {at}."), None)
        }
        Wait::Signal { name } => {
            ("signal", format!("The signal {name} has not been received yet.{limit}"), None)
        }
        Wait::UserTask { .. } => {
            ("user_task", format!("The user task has not been completed yet.{limit}"), None)
        }
        Wait::Callback => {
            ("callback", format!("No request to its callback URL has been received yet.{limit}"), None)
        }
        Wait::Event { events } => {
            let names: Vec<&str> = events.iter().map(EventType::as_str).collect();
            ("event", format!("No matching event {} has been received yet.{limit}", names.join(" or ")), None)
        }
        Wait::Child { execution_id } => {
            ("child", format!("The execution {execution_id} has not ended yet.{limit}"), Some(*execution_id))
        }
        Wait::Items => ("child", "Its items have not ended yet.".to_owned(), None),
    }
}

fn type_of(key: &NodeKey, place: usize, definition: &Definition) -> &'static str {
    use domain::workflow::definition::NodeKind;
    let node = &definition.nodes[place];
    match (key, &node.kind) {
        (NodeKey::Item { .. }, NodeKind::Map(map)) => map.task.kind.type_name(),
        (NodeKey::Compensation(_), kind) => {
            node.compensate.as_ref().map_or(kind.type_name(), |task| task.kind.type_name())
        }
        (_, kind) => kind.type_name(),
    }
}

/// Reads the state of an execution. Fails with [`StoreError::Later`] where a later version wrote it.
pub(super) fn restore(
    bytes: &[u8],
    definition: &Definition,
    id: ExecutionId,
) -> Result<ExecutionState, EngineError> {
    ExecutionState::restore(bytes, definition).map_err(|error| {
        let (table, column, row) = ("execution", "state", id.to_string());
        EngineError::Store(match error {
            SnapshotError::Later { .. } => StoreError::Later { table, column, row },
            SnapshotError::Encode(_) | SnapshotError::Decode(_) => StoreError::Corrupt { table, column, row },
        })
    })
}
