//! Rows of the tables of alerts.

use domain::alerting::{Alert, AlertStatus, Severity, Silence};
use domain::id::{AlertId, Id, NotificationId, SecretId, SilenceId};
use sea_orm::{QueryResult, Value};
use store::alerts::{NamedSpec, Notification, NotificationStatus, SealedSecret, labels_text};
use store::{StoreError, StoreResult};

use crate::rows::Row;

/// Reads a row of `alert_spec`.
pub(super) fn spec_of(row: &QueryResult) -> StoreResult<NamedSpec> {
    let row = Row::new("alert_spec", row);
    let secret = match (row.uuid_or_null("secret_id")?, row.bytes_or_null("sealed")?) {
        (Some(id), Some(sealed)) => {
            Some(SealedSecret { id: SecretId::from_uuid(id), key_id: row.text("key_id")?, sealed })
        }
        _ => None,
    };
    Ok(NamedSpec {
        name: row.text("name")?,
        spec: row.text("spec")?,
        secret,
        changed_at: row.instant("changed_at")?,
    })
}

/// Reads a row of `alert_silence`.
pub(super) fn silence_of(row: &QueryResult) -> StoreResult<Silence> {
    let row = Row::new("alert_silence", row);
    Ok(Silence {
        id: SilenceId::from_uuid(row.uuid("id")?),
        rule: row.text_or_null("rule")?,
        labels: row.json_or_null("labels")?.unwrap_or_default(),
        until: row.instant("until_at")?,
        reason: row.text("reason")?,
        created_by: row.text("created_by")?,
        created_at: row.instant("created_at")?,
    })
}

/// Reads a row of `alert`.
pub(super) fn alert_of(result: &QueryResult) -> StoreResult<Alert> {
    let row = Row::new("alert", result);
    let number = |column: &'static str| -> StoreResult<f64> {
        result.try_get::<f64>("", column).map_err(|_: sea_orm::DbErr| -> StoreError { row.fault(column) })
    };
    Ok(Alert {
        id: AlertId::from_uuid(row.uuid("id")?),
        rule: row.text("rule")?,
        severity: row.parsed("severity", Severity::parse)?,
        status: row.parsed("status", AlertStatus::parse)?,
        labels: row.json_or_null("labels")?.unwrap_or_default(),
        value: number("value")?,
        threshold: number("threshold")?,
        summary: row.text("summary")?,
        started_at: row.instant("started_at")?,
        fired_at: row.instant_or_null("fired_at")?,
        clear_since: row.instant_or_null("clear_since")?,
        resolved_at: row.instant_or_null("resolved_at")?,
        silenced_by: row.uuid_or_null("silenced_by")?.map(SilenceId::from_uuid),
        notified_at: row.instant_or_null("notified_at")?,
    })
}

/// The columns of `alert`, in the order of the table.
pub(super) fn alert_values(alert: &Alert) -> Vec<Value> {
    vec![
        alert.id.uuid().into(),
        alert.rule.as_str().into(),
        labels_text(&alert.labels).into(),
        alert.severity.as_str().into(),
        alert.status.as_str().into(),
        alert.value.into(),
        alert.threshold.into(),
        alert.summary.as_str().into(),
        alert.started_at.0.into(),
        alert.fired_at.map(|at| at.0).into(),
        alert.clear_since.map(|at| at.0).into(),
        alert.resolved_at.map(|at| at.0).into(),
        alert.silenced_by.map(Id::uuid).into(),
        alert.notified_at.map(|at| at.0).into(),
    ]
}

/// Reads a row of `alert_notification`.
pub(super) fn notification_of(row: &QueryResult) -> StoreResult<Notification> {
    let row = Row::new("alert_notification", row);
    Ok(Notification {
        id: NotificationId::from_uuid(row.uuid("id")?),
        alert_id: row.uuid_or_null("alert_id")?.map(AlertId::from_uuid),
        route: row.text("route")?,
        kind: row.text("kind")?,
        body: row.text("body")?,
        status: row.parsed("status", NotificationStatus::parse)?,
        tries: row.count("tries")?,
        due_at: row.instant("due_at")?,
        error: row.text_or_null("error")?,
        created_at: row.instant("created_at")?,
        sent_at: row.instant_or_null("sent_at")?,
    })
}
