//! Send a signal to an execution. It goes to the first node that waits for it, and is kept where none does yet.

use domain::access::Permission;
use domain::id::ExecutionId;
use domain::names::CallerKey;
use serde_json::{Value, json};
use store::executions::InboxEntry;

use super::commands::{audited_command, refused};
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

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
            let refusal = refused("execution_finished", record.status, "signalled");
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
