//! Events: triggers, and nodes that wait.
//!
//! Who waits writes a row in the step that begins the wait, and looks for events that came before once the step is
//! committed; who receives an event stores it first and looks for rows afterwards. Whichever of the two is committed
//! later sees the other.

mod look_back;
mod triggers;
pub(crate) mod waits;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::{DeliveryId, ExecutionId, TriggerId};
use domain::names::{NodeId, TenantName};
use domain::time::Timestamp;
use store::audit::AuditRecord;
use store::events::{
    EventStore, EventWake, LookBack, LookBackCursor, TriggerChange, TriggerRecord, WaitingNode,
};
use store::{Page, PageRequest, StoreResult};

use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

// The port's operations on events, each retried where that is safe.

#[async_trait]
impl EventStore for SqlStore {
    async fn create_trigger(
        &self,
        trigger: &TriggerRecord,
        triggers_max: u32,
        audit: &[AuditRecord],
    ) -> StoreResult<TriggerChange> {
        let once = || triggers::create(self.pool(), trigger, triggers_max, audit);
        with_retry(RetryBudget::repeatable(), once).await
    }

    async fn update_trigger(
        &self,
        scope: &TenantScope,
        trigger: &TriggerRecord,
        audit: &[AuditRecord],
    ) -> StoreResult<TriggerChange> {
        // Not repeated over a broken connection: the second time its own first would look like somebody else's.
        with_retry(RetryBudget::once(), || triggers::update(self.pool(), scope, trigger, audit)).await
    }

    async fn delete_trigger(
        &self,
        scope: &TenantScope,
        id: TriggerId,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || triggers::delete(self.pool(), scope, id, audit)).await
    }

    async fn trigger(&self, scope: &TenantScope, id: TriggerId) -> StoreResult<Option<TriggerRecord>> {
        with_retry(RetryBudget::repeatable(), || triggers::one(self.pool(), scope, id)).await
    }

    async fn list_triggers(
        &self,
        scope: &TenantScope,
        tenant: Option<&TenantName>,
        page: PageRequest,
    ) -> StoreResult<Page<TriggerRecord>> {
        with_retry(RetryBudget::repeatable(), || triggers::list(self.pool(), scope, tenant, page)).await
    }

    async fn triggers_of(&self, tenant: &TenantName, limit: u32) -> StoreResult<Vec<TriggerRecord>> {
        with_retry(RetryBudget::repeatable(), || triggers::of_tenant(self.pool(), tenant, limit)).await
    }

    async fn event_wait_paths(
        &self,
        tenant: &TenantName,
        event: &str,
        after: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<String>> {
        let once = || waits::paths(self.pool(), tenant, event, after, limit);
        with_retry(RetryBudget::repeatable(), once).await
    }

    async fn waiting_nodes(
        &self,
        of: (&TenantName, &str),
        matched: (&str, &[u8; 32]),
        after: Option<(ExecutionId, &NodeId)>,
        limit: u32,
    ) -> StoreResult<Vec<WaitingNode>> {
        let once = || waits::waiting(self.pool(), of, matched, after, limit);
        with_retry(RetryBudget::repeatable(), once).await
    }

    async fn wake_waiting_nodes(&self, event: &EventWake, now: Timestamp) -> StoreResult<Vec<WaitingNode>> {
        self.sealer().ring(self.pool()).await?;
        // Not repeated over a broken connection: what the first time woke would be missing in the answer.
        with_retry(RetryBudget::once(), || waits::wake_nodes(self, event, now)).await
    }

    async fn look_backs_of(&self, executions: &[ExecutionId]) -> StoreResult<Vec<LookBack>> {
        with_retry(RetryBudget::repeatable(), || look_back::of(self.pool(), executions)).await
    }

    async fn look_backs_left(
        &self,
        before: Timestamp,
        after: Option<&LookBackCursor>,
        limit: u32,
    ) -> StoreResult<Vec<LookBack>> {
        with_retry(RetryBudget::repeatable(), || look_back::left(self.pool(), before, after, limit)).await
    }

    async fn end_look_back(&self, waits: &[LookBack]) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || look_back::end(self.pool(), waits)).await
    }

    async fn look_again(&self, event: &str, nodes: &[WaitingNode], from: Timestamp) -> StoreResult<()> {
        let once = || look_back::again(self.pool(), event, nodes, from);
        with_retry(RetryBudget::repeatable(), once).await
    }

    async fn events_before(
        &self,
        tenant: &TenantName,
        event: &str,
        span: (Timestamp, Timestamp),
        limit: u32,
    ) -> StoreResult<Vec<DeliveryId>> {
        let once = || look_back::before(self.pool(), (tenant, event), span, limit);
        with_retry(RetryBudget::repeatable(), once).await
    }

    async fn events_since(
        &self,
        tenant: &TenantName,
        event: &str,
        position: (Timestamp, Option<DeliveryId>),
        limit: u32,
    ) -> StoreResult<Vec<DeliveryId>> {
        let once = || look_back::since(self.pool(), (tenant, event), position, limit);
        with_retry(RetryBudget::repeatable(), once).await
    }
}
