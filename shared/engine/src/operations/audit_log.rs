//! The audit log.

use domain::access::Permission;
use store::operations::AuditRecord;
use store::{Page, PageRequest};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Who changed what, newest first.
    pub async fn list_audit(
        &self,
        caller: &Caller,
        page: PageRequest,
    ) -> Result<Page<AuditRecord>, EngineError> {
        caller.require(Permission::Operate)?;
        Ok(self.store().list_audit(&caller.scope, page).await?)
    }
}
