//! The port's operations on attributes, each retried where that is safe.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::attribute::{AttributeScope, StoredAttribute, TenantAttributes};
use domain::names::{AttributeName, TenantName};
use domain::time::Timestamp;
use store::StoreResult;
use store::attributes::{AttributeChange, AttributeStore, CountedValue, DeclareAnswer};
use store::audit::AuditRecord;
use store::jobs::LeaseRef;
use uuid::Uuid;

use super::{declare, suggest, values};
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl AttributeStore for SqlStore {
    async fn declared_attributes(&self, limit: u32) -> StoreResult<Vec<TenantAttributes>> {
        with_retry(RetryBudget::repeatable(), || declare::list(self.pool(), limit)).await
    }

    async fn declare_attributes(
        &self,
        tenant: &TenantName,
        scope: &AttributeScope,
        changes: &[AttributeChange],
        now: Timestamp,
        audit: &[AuditRecord],
    ) -> StoreResult<DeclareAnswer> {
        let once = || declare::declare(self.pool(), tenant, scope, changes, now, audit);
        with_retry(RetryBudget::repeatable(), once).await
    }

    async fn attributes_of(&self, objects: &[Uuid]) -> StoreResult<Vec<(Uuid, StoredAttribute)>> {
        with_retry(RetryBudget::repeatable(), || values::of(self.pool(), objects)).await
    }

    async fn set_attributes(
        &self,
        object: Uuid,
        lease: LeaseRef,
        attributes: &[StoredAttribute],
        now: Timestamp,
    ) -> StoreResult<bool> {
        let once = || values::set(self, object, lease, attributes, now);
        with_retry(RetryBudget::repeatable(), once).await
    }

    async fn suggest_attribute_values(
        &self,
        scope: &TenantScope,
        names: &[AttributeName],
        begin: &str,
        since: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<CountedValue>> {
        let once = || suggest::values(self.pool(), scope, names, begin, since, limit);
        with_retry(RetryBudget::repeatable(), once).await
    }
}
