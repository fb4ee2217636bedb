//! Commands to executions: signal, stop, go on from the failed nodes; and what became of a command.

use domain::access::Permission;
use domain::id::{CommandId, ExecutionId};
use domain::names::{CallerKey, TenantName};
use domain::problem::ProblemCode;
use domain::queue::QueueName;
use domain::workflow::execution::ExecutionStatus;
use serde_json::{Value, json};
use store::executions::{
    Appended, CommandRecord, ExecutionRecord, INBOX_MAX, INBOX_PENDING_BYTES_MAX, InboxEntry,
};
use store::wakeup::Hint;

use crate::audit::AuditedAction;
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
        caller.require(Permission::Start)?;
        if let Some(reason) = &reason {
            let mut faults = Faults::default();
            faults.text("/reason", reason);
            faults.check()?;
        }
        let record = self.known_execution(caller, id).await?;
        let entry = InboxEntry::Cancel { reason, compensate };
        if record.status.is_terminal() {
            let refusal = refused(ProblemCode::ExecutionFinished, record.status, "cancelled");
            return self.appended_before(caller, id, &entry, refusal).await;
        }
        let audited = audited_command("execution.cancel", id, &record.tenant);
        let position = self.append(caller, id, &entry, audited).await?;
        // The store may have ended it at once.
        self.admit_next(&record).await;
        Ok(position)
    }

    /// Asks a FAILED execution to go on from its failed nodes. Answers the command's position.
    pub async fn retry_execution(&self, caller: &Caller, id: ExecutionId) -> Result<i64, EngineError> {
        caller.require(Permission::Start)?;
        let record = self.known_execution(caller, id).await?;
        if record.status != ExecutionStatus::Failed {
            let refusal = refused(ProblemCode::ExecutionNotFailed, record.status, "retried");
            return self.appended_before(caller, id, &InboxEntry::Retry, refusal).await;
        }
        refuse_without_payloads(&record)?;
        self.append(caller, id, &InboxEntry::Retry, audited_command("execution.retry", id, &record.tenant))
            .await
    }

    /// What became of a command.
    pub async fn command(&self, caller: &Caller, position: i64) -> Result<CommandRecord, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().command(&caller.scope, position).await?;
        found.ok_or_else(|| EngineError::not_found("command", &position))
    }

    /// The id of a command that `caller` sends: a repeat of the same request has the same one.
    fn command_id(&self, caller: &Caller, id: ExecutionId, entry: &InboxEntry) -> CommandId {
        self.make_id(caller, &["command", &id.to_string(), entry.kind()], self.now())
    }

    /// The position of a command that an earlier call under the same idempotency key appended, though by now it would
    /// be refused. To be asked after what refuses it was read.
    pub(crate) async fn appended_before(
        &self,
        caller: &Caller,
        id: ExecutionId,
        entry: &InboxEntry,
        refusal: EngineError,
    ) -> Result<i64, EngineError> {
        if caller.seed.is_none() {
            return Err(refusal);
        }
        let command = self.command_id(caller, id, entry);
        self.store().command_position(&caller.scope, command).await?.ok_or(refusal)
    }

    /// Appends a command with its line of the audit log, and wakes whoever applies it. A repeat under the same
    /// idempotency key answers the first position.
    pub(crate) async fn append(
        &self,
        caller: &Caller,
        id: ExecutionId,
        entry: &InboxEntry,
        audited: AuditedAction,
    ) -> Result<i64, EngineError> {
        let command = self.command_id(caller, id, entry);
        let lines = [self.audit_line(caller, audited)];
        let appended = self
            .store()
            .append_audited_command(&caller.scope, id, (command, entry), &lines, self.now())
            .await?;
        let position = match appended {
            Appended::At(position) => position,
            Appended::NotFound => return Err(EngineError::not_found("execution", &id)),
            Appended::Full => return Err(full()),
        };
        // The store may have ended an execution that was never taken up, or put a parked or failed one back into its
        // queue.
        self.wake(&[Hint::Inbox(id), Hint::Finished(id), Hint::Freed(QueueName::Execution)]);
        Ok(position)
    }
}

/// What the audit log shows of a command.
pub(super) fn audited_command(action: &'static str, id: ExecutionId, tenant: &TenantName) -> AuditedAction {
    AuditedAction::new(action, &id).of(Some(tenant.clone()))
}

pub(super) fn full() -> EngineError {
    let message = format!(
        "The execution has {INBOX_MAX} unused signals, or {INBOX_PENDING_BYTES_MAX} bytes of them; it accepts more once \
         they are used."
    );
    EngineError::Conflict { code: ProblemCode::InboxFull, message }
}

pub(super) fn refused(code: ProblemCode, status: ExecutionStatus, participle: &str) -> EngineError {
    EngineError::Conflict {
        code,
        message: format!("An execution that is {} cannot be {participle}.", status.as_str()),
    }
}

/// Fails where retention dropped what an execution would go on from.
pub(super) fn refuse_without_payloads(record: &ExecutionRecord) -> Result<(), EngineError> {
    let Some(at) = record.payload_dropped_at else {
        return Ok(());
    };
    let message =
        format!("The payloads of the execution were dropped at {at}: start a new execution instead.");
    Err(EngineError::Conflict { code: ProblemCode::PayloadDropped, message })
}

// Send a signal to an execution. It goes to the first node that waits for it, and is kept where none does yet.

impl Engine {
    /// Sends a signal. `payload` is raw JSON text that is known to be well formed; faults point below `/payload`.
    /// Answers the command's position; the owner applies it.
    pub async fn signal_execution(
        &self,
        caller: &Caller,
        id: ExecutionId,
        name: &CallerKey,
        payload: String,
    ) -> Result<i64, EngineError> {
        caller.require(Permission::Start)?;
        self.read_payload("/payload", &payload)?;
        let record = self.known_execution(caller, id).await?;
        let entry = InboxEntry::Signal { name: name.as_str().to_owned(), payload };
        if record.status.is_terminal() {
            let refusal = refused(ProblemCode::ExecutionFinished, record.status, "signalled");
            return self.appended_before(caller, id, &entry, refusal).await;
        }
        let audited =
            audited_command("execution.signal", id, &record.tenant).with(json!({ "name": name.as_str() }));
        self.append(caller, id, &entry, audited).await
    }

    /// The value of a payload. Well-formed text can still be no value of ours, such as a number beyond all bounds.
    pub(super) fn read_payload(&self, pointer: &str, text: &str) -> Result<Value, EngineError> {
        let mut faults = Faults::default();
        faults.json(pointer, text, self.policy().payload_bytes_max);
        faults.check()?;
        serde_json::from_str(text)
            .map_err(|error| EngineError::invalid(pointer, format!("expected JSON: {error}")))
    }
}
