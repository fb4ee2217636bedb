//! User tasks: what people have to do for executions, looked at and done.

use domain::access::Verb;
use domain::id::ExecutionId;
use domain::names::NodeId;
use domain::workflow::definition::{Definition, NodeKind};
use serde_json::Value;
use store::executions::InboxEntry;
use store::user_tasks::{UserTaskFilter, UserTaskRecord, UserTaskStatus};
use store::{Page, PageRequest};

use crate::audit::Deed;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// User tasks, newest first.
    pub async fn list_user_tasks(
        &self,
        caller: &Caller,
        filter: &UserTaskFilter,
        page: PageRequest,
    ) -> Result<Page<UserTaskRecord>, EngineError> {
        caller.require(Verb::Read)?;
        Ok(self.store().list_user_tasks(&caller.scope, filter, page).await?)
    }

    /// The latest user task of a node of an execution.
    pub async fn user_task(
        &self,
        caller: &Caller,
        id: ExecutionId,
        node: &NodeId,
    ) -> Result<UserTaskRecord, EngineError> {
        caller.require(Verb::Read)?;
        self.known_user_task(caller, id, node).await
    }

    /// Submits a user task. `output` is raw JSON text that is known to be well formed; where it does not fit the
    /// task's form, the faults point below `/output`. Answers the command's position; the owner applies it.
    pub async fn complete_user_task(
        &self,
        caller: &Caller,
        id: ExecutionId,
        node: &NodeId,
        output: String,
    ) -> Result<i64, EngineError> {
        caller.require(Verb::Start)?;
        let value = self.read_payload("/output", &output)?;
        let task = self.known_user_task(caller, id, node).await?;
        let entry = InboxEntry::UserTaskCompleted {
            node_id: node.clone(),
            round: Some(task.round),
            output,
            actor: caller.actor.clone(),
        };
        if task.status != UserTaskStatus::Open {
            let refusal = EngineError::Conflict {
                code: "user_task_not_open",
                message: format!("The user task {node} is not open any more."),
            };
            return self.appended_before(caller, id, &entry, refusal).await;
        }
        let found = self.store().execution_detail(&caller.scope, id).await?;
        let detail = found.ok_or_else(|| EngineError::not_found("execution", &id))?;
        let definition = self.memory().definitions.get(&detail.definition, &id.to_string())?;
        check_form(&definition, node, &value)?;
        let position = self.append(caller, id, &entry).await?;
        let deed = Deed::new("user_task.complete", &format!("{id}/{node}")).of(Some(task.tenant));
        self.audit(caller, deed).await;
        Ok(position)
    }

    async fn known_user_task(
        &self,
        caller: &Caller,
        id: ExecutionId,
        node: &NodeId,
    ) -> Result<UserTaskRecord, EngineError> {
        let found = self.store().user_task(&caller.scope, id, node).await?;
        found.ok_or_else(|| EngineError::not_found("user task", &format!("{id}/{node}")))
    }
}

/// The form of the version that the execution runs on.
fn check_form(definition: &Definition, node: &NodeId, output: &Value) -> Result<(), EngineError> {
    let Some(NodeKind::UserTask(task)) = definition.node(node).map(|node| &node.kind) else {
        return Ok(());
    };
    let Some((_, form)) = &task.form else {
        return Ok(());
    };
    form.check(output).map_err(|faults| {
        EngineError::Invalid(faults.into_iter().map(|fault| fault.under("/output")).collect())
    })
}
