//! Claim a user task, so that the others of its group leave it alone, and release it again.

use domain::access::Permission;
use domain::id::ExecutionId;
use domain::names::NodeId;
use store::audit::AuditRecord;
use store::user_tasks::{UserTaskRecord, UserTaskRef, UserTaskStatus};

use super::user_tasks::{check_may_do, check_round, claimed, not_open};
use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

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
