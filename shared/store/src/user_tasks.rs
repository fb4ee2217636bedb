//! User tasks: what people have to do for executions. Opened, handed on and closed by the commits of owners.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::names::{NodeId, TenantName};
use domain::queue::WorkflowRef;
use domain::time::Timestamp;
use domain::workflow::execution::UserTaskStatus;

use crate::audit::AuditRecord;
use crate::error::StoreResult;

/// A user task, for showing it.
#[derive(Debug, Clone, PartialEq)]
pub struct UserTaskRecord {
    /// Its position; pages go by it.
    pub position: i64,
    /// The execution that waits for it.
    pub execution_id: ExecutionId,
    /// The node that opened it.
    pub node_id: NodeId,
    /// The round of the node: each has a task of its own.
    pub round: u32,
    /// The tenant of the execution.
    pub tenant: TenantName,
    /// The workflow of the execution.
    pub workflow: WorkflowRef,
    /// Whether it is open, and how it ended.
    pub status: UserTaskStatus,
    /// The person who is to do it, where one is named.
    pub assignee: Option<String>,
    /// The group whose members may do it, where one is named.
    pub group: Option<String>,
    /// The JSON Schema of what is submitted, as raw JSON text.
    pub form: Option<String>,
    /// What the person is shown with the task, as raw JSON text.
    pub input: Option<String>,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When it should be done.
    pub due_at: Option<Timestamp>,
    /// When it was escalated.
    pub escalated_at: Option<Timestamp>,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// Who completed it.
    pub completed_by: Option<String>,
    /// Who has claimed it: a person, or the id of a key that stands for none.
    pub claimed_by: Option<String>,
    /// When it was claimed.
    pub claimed_at: Option<Timestamp>,
}

/// A round of a node's user task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserTaskRef {
    /// The execution that waits for it.
    pub execution_id: ExecutionId,
    /// The node that opened it.
    pub node_id: NodeId,
    /// The round of the node.
    pub round: u32,
}

/// The store's operations on user tasks.
#[async_trait]
pub trait UserTaskStore {
    /// Records who has claimed an open user task that nobody else has claimed, with its lines of the audit log. Answers
    /// whether it is theirs now.
    async fn claim_user_task(
        &self,
        task: &UserTaskRef,
        by: &str,
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<bool>;

    /// Takes a claim off an open user task, with its lines of the audit log; only that of `by` where one is given.
    /// Answers whether nobody has it now.
    async fn release_user_task(
        &self,
        task: &UserTaskRef,
        by: Option<&str>,
        audit: &[AuditRecord],
    ) -> StoreResult<bool>;

    /// The latest user task of a node of an execution.
    async fn user_task(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        node_id: &NodeId,
    ) -> StoreResult<Option<UserTaskRecord>>;
}
