//! The timeline of an execution.

use domain::access::Permission;
use domain::id::ExecutionId;
use store::executions::EventRecord;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// The timeline after a position, oldest first.
    pub async fn execution_events(
        &self,
        caller: &Caller,
        id: ExecutionId,
        after: i64,
        limit: u32,
    ) -> Result<Vec<EventRecord>, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().execution_events(&caller.scope, id, after, limit).await?;
        found.ok_or_else(|| EngineError::not_found("execution", &id))
    }
}
