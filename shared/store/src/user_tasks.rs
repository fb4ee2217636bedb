//! User tasks: what people have to do for executions. Opened, handed on and closed by the commits of owners.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::lane::WorkflowRef;
use domain::names::{NodeId, TenantName, WorkflowName};
use domain::time::Timestamp;

use crate::error::StoreResult;
use crate::operations::AuditRecord;
use crate::page::{Page, PageRequest};

/// A user task, for showing it.
#[derive(Debug, Clone, PartialEq)]
pub struct UserTaskRecord {
    /// Its position; pages go by it.
    pub position: i64,
    /// The execution.
    pub execution_id: ExecutionId,
    /// The node.
    pub node_id: NodeId,
    /// Its round.
    pub round: u32,
    /// The tenant.
    pub tenant: TenantName,
    /// The definition.
    pub workflow: WorkflowRef,
    /// Where it is.
    pub status: UserTaskStatus,
    /// The person.
    pub assignee: Option<String>,
    /// The group.
    pub group: Option<String>,
    /// The JSON Schema of what is submitted, as raw JSON text.
    pub form: Option<String>,
    /// What the person is shown with the task, as raw JSON text.
    pub input: Option<String>,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When it should be done.
    pub due_at: Option<Timestamp>,
    /// When it was handed on.
    pub escalated_at: Option<Timestamp>,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// Who did it.
    pub completed_by: Option<String>,
    /// Who has claimed it: a person, or the id of a key that stands for none.
    pub claimed_by: Option<String>,
    /// When it was claimed.
    pub claimed_at: Option<Timestamp>,
}

/// A round of a node's user task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserTaskRef {
    /// The execution.
    pub execution_id: ExecutionId,
    /// The node.
    pub node_id: NodeId,
    /// The round.
    pub round: u32,
}

/// Where a user task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UserTaskStatus {
    /// Somebody has to do it.
    Open,
    /// Somebody did it.
    Completed,
    /// Nobody did it in time.
    TimedOut,
    /// The execution went on, or ended, without it.
    Cancelled,
}

/// Which user tasks a list shows. Empty fields match everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserTaskFilter {
    /// Where they are.
    pub status: Option<UserTaskStatus>,
    /// The person.
    pub assignee: Option<String>,
    /// The group.
    pub group: Option<String>,
    /// The tenant.
    pub tenant: Option<TenantName>,
    /// The workflow's name.
    pub workflow: Option<WorkflowName>,
    /// The execution.
    pub execution_id: Option<ExecutionId>,
    /// Due before this instant.
    pub due_before: Option<Timestamp>,
}

/// The store's verbs on user tasks.
#[async_trait]
pub trait UserTaskStore {
    /// Lists user tasks, newest first.
    async fn list_user_tasks(
        &self,
        scope: &TenantScope,
        filter: &UserTaskFilter,
        page: PageRequest,
    ) -> StoreResult<Page<UserTaskRecord>>;

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
