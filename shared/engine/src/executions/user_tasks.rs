//! User tasks: what people have to do for executions, looked at and done.

use std::sync::Arc;

use domain::access::{Permission, TaskOwners, TaskRefusal, may_do_task};
use domain::id::ExecutionId;
use domain::names::{NodeId, TenantName};
use domain::problem::ProblemCode;
use domain::workflow::definition::{Definition, NodeKind};
use domain::workflow::execution::UserTaskStatus;
use domain::workflow::expression::InputSchema;
use serde_json::Value;
use store::audit::AuditRecord;
use store::executions::InboxEntry;
use store::user_tasks::{UserTaskRecord, UserTaskRef};

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// The latest user task of a node of an execution.
    pub async fn user_task(
        &self,
        caller: &Caller,
        id: ExecutionId,
        node: &NodeId,
    ) -> Result<UserTaskRecord, EngineError> {
        caller.require(Permission::Read)?;
        self.known_user_task(caller, id, node).await
    }

    /// Submits a user task, where it is the caller's. `output` is raw JSON text that is known to be well formed; where it
    /// does not fit the task's form, the faults point below `/output`. With a `round`, only that round of the node. Answers
    /// the command's position; the owner applies it.
    pub async fn complete_user_task(
        &self,
        caller: &Caller,
        id: ExecutionId,
        node: &NodeId,
        round: Option<u32>,
        output: String,
    ) -> Result<i64, EngineError> {
        caller.require(Permission::Start)?;
        let value = self.read_payload("/output", &output)?;
        let task = self.known_user_task(caller, id, node).await?;
        let may_submit = check_round(&task, round).and_then(|()| check_may_do(caller, &task));
        let refusal =
            may_submit.err().or_else(|| (task.status != UserTaskStatus::Open).then(|| not_open(node)));
        let entry = InboxEntry::UserTaskCompleted {
            node_id: node.clone(),
            round: Some(task.round),
            output,
            actor: caller.actor.clone(),
        };
        // What was submitted before may have opened the next round, and that may be somebody else's.
        if let Some(refusal) = refusal {
            return self.appended_before(caller, id, &entry, refusal).await;
        }
        let found = self.store().execution_head(&caller.scope, id).await?;
        let detail = found.ok_or_else(|| EngineError::not_found("execution", &id))?;
        let definition =
            self.definition(Some(&detail.record.tenant), &detail.definition, &id.to_string()).await?;
        self.check_form(&detail.record.tenant, definition, node, value).await?;
        let audited = AuditedAction::new("user_task.complete", &format!("{id}/{node}")).of(Some(task.tenant));
        self.append(caller, id, &entry, audited).await
    }

    pub(super) async fn known_user_task(
        &self,
        caller: &Caller,
        id: ExecutionId,
        node: &NodeId,
    ) -> Result<UserTaskRecord, EngineError> {
        let found = self.store().user_task(&caller.scope, id, node).await?;
        found.ok_or_else(|| EngineError::not_found("user task", &format!("{id}/{node}")))
    }

    /// Checks what was submitted against the form of the version that the execution runs on.
    async fn check_form(
        &self,
        tenant: &TenantName,
        definition: Arc<Definition>,
        node: &NodeId,
        output: Value,
    ) -> Result<(), EngineError> {
        if form_of(&definition, node).is_none() {
            return Ok(());
        }
        let node = node.clone();
        let check = move || form_of(&definition, &node).map_or(Ok(()), |form| form.check(&output));
        self.workbench().call(Some(tenant), check).await?.map_err(|faults| {
            EngineError::Invalid(faults.into_iter().map(|fault| fault.under("/output")).collect())
        })
    }
}

pub(super) fn not_open(node: &NodeId) -> EngineError {
    EngineError::Conflict {
        code: ProblemCode::UserTaskNotOpen,
        message: format!("The user task {node} is not open."),
    }
}

/// Fails for another round than the latest.
pub(super) fn check_round(task: &UserTaskRecord, round: Option<u32>) -> Result<(), EngineError> {
    match round {
        Some(round) if round != task.round => Err(EngineError::Conflict {
            code: ProblemCode::UserTaskRound,
            message: format!(
                "The user task {} is now in round {}, not in round {round}.",
                task.node_id, task.round
            ),
        }),
        _ => Ok(()),
    }
}

/// Fails where the task is not the caller's to do.
pub(super) fn check_may_do(caller: &Caller, task: &UserTaskRecord) -> Result<(), EngineError> {
    let owners = TaskOwners {
        assignee: task.assignee.as_deref(),
        group: task.group.as_deref(),
        claimed_by: task.claimed_by.as_deref(),
    };
    may_do_task(&owners, &caller.to_tasks()).map_err(|refusal| match refusal {
        TaskRefusal::NotTheirs => {
            EngineError::Forbidden { reason: "This user task is assigned to another user or group." }
        }
        TaskRefusal::Claimed => claimed(),
    })
}

pub(super) fn claimed() -> EngineError {
    EngineError::Conflict {
        code: ProblemCode::UserTaskClaimed,
        message: "Another user has claimed this user task.".to_owned(),
    }
}

fn form_of<'d>(definition: &'d Definition, node: &NodeId) -> Option<&'d InputSchema> {
    match definition.node(node).map(|node| &node.kind) {
        Some(NodeKind::UserTask(task)) => task.form.as_ref().map(|(_, form)| form),
        _ => None,
    }
}

// Claim a user task, so that the others of its group leave it alone, and release it again.

impl Engine {
    /// Claims an open user task for the caller's person, or for its key where that stands for none. Answers the task.
    pub async fn claim_user_task(
        &self,
        caller: &Caller,
        id: ExecutionId,
        node: &NodeId,
        round: Option<u32>,
    ) -> Result<UserTaskRecord, EngineError> {
        let task = self.task_to_change(caller, id, node, round).await?;
        check_may_do(caller, &task)?;
        let line = self.claim_line(caller, "user_task.claim", &task);
        let by = caller.to_tasks().name;
        if !self.store().claim_user_task(&place_of(&task), by, &[line], self.now()).await? {
            // It was open and free a moment ago.
            let task = self.task_to_change(caller, id, node, round).await?;
            check_may_do(caller, &task)?;
            return Err(claimed());
        }
        self.known_user_task(caller, id, node).await
    }

    /// Takes the claim off a user task: one's own, or as an operator anybody's. Answers the task.
    pub async fn release_user_task(
        &self,
        caller: &Caller,
        id: ExecutionId,
        node: &NodeId,
        round: Option<u32>,
    ) -> Result<UserTaskRecord, EngineError> {
        let task = self.task_to_change(caller, id, node, round).await?;
        check_may_do(caller, &task)?;
        let line = self.claim_line(caller, "user_task.release", &task);
        let by = (!caller.may(Permission::Operate)).then(|| caller.to_tasks().name);
        if !self.store().release_user_task(&place_of(&task), by, &[line]).await? {
            self.task_to_change(caller, id, node, round).await?;
            return Err(claimed());
        }
        self.known_user_task(caller, id, node).await
    }

    /// An open task of the round that is asked for.
    async fn task_to_change(
        &self,
        caller: &Caller,
        id: ExecutionId,
        node: &NodeId,
        round: Option<u32>,
    ) -> Result<UserTaskRecord, EngineError> {
        caller.require(Permission::Start)?;
        let task = self.known_user_task(caller, id, node).await?;
        check_round(&task, round)?;
        if task.status == UserTaskStatus::Open { Ok(task) } else { Err(not_open(node)) }
    }

    fn claim_line(&self, caller: &Caller, action: &'static str, task: &UserTaskRecord) -> AuditRecord {
        let subject = format!("{}/{}", task.execution_id, task.node_id);
        self.audit_line(caller, AuditedAction::new(action, &subject).of(Some(task.tenant.clone())))
    }
}

fn place_of(task: &UserTaskRecord) -> UserTaskRef {
    UserTaskRef { execution_id: task.execution_id, node_id: task.node_id.clone(), round: task.round }
}
