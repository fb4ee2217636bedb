//! Look at executions.

use domain::access::Permission;
use domain::id::ExecutionId;
use store::executions::{ExecutionFilter, ExecutionRecord};
use store::{Page, PageRequest};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// An execution.
    pub async fn execution(&self, caller: &Caller, id: ExecutionId) -> Result<ExecutionRecord, EngineError> {
        caller.require(Permission::Read)?;
        self.known_execution(caller, id).await
    }

    /// Executions, newest first, without inputs and outputs.
    pub async fn list_executions(
        &self,
        caller: &Caller,
        filter: &ExecutionFilter,
        page: PageRequest,
    ) -> Result<Page<ExecutionRecord>, EngineError> {
        caller.require(Permission::Read)?;
        Ok(self.store().list_executions(&caller.scope, filter, page).await?)
    }

    /// An execution that the caller may know of, whatever its role.
    pub(crate) async fn known_execution(
        &self,
        caller: &Caller,
        id: ExecutionId,
    ) -> Result<ExecutionRecord, EngineError> {
        let found = self.store().execution(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("execution", &id))
    }
}
