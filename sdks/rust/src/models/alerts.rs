//! Models of alerts. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::json::Json;
use crate::timestamp::Timestamp;

/// An alert: one for each rule and labels, over all nodes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Alert {
    /// `firedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fired_at: Option<Timestamp>,
    /// `id`.
    pub id: String,
    /// What it is about.
    pub labels: BTreeMap<String, String>,
    /// `resolvedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Timestamp>,
    /// `rule`.
    pub rule: String,
    /// `warning` or `critical`.
    pub severity: String,
    /// The silence that keeps it from being sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silenced_by: Option<String>,
    /// `startedAt`.
    pub started_at: Timestamp,
    /// `pending`, `firing` or `resolved`.
    pub status: String,
    /// What is wrong, in a sentence.
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
    /// Why the last try failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `id`.
    pub id: String,
    /// Time of the next try.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_try_at: Option<Timestamp>,
    /// `route`.
    pub route: String,
    /// `sentAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<Timestamp>,
    /// `pending`, `sent` or `failed`.
    pub status: String,
    /// Number of tries so far.
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
    /// The secret that was generated, shown once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// `sendResolved`.
    pub send_resolved: bool,
    /// Whether notifications are signed.
    pub signed: bool,
    /// Addresses of a mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Vec<String>>,
    /// `log`, `webhook`, `slack` or `mail`.
    pub r#type: String,
    /// `url`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A route for notifications.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertRouteRequest {
    /// How often a firing alert is sent again. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat_every: Option<String>,
    /// Secret that signs by Standard Webhooks, `whsec_…`. Generated and shown once if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Whether the end of an alert is sent, too. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_resolved: Option<bool>,
    /// Addresses of a mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Vec<String>>,
    /// `log`, `webhook`, `slack` or `mail`.
    pub r#type: String,
    /// Address of a webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A rule.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertRule {
    /// Threshold, where values above it are meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<Json>,
    /// Threshold, where values below it are meant.
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
    /// `warning` or `critical`.
    pub severity: String,
    /// `window`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
}

/// A rule: when a metric is above or below a threshold for a time, an alert fires.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertRuleRequest {
    /// Threshold: a duration such as `"5m"`, a number, or a share from 0 to 1. One of `above` and `below`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<Json>,
    /// Threshold that the value must stay below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<Json>,
    /// Value at which an alert ends. Default: 80 % of `above`, 125 % of `below`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clear_at: Option<Json>,
    /// Whether the rule is evaluated. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// How long the value must be beyond the threshold. Default: 0s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#for: Option<String>,
    /// Metric, such as `oldest_age`, `depth` or `error_rate`.
    pub metric: String,
    /// Names of routes. Default: `log`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routes: Option<Vec<String>>,
    /// What the rule is limited to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<AlertScope>,
    /// `warning` (default) or `critical`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// Time over which shares, waits and growth are measured, 1m to 1h. Default: 5m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
}

/// What a rule is limited to.
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

/// A silence.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Silence {
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Who made it.
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
    /// Reason, for those who look.
    pub reason: String,
    /// Only alerts of this rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// End of the silence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}
