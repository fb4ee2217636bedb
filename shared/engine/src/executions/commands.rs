//! Commands to executions: stop, go on from the failed nodes, and what became of a command.

use domain::access::Verb;
use domain::id::ExecutionId;
use domain::queue::QueueName;
use domain::workflow::execution::ExecutionStatus;
use store::executions::{Appended, CommandRecord, InboxEntry};
use store::wakeup::Hint;

use crate::audit::Deed;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Asks an execution to stop; with `compensate`, to undo first what completed. Answers the command's position; the
    /// owner applies it.
    pub async fn cancel_execution(
        &self,
        caller: &Caller,
        id: ExecutionId,
        reason: Option<String>,
        compensate: bool,
    ) -> Result<i64, EngineError> {
        caller.require(Verb::Start)?;
        if let Some(reason) = &reason {
            let mut faults = Faults::default();
            faults.text("/reason", reason);
            faults.check()?;
        }
        let record = self.known_execution(caller, id).await?;
        if record.status.is_terminal() {
            return Err(refused("execution_finished", record.status, "cancelled"));
        }
        let position = self.append(caller, id, &InboxEntry::Cancel { reason, compensate }).await?;
        self.audit(caller, Deed::new("execution.cancel", &id)).await;
        Ok(position)
    }

    /// Asks a FAILED execution to go on from its failed nodes. Answers the command's position.
    pub async fn retry_execution(&self, caller: &Caller, id: ExecutionId) -> Result<i64, EngineError> {
        caller.require(Verb::Start)?;
        let record = self.known_execution(caller, id).await?;
        if record.status != ExecutionStatus::Failed {
            return Err(refused("execution_not_failed", record.status, "retried"));
        }
        let position = self.append(caller, id, &InboxEntry::Retry).await?;
        self.audit(caller, Deed::new("execution.retry", &id)).await;
        Ok(position)
    }

    /// What became of a command.
    pub async fn command(&self, caller: &Caller, position: i64) -> Result<CommandRecord, EngineError> {
        caller.require(Verb::Read)?;
        let found = self.store().command(&caller.scope, position).await?;
        found.ok_or_else(|| EngineError::not_found("command", &position))
    }

    /// Appends a command and wakes whoever applies it.
    pub(super) async fn append(
        &self,
        caller: &Caller,
        id: ExecutionId,
        entry: &InboxEntry,
    ) -> Result<i64, EngineError> {
        let appended = self.store().append_command(&caller.scope, id, entry, self.now()).await?;
        let Appended::At(position) = appended else {
            return Err(EngineError::not_found("execution", &id));
        };
        // The store may have ended an execution that was never taken up, or put a parked or failed one back into its
        // queue.
        self.wake(&[Hint::Inbox(id), Hint::Finished(id), Hint::Queue(QueueName::Execution)]);
        Ok(position)
    }
}

pub(super) fn refused(code: &'static str, status: ExecutionStatus, participle: &str) -> EngineError {
    EngineError::Conflict {
        code,
        message: format!("An execution that is {} cannot be {participle}.", status.as_str()),
    }
}
