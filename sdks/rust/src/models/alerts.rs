//! Models of alerts. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// An alert. At most one is open for each rule and labels, across all nodes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Alert {
    /// `firedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fired_at: Option<Timestamp>,
    /// `id`.
    pub id: String,
    /// Labels that identify the affected objects.
    pub labels: BTreeMap<String, String>,
    /// `resolvedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Timestamp>,
    /// `rule`.
    pub rule: String,
    /// `severity`.
    pub severity: AlertSeverity,
    /// ID of the silence that suppresses its notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silenced_by: Option<String>,
    /// `startedAt`.
    pub started_at: Timestamp,
    /// `status`.
    pub status: AlertStatus,
    /// One-sentence description of the problem.
    pub summary: String,
    /// Threshold; durations in milliseconds.
    pub threshold: f64,
    /// Last value; durations in milliseconds.
    pub value: f64,
}

/// A notification about an alert.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertNotification {
    /// The alert; absent for a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alert_id: Option<String>,
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Why the last attempt failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `id`.
    pub id: String,
    /// Time of the next attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_try_at: Option<Timestamp>,
    /// `route`.
    pub route: String,
    /// `sentAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<Timestamp>,
    /// `pending`, `sent` or `failed`.
    pub status: String,
    /// Number of attempts so far.
    pub tries: i32,
    /// `alert.firing`, `alert.resolved` or `alert.test`.
    pub r#type: String,
}

/// A route.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertRoute {
    /// `name`.
    pub name: String,
    /// `repeatEvery`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat_every: Option<String>,
    /// The generated secret, shown only in this response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// `sendResolved`.
    pub send_resolved: bool,
    /// Whether notifications are signed.
    pub signed: bool,
    /// Email addresses of the recipients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Vec<String>>,
    /// `log`, `webhook`, `slack` or `mail`.
    pub r#type: String,
    /// URL of the webhook; only its scheme and host for callers that may not change routes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A route for notifications.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertRouteRequest {
    /// Interval at which a firing alert is sent again. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat_every: Option<String>,
    /// Signing secret as defined by Standard Webhooks, `whsec_…`. If absent, one is generated and shown once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Whether a notification is also sent when an alert is resolved. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_resolved: Option<bool>,
    /// Email addresses of the recipients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Vec<String>>,
    /// `log`, `webhook`, `slack` or `mail`.
    pub r#type: String,
    /// URL of the webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A rule.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertRule {
    /// Threshold; the alert fires for values above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<Json>,
    /// Threshold; the alert fires for values below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<Json>,
    /// `clearAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clear_at: Option<Json>,
    /// `enabled`.
    pub enabled: bool,
    /// `for`.
    pub r#for: String,
    /// `metric`.
    pub metric: String,
    /// `name`.
    pub name: String,
    /// `routes`.
    pub routes: Vec<String>,
    /// `scope`.
    pub scope: AlertScope,
    /// `severity`.
    pub severity: AlertSeverity,
    /// `window`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
}

/// An alert rule. An alert fires when a metric stays above or below a threshold for a given time.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertRuleRequest {
    /// Threshold that the value must exceed: a duration such as `"5m"`, a number, or a fraction from 0 to 1. Required
    /// without `below`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<Json>,
    /// Threshold that the value must fall below. Required without `above`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<Json>,
    /// Value at which the alert is resolved. Default: 80 % of `above`, or 125 % of `below`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clear_at: Option<Json>,
    /// Whether the rule is evaluated. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// How long the value must stay beyond the threshold before the alert fires. Default: 0s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#for: Option<String>,
    /// Metric, such as `oldest_age`, `depth` or `error_rate`.
    pub metric: String,
    /// Names of routes. Default: `log`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routes: Option<Vec<String>>,
    /// Objects that the rule is limited to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<AlertScope>,
    /// `warning` (default) or `critical`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<AlertSeverity>,
    /// Time window over which fractions, waits and growth are measured, 1m to 1h. Default: 5m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
}

/// Objects that a rule is limited to.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertScope {
    /// `jobType`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_type: Option<String>,
    /// `queue`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// `scheduleId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule_id: Option<String>,
    /// `tenant`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// `webhookId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_id: Option<String>,
    /// `workflow`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
}

open_enum! {
    /// AlertSeverity
    pub enum AlertSeverity {
        /// `warning`.
        Warning = "warning",
        /// `critical`.
        Critical = "critical",
    }
}

open_enum! {
    /// AlertStatus
    pub enum AlertStatus {
        /// `pending`.
        Pending = "pending",
        /// `firing`.
        Firing = "firing",
        /// `resolved`.
        Resolved = "resolved",
    }
}

/// A silence.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Silence {
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Who created it.
    pub created_by: String,
    /// `id`.
    pub id: String,
    /// `labels`.
    pub labels: BTreeMap<String, String>,
    /// `reason`.
    pub reason: String,
    /// `rule`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// `until`.
    pub until: Timestamp,
}

/// A silence.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SilenceRequest {
    /// Duration, such as `"2h"`. One of `for` and `until`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#for: Option<String>,
    /// Only alerts with these labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
    /// Reason, shown with the silence.
    pub reason: String,
    /// Only alerts of this rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// End of the silence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}
