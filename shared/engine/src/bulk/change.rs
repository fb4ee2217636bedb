//! Change one object of a batch. Where the change is a transaction of the store, it commits together with the object's
//! entry; where it makes something new, what is made has an id derived from batch and object, so that making it again
//! makes nothing, and the entry is written after it.

use domain::access::Role;
use domain::id::{CommandId, DeliveryId, ExecutionId, Id, JobId, ScheduleId};
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::search::TermValue;
use domain::workflow::execution::ExecutionStatus;
use store::batches::{BatchEntry, ItemOutcome};
use store::dead_letters::{DeadLetterChange, RequeueEdit};
use store::executions::{Appended, CommandStatus, InboxEntry};
use store::jobs::JobChange;
use store::search::SearchPage;
use store::wakeup::Hint;
use uuid::Uuid;

use super::page::{Context, Turn};
use super::request::{BulkAction, StoredBulk};
use super::start::of_ids;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::fail_points;
use crate::metrics;

/// What became of a change.
enum Change {
    /// It committed together with its entry.
    Made,
    /// It was made; the entry is to be written.
    Unwritten(BatchEntry),
    /// It could not be made.
    Failed(String),
    /// There was nothing to change.
    Skipped(String),
}

const GONE: &str = "It does not exist.";
const UNFIT: &str = "It no longer matches the filter.";

impl Engine {
    /// Changes an object, or records why not.
    pub(super) async fn change_object(
        &self,
        context: &Context,
        stored: &StoredBulk,
        action: &BulkAction,
        object: Uuid,
    ) -> Result<Turn, EngineError> {
        if let Some(search) = &stored.search {
            let mut search = search.clone();
            search.terms.extend(of_ids(search.list, std::iter::once(TermValue::Id(object))).terms);
            let page = SearchPage { limit: 1, after: None };
            if self.store().search(&context.scope, &search, page).await?.places.is_empty() {
                let entry = self.entry_of(context, object, None, false);
                return self.record_outcome(&entry, ItemOutcome::Skipped, Some(UNFIT)).await;
            }
        }
        fail_points::reach("batch-item-before");
        let change = match action {
            BulkAction::CancelJobs | BulkAction::RetryJobs | BulkAction::ReprioritizeJobs(_) => {
                self.change_job(context, action, object).await?
            }
            BulkAction::CancelExecutions { compensate } => {
                let reason = context.batch.reason.clone();
                let cancel = InboxEntry::Cancel { reason, compensate: *compensate };
                self.command_execution(context, object, &cancel).await?
            }
            BulkAction::RetryExecutions => {
                self.command_execution(context, object, &InboxEntry::Retry).await?
            }
            BulkAction::RerunExecutions { from, input } => {
                self.rerun_one(context, object, from, input.clone()).await?
            }
            BulkAction::RequeueDeadLetters(edit) => self.change_letter(context, object, Some(edit)).await?,
            BulkAction::ArchiveDeadLetters => self.change_letter(context, object, None).await?,
            BulkAction::ReplayDeliveries { all_triggers } => {
                self.replay_one(context, object, *all_triggers).await?
            }
            BulkAction::PauseSchedules => self.pause_one(context, object, true).await?,
            BulkAction::ResumeSchedules => self.pause_one(context, object, false).await?,
        };
        fail_points::reach("batch-item-after");
        match change {
            Change::Made => Ok(Turn::Had(ItemOutcome::Done)),
            Change::Unwritten(entry) => self.record_outcome(&entry, ItemOutcome::Done, None).await,
            Change::Failed(why) => {
                let entry = self.entry_of(context, object, None, false);
                self.record_outcome(&entry, ItemOutcome::Failed, Some(&why)).await
            }
            Change::Skipped(why) => {
                let entry = self.entry_of(context, object, None, false);
                self.record_outcome(&entry, ItemOutcome::Skipped, Some(&why)).await
            }
        }
    }

    pub(super) fn entry_of(
        &self,
        context: &Context,
        object: Uuid,
        result: Option<Uuid>,
        has_aftermath: bool,
    ) -> BatchEntry {
        let (batch, owner) = (context.batch.id, self.process());
        BatchEntry { batch, owner, object, result, has_aftermath, now: self.now() }
    }

    /// Records what became of an object whose change did not commit with its entry.
    pub(super) async fn record_outcome(
        &self,
        entry: &BatchEntry,
        outcome: ItemOutcome,
        error: Option<&str>,
    ) -> Result<Turn, EngineError> {
        let is_recorded = self.store().settle_item(entry, outcome, error).await?;
        Ok(if is_recorded { Turn::Had(outcome) } else { Turn::Unclear })
    }

    async fn change_job(
        &self,
        context: &Context,
        action: &BulkAction,
        object: Uuid,
    ) -> Result<Change, EngineError> {
        let (scope, id) = (&context.scope, JobId::from_uuid(object));
        let found = self.store().jobs_of(scope, &[object]).await?;
        let Some(job) = found.first() else {
            return Ok(Change::Skipped(GONE.to_owned()));
        };
        if let (BulkAction::CancelJobs, QueueName::Execution, Some(execution)) =
            (action, job.queue, job.execution_id)
        {
            let reason = context.batch.reason.clone();
            let cancel = InboxEntry::Cancel { reason, compensate: false };
            return self.append_command(context, object, execution, &cancel, None).await;
        }
        let now = self.now();
        let is_retry = matches!(action, BulkAction::RetryJobs);
        let entry = self.entry_of(context, object, is_retry.then_some(object), is_retry);
        let bound = self.store().bound_to(entry);
        let change = match action {
            BulkAction::CancelJobs => bound.cancel_job(scope, id, now).await?,
            BulkAction::ReprioritizeJobs(tier) => bound.reprioritize_job(scope, id, *tier, now).await?,
            _ => bound.run_job_now(scope, id, now).await?,
        };
        Ok(match change {
            JobChange::Changed { queue, execution_id, .. } => {
                if matches!(action, BulkAction::CancelJobs) {
                    metrics::cancelled(job);
                }
                self.wake(&[Hint::Freed(queue)]);
                if let Some(execution) = execution_id {
                    self.wake(&[Hint::Inbox(execution)]);
                }
                Change::Made
            }
            JobChange::Refused(status) => Change::Failed(format!("The job is {}.", status.as_str())),
            JobChange::NotFound => Change::Skipped(GONE.to_owned()),
        })
    }

    async fn command_execution(
        &self,
        context: &Context,
        object: Uuid,
        command: &InboxEntry,
    ) -> Result<Change, EngineError> {
        let id = ExecutionId::from_uuid(object);
        let found = self.store().executions_of(&context.scope, &[object]).await?;
        let Some(execution) = found.first() else {
            return Ok(Change::Skipped(GONE.to_owned()));
        };
        let is_retry = matches!(command, InboxEntry::Retry);
        let is_possible = if is_retry {
            execution.status == ExecutionStatus::Failed
        } else {
            !execution.status.is_terminal()
        };
        if !is_possible {
            return Ok(Change::Failed(format!("The execution is {}.", execution.status.as_str())));
        }
        self.append_command(context, object, id, command, is_retry.then_some(object)).await
    }

    async fn append_command(
        &self,
        context: &Context,
        object: Uuid,
        execution: ExecutionId,
        command: &InboxEntry,
        result: Option<Uuid>,
    ) -> Result<Change, EngineError> {
        let entry = self.entry_of(context, object, result, result.is_some());
        let id: CommandId = Id::derive(context.batch.id.uuid(), &["command", &object.to_string()]);
        let bound = self.store().bound_to(entry);
        let scope = &context.scope;
        let appended = bound.append_audited_command(scope, execution, (id, command), &[], entry.now).await?;
        let position = match appended {
            Appended::At(position) => position,
            Appended::NotFound => return Ok(Change::Skipped(GONE.to_owned())),
            Appended::Full => return Ok(Change::Failed("Its inbox is full.".to_owned())),
        };
        self.wake(&[Hint::Inbox(execution), Hint::Finished(execution), Hint::Freed(QueueName::Execution)]);
        // What is refused is recorded all the same.
        let recorded = self.store().command(scope, position).await?;
        Ok(match recorded.map(|recorded| recorded.status) {
            Some(CommandStatus::Refused(why)) => Change::Failed(why),
            _ => Change::Made,
        })
    }

    /// The caller in whose name a batch makes something new: what it makes for an object has ids of their own, always the
    /// same.
    fn batch_caller(context: &Context, object: Uuid) -> Caller {
        let seed: Id<domain::id::BatchKind> =
            Id::derive(context.batch.id.uuid(), &["item", &object.to_string()]);
        let actor = context.batch.actor.clone();
        Caller { seed: Some(seed.uuid()), ..Caller::new(context.scope.clone(), Role::Operator, actor) }
    }

    async fn rerun_one(
        &self,
        context: &Context,
        object: Uuid,
        from: &NodeId,
        input: Option<String>,
    ) -> Result<Change, EngineError> {
        let caller = Self::batch_caller(context, object);
        let id = ExecutionId::from_uuid(object);
        match self.rerun_unaudited(&caller, id, from, input).await {
            Ok(created) => {
                let made = created.id.uuid();
                Ok(Change::Unwritten(self.entry_of(context, object, Some(made), true)))
            }
            Err(EngineError::NotFound { what: "execution", .. }) => Ok(Change::Skipped(GONE.to_owned())),
            Err(error) => Err(error),
        }
    }

    async fn replay_one(
        &self,
        context: &Context,
        object: Uuid,
        all_triggers: bool,
    ) -> Result<Change, EngineError> {
        let id = DeliveryId::from_uuid(object);
        let Some(original) = self.store().delivery(&context.scope, id).await? else {
            return Ok(Change::Skipped(GONE.to_owned()));
        };
        let made: DeliveryId = Id::derive(context.batch.id.uuid(), &["replay", &id.to_string()]);
        Ok(match self.replay(&original, made, all_triggers).await? {
            Ok(()) => Change::Unwritten(self.entry_of(context, object, Some(made.uuid()), true)),
            Err(why) => Change::Failed(why.to_string()),
        })
    }

    async fn pause_one(
        &self,
        context: &Context,
        object: Uuid,
        is_paused: bool,
    ) -> Result<Change, EngineError> {
        let caller = Self::batch_caller(context, object);
        let bound = self.store().bound_to(self.entry_of(context, object, None, false));
        match self.pause_schedule_in(&*bound, &caller, ScheduleId::from_uuid(object), is_paused).await {
            Ok((_, true)) => Ok(Change::Made),
            Ok((_, false)) => Ok(Change::Skipped("It is already in this state.".to_owned())),
            Err(EngineError::NotFound { .. }) => Ok(Change::Skipped(GONE.to_owned())),
            Err(error) => Err(error),
        }
    }

    async fn change_letter(
        &self,
        context: &Context,
        object: Uuid,
        edit: Option<&RequeueEdit>,
    ) -> Result<Change, EngineError> {
        let scope = &context.scope;
        let found = self.store().dead_letters_of(scope, &[object]).await?;
        let Some(letter) = found.first() else {
            return Ok(Change::Skipped(GONE.to_owned()));
        };
        let result = edit.map(|_| letter.job_id.uuid());
        let entry = self.entry_of(context, object, result, edit.is_some());
        let bound = self.store().bound_to(entry);
        let change = if let Some(edit) = edit {
            bound.requeue_dead_letter(scope, letter.id, edit, entry.now).await?
        } else {
            let reason = context.batch.reason.as_deref().unwrap_or_default();
            bound.archive_dead_letter(scope, letter.id, reason, entry.now).await?
        };
        Ok(match change {
            DeadLetterChange::Changed { queue, execution_id, .. } => {
                let outcome = if edit.is_some() { "requeued" } else { "archived" };
                metrics::dead_letters_resolved(queue, outcome, 1);
                let mut hints = vec![Hint::Freed(queue)];
                if let Some(execution) = execution_id {
                    hints.extend([Hint::Inbox(execution), Hint::Freed(QueueName::Execution)]);
                }
                self.wake(&hints);
                Change::Made
            }
            DeadLetterChange::AlreadyDone { .. } => Change::Skipped("It was already done.".to_owned()),
            DeadLetterChange::Refused { reason } => Change::Failed(reason.to_owned()),
            DeadLetterChange::NotFound => Change::Skipped(GONE.to_owned()),
        })
    }
}
