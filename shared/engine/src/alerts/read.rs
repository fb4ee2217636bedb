//! Alerts and notifications, for those who look.

use domain::access::Permission;
use domain::alerting::Alert;
use domain::id::NotificationId;
use store::alerts::{AlertFilter, Notification, NotificationStatus};
use store::{Page, PageRequest};

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Alerts, newest first.
    pub async fn list_alerts(
        &self,
        caller: &Caller,
        filter: &AlertFilter,
        page: PageRequest,
    ) -> Result<Page<Alert>, EngineError> {
        caller.require(Permission::Read)?;
        caller.require_unscoped()?;
        Ok(self.store().list_alerts(filter, page).await?)
    }

    /// Notifications with one of these statuses, or with any where none is named, newest first.
    pub async fn list_notifications(
        &self,
        caller: &Caller,
        statuses: &[NotificationStatus],
        page: PageRequest,
    ) -> Result<Page<Notification>, EngineError> {
        caller.require(Permission::Read)?;
        caller.require_unscoped()?;
        Ok(self.store().list_notifications(statuses, page).await?)
    }

    /// Has a notification that did not arrive sent again, with all its tries.
    pub async fn retry_notification(
        &self,
        caller: &Caller,
        id: NotificationId,
    ) -> Result<Notification, EngineError> {
        caller.require(Permission::Operate)?;
        caller.require_unscoped()?;
        let line = self.audit_line(caller, AuditedAction::new("alert_notification.retry", &id));
        let retried = self.store().retry_notification(id, self.now(), &[line]).await?;
        retried.ok_or_else(|| EngineError::not_found("notification that was not sent", &id))
    }
}
