//! Make and list tenants. A tenant is also made by its first use with a key that is bound to none.

use domain::access::Permission;
use domain::names::TenantName;
use store::access::TenantRecord;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Makes a tenant; answers whether it is new.
    pub async fn create_tenant(&self, caller: &Caller, name: &TenantName) -> Result<bool, EngineError> {
        caller.require(Permission::Administer)?;
        caller.require_unscoped()?;
        let audited = AuditedAction::new("tenant.create", &name).of(Some(name.clone()));
        let mut recording = self.recording(caller, audited);
        let is_new = recording.of(self.store().create_tenant(name, self.now())).await?;
        if is_new {
            self.recorded(recording).await;
        }
        Ok(is_new)
    }

    /// Tenants by name, after `after`.
    pub async fn list_tenants(
        &self,
        caller: &Caller,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<TenantRecord>, EngineError> {
        caller.require(Permission::Read)?;
        Ok(self.store().list_tenants(&caller.scope, after, limit).await?)
    }
}
