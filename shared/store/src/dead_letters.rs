//! Dead letters: jobs that failed for good, until somebody requeues or archives them.

use std::collections::HashMap;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::failure::{DeadLetterStatus, DeadReason, DeathsSince, GroupDecision, JobError};
use domain::id::{DeadLetterId, ExecutionId, JobId};
use domain::names::{JobType, NodeId, TenantName, WorkflowName};
use domain::queue::{QueueName, Tier, WorkflowRef};
use domain::time::Timestamp;
use uuid::Uuid;

use crate::audit::AuditRecord;
use crate::error::StoreResult;
use crate::jobs::AttemptRecord;
use crate::page::{Page, PageRequest};

/// A dead letter. Its history stays whatever becomes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadLetterRecord {
    /// Its id, derived from the job and the attempt that died.
    pub id: DeadLetterId,
    /// The job.
    pub job_id: JobId,
    /// The job's queue, to which it goes back.
    pub queue: QueueName,
    /// The tier.
    pub tier: Tier,
    /// The job type.
    pub job_type: JobType,
    /// The tenant.
    pub tenant: TenantName,
    /// The workflow.
    pub workflow: Option<WorkflowRef>,
    /// The execution.
    pub execution_id: Option<ExecutionId>,
    /// The node.
    pub node_id: Option<NodeId>,
    /// Where it is.
    pub status: DeadLetterStatus,
    /// Why it died.
    pub reason: DeadReason,
    /// The last error.
    pub error: JobError,
    /// Groups failures of the same kind.
    pub fingerprint: String,
    /// The payload with which it died, as raw JSON text. Absent in lists where it is large.
    pub data: Option<String>,
    /// How many attempts it took.
    pub attempt_count: u32,
    /// The attempts, oldest first. Empty in lists.
    pub attempts: Vec<AttemptRecord>,
    /// When it died.
    pub died_at: Timestamp,
    /// When it was requeued or archived.
    pub resolved_at: Option<Timestamp>,
    /// Why it was archived.
    pub archive_reason: Option<String>,
}

/// Which dead letters are meant. Empty fields match everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeadLetterFilter {
    /// The queue.
    pub queue: Option<QueueName>,
    /// The workflow's name.
    pub workflow: Option<WorkflowName>,
    /// The job type.
    pub job_type: Option<JobType>,
    /// The tenant.
    pub tenant: Option<TenantName>,
    /// The group.
    pub fingerprint: Option<String>,
    /// Why they died.
    pub reason: Option<DeadReason>,
    /// Died at or after this instant.
    pub from: Option<Timestamp>,
    /// Died before this instant.
    pub to: Option<Timestamp>,
    /// Where they are; `None` means open ones.
    pub status: Option<DeadLetterStatus>,
}

impl DeadLetterFilter {
    /// Whether it matches everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Dead letters of the same kind.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadLetterGroup {
    /// What they have in common.
    pub fingerprint: String,
    /// The job type.
    pub job_type: JobType,
    /// The error of the newest.
    pub error: JobError,
    /// How many are open.
    pub count: u64,
    /// When the first died.
    pub first_at: Timestamp,
    /// When the last died.
    pub last_at: Timestamp,
}

/// What is known of a group beside its dead letters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupFacts {
    /// What somebody decided about it.
    pub decision: Option<GroupDecision>,
    /// What has died since the decision. The version is looked for among the newest 3,000 of those that are open, that were requeued
    /// and that were archived; it is that of the execution, as long as that is kept.
    pub deaths: DeathsSince,
    /// Dead letters by hour, whatever became of them: hours since the start of the trend, from 0, and how many.
    pub trend: Vec<(u32, u64)>,
    /// Tenants with open ones, with how many, the most affected first, at most [`GROUP_TENANTS_MAX`].
    pub tenants: Vec<(TenantName, u64)>,
    /// How many tenants have open ones.
    pub tenant_count: u64,
}

/// How many tenants of a group are named.
pub const GROUP_TENANTS_MAX: u32 = 10;
/// How many decisions an owner keeps: the newest.
pub const GROUP_DECISIONS_MAX: u32 = 10_000;

/// Changes that go with a requeue. Empty fields keep what the job had.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequeueEdit {
    /// Other payload, as raw JSON text.
    pub data: Option<String>,
    /// Another tier.
    pub tier: Option<Tier>,
    /// Other retries from now on.
    pub retries_max: Option<u32>,
}

/// What a requeue or an archive did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeadLetterChange {
    /// Done now.
    Changed {
        /// The job.
        job_id: JobId,
        /// Its queue.
        queue: QueueName,
        /// The execution that goes on with it.
        execution_id: Option<ExecutionId>,
    },
    /// It was done before: a second requeue makes no second job.
    AlreadyDone {
        /// The job.
        job_id: JobId,
    },
    /// It is in a state in which this cannot be done (an archived one cannot be requeued and the reverse), or its
    /// execution has ended otherwise.
    Refused {
        /// Why, for people.
        reason: &'static str,
    },
    /// There is no such dead letter in this scope.
    NotFound,
}

/// The store's operations on dead letters.
#[async_trait]
pub trait DeadLetterStore {
    /// One, with its attempts.
    async fn dead_letter(
        &self,
        scope: &TenantScope,
        id: DeadLetterId,
    ) -> StoreResult<Option<DeadLetterRecord>>;

    /// A list, newest first.
    async fn list_dead_letters(
        &self,
        scope: &TenantScope,
        filter: &DeadLetterFilter,
        page: PageRequest,
    ) -> StoreResult<Page<DeadLetterRecord>>;

    /// The fingerprint of the last dead letter of each of these executions that has any.
    async fn fingerprints_of_executions(&self, executions: &[Uuid]) -> StoreResult<Vec<(Uuid, String)>>;

    /// Open ones by fingerprint, largest first, at most `limit`. With an instant in the filter of the newest 20,000 of that time,
    /// whose count is then a lower bound. When the first and the last died, and of what, is said of all in the tenant.
    async fn dead_letter_groups(
        &self,
        scope: &TenantScope,
        filter: &DeadLetterFilter,
        limit: u32,
    ) -> StoreResult<Vec<DeadLetterGroup>>;

    /// What is known of groups beside their dead letters, by fingerprint; each asked for is there. `tenant` narrows what
    /// is counted, not whose decisions are shown: those are the scope's own. The trend begins at `trend_from`.
    async fn dead_letter_group_facts(
        &self,
        scope: &TenantScope,
        tenant: Option<&TenantName>,
        fingerprints: &[String],
        trend_from: Timestamp,
    ) -> StoreResult<HashMap<String, GroupFacts>>;

    /// Stores a decision about a group in place of an earlier one of the same scope, with its line of the audit log.
    /// Answers whether there is a dead letter of that kind in the scope; nothing is stored otherwise. Of more than
    /// [`GROUP_DECISIONS_MAX`] of a scope the oldest go.
    async fn decide_dead_letter_group(
        &self,
        scope: &TenantScope,
        fingerprint: &str,
        decision: &GroupDecision,
        audit: &[AuditRecord],
    ) -> StoreResult<bool>;

    /// Adds up what has changed since the last time in the counts of open dead letters, at most `limit` changes; answers how
    /// many. Counts of hours that began before `hours_from` are forgotten. Reading counts does not depend on it, but costs the
    /// more the more has not been added up.
    async fn add_up_dead_letters(&self, hours_from: Timestamp, limit: u32) -> StoreResult<u64>;

    /// Puts the job back into its queue, QUEUED, under its old id, with its history, with fresh retries. A node's
    /// job also appends `node_requeued` to its execution's inbox and puts the job of a FAILED execution back into
    /// `workflow-execution`, all in one commit. Executions above it that failed with it go on as well: each has
    /// `ChildResumed` in its inbox. A compensation is refused while its execution is neither FAILED nor COMPENSATING: it
    /// would undo what is under way. A node is refused once something of its execution, or of one above that would go
    /// on, is undone: it would run on what is no more. So is a node of a child in whose place there is another one.
    async fn requeue_dead_letter(
        &self,
        scope: &TenantScope,
        id: DeadLetterId,
        edit: &RequeueEdit,
        now: Timestamp,
    ) -> StoreResult<DeadLetterChange>;

    /// Archives one.
    async fn archive_dead_letter(
        &self,
        scope: &TenantScope,
        id: DeadLetterId,
        reason: &str,
        now: Timestamp,
    ) -> StoreResult<DeadLetterChange>;
}
