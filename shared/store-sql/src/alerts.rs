//! Alerts: what operators set, alerts as they stand, notifications, and what rules are measured by.

mod measure;
mod notifications;
mod specs;
mod table;

use async_trait::async_trait;
use domain::alerting::{Alert, Silence};
use domain::id::{NotificationId, SilenceId};
use domain::time::Timestamp;
use store::alerts::{
    AlertFilter, AlertStore, Evaluated, Measured, NamedSpec, Notification, NotificationStatus, SpecKind,
};
use store::audit::AuditRecord;
use store::{Page, PageRequest, StoreResult};
use uuid::Uuid;

use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

pub(crate) use measure::disk_used;

// The port's operations on alerts, each retried where that is safe.

#[async_trait]
impl AlertStore for SqlStore {
    async fn alert_specs(&self, kind: SpecKind) -> StoreResult<Vec<NamedSpec>> {
        with_retry(RetryBudget::repeatable(), || specs::list(self.pool(), kind)).await
    }

    async fn put_alert_spec(
        &self,
        kind: SpecKind,
        spec: &NamedSpec,
        specs_max: u32,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || specs::put(self.pool(), kind, spec, specs_max, audit)).await
    }

    async fn delete_alert_spec(
        &self,
        kind: SpecKind,
        name: &str,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || specs::delete(self.pool(), kind, name, audit)).await
    }

    async fn silences(&self, now: Timestamp) -> StoreResult<Vec<Silence>> {
        with_retry(RetryBudget::repeatable(), || specs::silences(self.pool(), now)).await
    }

    async fn add_silence(&self, silence: &Silence, audit: &[AuditRecord]) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || specs::add_silence(self.pool(), silence, audit)).await
    }

    async fn end_silence(&self, id: SilenceId, now: Timestamp, audit: &[AuditRecord]) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || specs::end_silence(self.pool(), id, now, audit)).await
    }

    async fn take_alert_turn(&self, holder: Uuid, until: Timestamp, now: Timestamp) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || table::take_turn(self.pool(), holder, until, now)).await
    }

    async fn open_alerts(&self) -> StoreResult<Vec<Alert>> {
        with_retry(RetryBudget::repeatable(), || table::open(self.pool())).await
    }

    async fn silenced_ends(&self) -> StoreResult<Vec<Alert>> {
        with_retry(RetryBudget::repeatable(), || table::silenced_ends(self.pool())).await
    }

    async fn commit_alerts(&self, holder: Uuid, evaluated: &Evaluated, now: Timestamp) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || table::commit_evaluated(self.pool(), holder, evaluated, now))
            .await
    }

    async fn list_alerts(&self, filter: &AlertFilter, page: PageRequest) -> StoreResult<Page<Alert>> {
        with_retry(RetryBudget::repeatable(), || table::list(self.pool(), filter, page)).await
    }

    async fn add_notification(&self, notification: &Notification) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || notifications::add(self.pool(), notification)).await
    }

    async fn take_notifications(
        &self,
        now: Timestamp,
        until: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<Notification>> {
        with_retry(RetryBudget::once(), || notifications::take(self.pool(), now, until, limit)).await
    }

    async fn settle_notification(&self, notification: &Notification) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || notifications::settle(self.pool(), notification)).await
    }

    async fn list_notifications(
        &self,
        statuses: &[NotificationStatus],
        page: PageRequest,
    ) -> StoreResult<Page<Notification>> {
        with_retry(RetryBudget::repeatable(), || notifications::list(self.pool(), statuses, page)).await
    }

    async fn retry_notification(
        &self,
        id: NotificationId,
        now: Timestamp,
        audit: &[AuditRecord],
    ) -> StoreResult<Option<Notification>> {
        with_retry(RetryBudget::once(), || notifications::retry(self.pool(), id, now, audit)).await
    }

    async fn measure_alerts(&self, since: Timestamp, now: Timestamp) -> StoreResult<Measured> {
        measure::measure(self, since, now).await
    }

    async fn prune_alerts(&self, before: Timestamp, limit: u32) -> StoreResult<u64> {
        with_retry(RetryBudget::repeatable(), || table::prune(self.pool(), before, limit)).await
    }
}
