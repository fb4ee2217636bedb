//! How long things are kept, as it is shown and set.

use domain::queue::QueueName;
use domain::retention::RetentionSubject;
use domain::time::DurationMs;
use engine::{RetentionEdit, RetentionLine, RetentionView};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

/// How long finished jobs of a queue are kept.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QueueRetention)]
pub(crate) struct QueueTimesResponse {
    /// Completed jobs.
    completed: Option<String>,
    /// Failed jobs, and jobs of resolved dead letters.
    failed: Option<String>,
    /// Cancelled jobs.
    cancelled: Option<String>,
    /// Data and results; null: as long as the jobs.
    payloads: Option<String>,
}

/// Times for each kind of object.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RetentionTimes)]
pub(crate) struct TimesResponse {
    #[serde(rename = "workflow-execution")]
    workflow_execution: QueueTimesResponse,
    #[serde(rename = "workflow-node")]
    workflow_node: QueueTimesResponse,
    #[serde(rename = "workflow-scheduled")]
    workflow_scheduled: QueueTimesResponse,
    #[serde(rename = "workflow-webhook")]
    workflow_webhook: QueueTimesResponse,
    /// Finished executions with their nodes and timelines.
    executions: Option<String>,
    /// Inputs and outputs of finished executions and their nodes; null: as long as the executions.
    execution_payloads: Option<String>,
    /// Requeued and archived dead letters.
    archive: Option<String>,
    /// Webhook deliveries and events.
    deliveries: Option<String>,
    /// Bodies of deliveries; null: as long as the deliveries.
    delivery_bodies: Option<String>,
    /// The audit log. Cannot be set for a tenant.
    audit: Option<String>,
    /// Resolved alerts. Cannot be set for a tenant.
    alerts: Option<String>,
}

/// How long finished objects are kept.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Retention)]
pub(crate) struct RetentionResponse {
    /// The configured times.
    #[serde(flatten)]
    set: TimesResponse,
    /// The effective times: times set through the API are rounded up.
    effective: TimesResponse,
    /// Where each value comes from: `settings`, `deployment` or `tenant`.
    source: TimesResponse,
}

impl From<RetentionView> for RetentionResponse {
    fn from(view: RetentionView) -> Self {
        Self {
            set: times(&view, |line| line.set.map(|kept| kept.to_string())),
            effective: times(&view, |line| line.effective.map(|kept| kept.to_string())),
            source: times(&view, |line| Some(line.source.as_str().to_owned())),
        }
    }
}

fn times(view: &RetentionView, text: impl Fn(&RetentionLine) -> Option<String>) -> TimesResponse {
    let of = |subject| view.0.iter().find(|line| line.subject == subject).and_then(&text);
    let queue = |queue| QueueTimesResponse {
        completed: of(RetentionSubject::Completed(queue)),
        failed: of(RetentionSubject::Failed(queue)),
        cancelled: of(RetentionSubject::Cancelled(queue)),
        payloads: of(RetentionSubject::Payloads(queue)),
    };
    TimesResponse {
        workflow_execution: queue(QueueName::Execution),
        workflow_node: queue(QueueName::Node),
        workflow_scheduled: queue(QueueName::Scheduled),
        workflow_webhook: queue(QueueName::Webhook),
        executions: of(RetentionSubject::Executions),
        execution_payloads: of(RetentionSubject::ExecutionPayloads),
        archive: of(RetentionSubject::Archive),
        deliveries: of(RetentionSubject::Deliveries),
        delivery_bodies: of(RetentionSubject::DeliveryBodies),
        audit: of(RetentionSubject::Audit),
        alerts: of(RetentionSubject::Alerts),
    }
}

/// Retention times of a queue to change.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = QueueRetentionRequest)]
pub(crate) struct QueueTimesBody {
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    completed: TimeEdit,
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    failed: TimeEdit,
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    cancelled: TimeEdit,
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    payloads: TimeEdit,
}

/// What becomes of the times of a queue. Null for the queue is null for each of them.
#[derive(Debug, Default)]
struct QueueEdit(QueueTimesBody);

impl<'de> Deserialize<'de> for QueueEdit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let removal = || QueueTimesBody {
            completed: TimeEdit::Null,
            failed: TimeEdit::Null,
            cancelled: TimeEdit::Null,
            payloads: TimeEdit::Null,
        };
        Ok(Self(Option::deserialize(deserializer)?.unwrap_or_else(removal)))
    }
}

/// Times to change: a duration, or null for the default.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RetentionRequest)]
pub(crate) struct RetentionBody {
    #[serde(rename = "workflow-execution", default)]
    #[schema(value_type = Option<QueueTimesBody>, required = false)]
    workflow_execution: QueueEdit,
    #[serde(rename = "workflow-node", default)]
    #[schema(value_type = Option<QueueTimesBody>, required = false)]
    workflow_node: QueueEdit,
    #[serde(rename = "workflow-scheduled", default)]
    #[schema(value_type = Option<QueueTimesBody>, required = false)]
    workflow_scheduled: QueueEdit,
    #[serde(rename = "workflow-webhook", default)]
    #[schema(value_type = Option<QueueTimesBody>, required = false)]
    workflow_webhook: QueueEdit,
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    executions: TimeEdit,
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    execution_payloads: TimeEdit,
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    archive: TimeEdit,
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    deliveries: TimeEdit,
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    delivery_bodies: TimeEdit,
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    audit: TimeEdit,
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false)]
    alerts: TimeEdit,
}

/// What becomes of one time.
#[derive(Debug, Default)]
enum TimeEdit {
    /// It stays.
    #[default]
    Absent,
    /// It goes back to the default.
    Null,
    /// It is set.
    Kept(DurationMs),
}

impl<'de> Deserialize<'de> for TimeEdit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Null, Self::Kept))
    }
}

impl RetentionBody {
    /// The changes.
    pub(crate) fn into_edits(self) -> Vec<RetentionEdit> {
        let queues = [
            (QueueName::Execution, self.workflow_execution.0),
            (QueueName::Node, self.workflow_node.0),
            (QueueName::Scheduled, self.workflow_scheduled.0),
            (QueueName::Webhook, self.workflow_webhook.0),
        ];
        let of_queues = queues.into_iter().flat_map(|(queue, times)| {
            [
                (RetentionSubject::Completed(queue), times.completed),
                (RetentionSubject::Failed(queue), times.failed),
                (RetentionSubject::Cancelled(queue), times.cancelled),
                (RetentionSubject::Payloads(queue), times.payloads),
            ]
        });
        let others = [
            (RetentionSubject::Executions, self.executions),
            (RetentionSubject::ExecutionPayloads, self.execution_payloads),
            (RetentionSubject::Archive, self.archive),
            (RetentionSubject::Deliveries, self.deliveries),
            (RetentionSubject::DeliveryBodies, self.delivery_bodies),
            (RetentionSubject::Audit, self.audit),
            (RetentionSubject::Alerts, self.alerts),
        ];
        let given = of_queues.chain(others).filter_map(|(subject, edit)| match edit {
            TimeEdit::Absent => None,
            TimeEdit::Null => Some(RetentionEdit { subject, kept: None }),
            TimeEdit::Kept(kept) => Some(RetentionEdit { subject, kept: Some(kept) }),
        });
        given.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_stays_and_null_is_the_default() {
        let text = r#"{"workflow-node": {"completed": "5d", "payloads": null}, "executionPayloads": "12h"}"#;
        let body: RetentionBody = serde_json::from_str(text).expect("it fits");
        let day = DurationMs::from_secs(86_400);
        let expected = [
            (RetentionSubject::Completed(QueueName::Node), Some(DurationMs(day.0 * 5))),
            (RetentionSubject::Payloads(QueueName::Node), None),
            (RetentionSubject::ExecutionPayloads, Some(DurationMs(day.0 / 2))),
        ];
        let edits: Vec<_> = body.into_edits().into_iter().map(|edit| (edit.subject, edit.kept)).collect();
        assert_eq!(edits, expected);
        let body: RetentionBody = serde_json::from_str(r#"{"workflow-webhook": null}"#).expect("it fits");
        let edits = body.into_edits();
        let is_removed =
            |edit: &RetentionEdit| edit.kept.is_none() && edit.subject.queue() == Some(QueueName::Webhook);
        assert!(
            edits.len() == 4 && edits.iter().all(is_removed),
            "null for a queue removes all of its times"
        );
        for wrong in [r#"{"workflow-node": {"completed": 5}}"#, r#"{"jobs": "5d"}"#] {
            assert!(serde_json::from_str::<RetentionBody>(wrong).is_err(), "{wrong}");
        }
    }
}
