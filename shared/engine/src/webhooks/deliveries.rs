//! Look at deliveries.

use domain::access::Permission;
use domain::id::DeliveryId;
use store::webhooks::{DeliveryFilter, DeliveryRecord};
use store::{Page, PageRequest};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// A delivery.
    pub async fn delivery(&self, caller: &Caller, id: DeliveryId) -> Result<DeliveryRecord, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().delivery(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("delivery", &id))
    }

    /// The body of a delivery, byte for byte; `None` where it is not kept.
    pub async fn delivery_body(
        &self,
        caller: &Caller,
        id: DeliveryId,
    ) -> Result<Option<Vec<u8>>, EngineError> {
        caller.require(Permission::Read)?;
        Ok(self.store().delivery_body(&caller.scope, id).await?)
    }

    /// Deliveries, newest first.
    pub async fn list_deliveries(
        &self,
        caller: &Caller,
        filter: &DeliveryFilter,
        page: PageRequest,
    ) -> Result<Page<DeliveryRecord>, EngineError> {
        caller.require(Permission::Read)?;
        Ok(self.store().list_deliveries(&caller.scope, filter, page).await?)
    }
}
