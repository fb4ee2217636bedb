//! Alerts, rules, routes, silences and notifications as they are sent and shown.

use std::collections::BTreeMap;

use domain::alerting::{
    Alert, AlertMetric, AlertRoute, AlertRule, AlertScope, RouteKind, Severity, Silence, Threshold,
};
use domain::time::{DurationMs, Timestamp};
use engine::{RouteRequest, RouteView, SecretText, SilenceRequest};
use serde::{Deserialize, Serialize};
use store::alerts::Notification;
use utoipa::ToSchema;

use super::words::{AlertSeveritySchema, AlertStatusSchema};
use crate::json::present;
use crate::problem::{ApiResult, Problem};

/// An alert rule. An alert fires when a metric stays above or below a threshold for a given time.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = AlertRuleRequest)]
pub(crate) struct RuleBody {
    /// Metric, such as `oldest_age`, `depth` or `error_rate`.
    metric: String,
    /// Objects that the rule is limited to.
    #[serde(default, deserialize_with = "present")]
    scope: Option<ScopeBody>,
    /// Threshold that the value must exceed: a duration such as `"5m"`, a number, or a fraction from 0 to 1. Required
    /// without `below`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<serde_json::Value>)]
    above: Option<Threshold>,
    /// Threshold that the value must fall below. Required without `above`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<serde_json::Value>)]
    below: Option<Threshold>,
    /// Value at which the alert is resolved. Default: 80 % of `above`, or 125 % of `below`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<serde_json::Value>)]
    clear_at: Option<Threshold>,
    /// Time window over which fractions, waits and growth are measured, 1m to 1h. Default: 5m.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    window: Option<DurationMs>,
    /// How long the value must stay beyond the threshold before the alert fires. Default: 0s.
    #[serde(default, rename = "for", deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    hold: Option<DurationMs>,
    /// `warning` (default) or `critical`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<AlertSeveritySchema>)]
    severity: Option<Severity>,
    /// Names of routes. Default: `log`.
    #[serde(default, deserialize_with = "present")]
    routes: Option<Vec<String>>,
    /// Whether the rule is evaluated. Default: true.
    #[serde(default, deserialize_with = "present")]
    enabled: Option<bool>,
}

/// Objects that a rule is limited to.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = AlertScope)]
pub(crate) struct ScopeBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    queue: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workflow: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    job_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    webhook_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schedule_id: Option<String>,
}

impl RuleBody {
    /// The rule under this name.
    pub(crate) fn into_rule(self, name: String) -> ApiResult<AlertRule> {
        let Some(metric) = AlertMetric::parse(&self.metric) else {
            let known: Vec<&str> = AlertMetric::ALL.iter().map(|metric| metric.as_str()).collect();
            return Err(Problem::fault("/metric", format!("expected one of {}", known.join(", "))));
        };
        let (threshold, is_below) = match (self.above, self.below) {
            (Some(above), None) => (above, false),
            (None, Some(below)) => (below, true),
            _ => return Err(Problem::fault("/above", "expected one of above and below")),
        };
        let scope = self.scope.unwrap_or_default();
        Ok(AlertRule {
            name,
            metric,
            scope: AlertScope {
                queue: scope.queue,
                tenant: scope.tenant,
                workflow: scope.workflow,
                job_type: scope.job_type,
                webhook_id: scope.webhook_id,
                schedule_id: scope.schedule_id,
            },
            threshold,
            is_below,
            clear_at: self.clear_at,
            window: self.window,
            hold: self.hold.unwrap_or(DurationMs(0)),
            severity: self.severity.unwrap_or(Severity::Warning),
            routes: self.routes.unwrap_or_else(|| vec!["log".to_owned()]),
            enabled: self.enabled.unwrap_or(true),
        })
    }
}

/// A rule.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertRule)]
pub(crate) struct RuleResponse {
    name: String,
    metric: &'static str,
    scope: ScopeBody,
    /// Threshold; the alert fires for values above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    above: Option<Threshold>,
    /// Threshold; the alert fires for values below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    below: Option<Threshold>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    clear_at: Option<Threshold>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    window: Option<DurationMs>,
    #[serde(rename = "for")]
    #[schema(value_type = String)]
    hold: DurationMs,
    #[schema(value_type = AlertSeveritySchema)]
    severity: &'static str,
    routes: Vec<String>,
    enabled: bool,
}

impl From<AlertRule> for RuleResponse {
    fn from(rule: AlertRule) -> Self {
        let window = rule.measured_over();
        let scope = rule.scope;
        Self {
            name: rule.name,
            metric: rule.metric.as_str(),
            scope: ScopeBody {
                queue: scope.queue,
                tenant: scope.tenant,
                workflow: scope.workflow,
                job_type: scope.job_type,
                webhook_id: scope.webhook_id,
                schedule_id: scope.schedule_id,
            },
            above: (!rule.is_below).then_some(rule.threshold),
            below: rule.is_below.then_some(rule.threshold),
            clear_at: rule.clear_at,
            window,
            hold: rule.hold,
            severity: rule.severity.as_str(),
            routes: rule.routes,
            enabled: rule.enabled,
        }
    }
}

/// A route for notifications.
// No `Debug`: it would print the secret.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = AlertRouteRequest)]
pub(crate) struct RouteBody {
    /// `log`, `webhook`, `slack` or `mail`.
    #[serde(rename = "type")]
    kind: String,
    /// URL of the webhook.
    #[serde(default, deserialize_with = "present")]
    url: Option<String>,
    /// Email addresses of the recipients.
    #[serde(default, deserialize_with = "present")]
    to: Option<Vec<String>>,
    /// Signing secret as defined by Standard Webhooks, `whsec_…`. If absent, one is generated and shown once.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, write_only)]
    secret: Option<String>,
    /// Whether a notification is also sent when an alert is resolved. Default: true.
    #[serde(default, deserialize_with = "present")]
    send_resolved: Option<bool>,
    /// Interval at which a firing alert is sent again. Default: never.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    repeat_every: Option<DurationMs>,
}

impl RouteBody {
    /// The request for the route of this name.
    pub(crate) fn into_request(self, name: String) -> ApiResult<RouteRequest> {
        let kind = RouteKind::parse(&self.kind)
            .ok_or_else(|| Problem::fault("/type", "expected log, webhook, slack or mail"))?;
        let route = AlertRoute {
            name,
            kind,
            url: self.url,
            to: self.to.unwrap_or_default(),
            send_resolved: self.send_resolved.unwrap_or(true),
            repeat_every: self.repeat_every,
        };
        Ok(RouteRequest { route, secret: self.secret.map(SecretText::new) })
    }
}

/// A route.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertRoute)]
pub(crate) struct RouteResponse {
    name: String,
    /// `log`, `webhook`, `slack` or `mail`.
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    kind: &'static str,
    /// URL of the webhook; only its scheme and host for callers that may not change routes.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Email addresses of the recipients.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    to: Vec<String>,
    /// The generated secret, shown only in this response.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// Whether notifications are signed.
    signed: bool,
    send_resolved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    repeat_every: Option<DurationMs>,
}

impl From<RouteView> for RouteResponse {
    fn from(view: RouteView) -> Self {
        let RouteView { route, made_secret, has_secret } = view;
        Self {
            name: route.name,
            kind: route.kind.as_str(),
            url: route.url,
            to: route.to,
            secret: made_secret.map(|secret| secret.reveal().to_owned()),
            signed: has_secret,
            send_resolved: route.send_resolved,
            repeat_every: route.repeat_every,
        }
    }
}

/// A silence.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SilenceRequest)]
pub(crate) struct SilenceBody {
    /// Only alerts of this rule.
    #[serde(default, deserialize_with = "present")]
    rule: Option<String>,
    /// Only alerts with these labels.
    #[serde(default)]
    labels: BTreeMap<String, String>,
    /// Duration, such as `"2h"`. One of `for` and `until`.
    #[serde(default, rename = "for", deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    span: Option<DurationMs>,
    /// End of the silence.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
    /// Reason, shown with the silence.
    reason: String,
}

impl From<SilenceBody> for SilenceRequest {
    fn from(body: SilenceBody) -> Self {
        let SilenceBody { rule, labels, span, until, reason } = body;
        Self { rule, labels, span, until, reason }
    }
}

/// A silence.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Silence)]
pub(crate) struct SilenceResponse {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    labels: BTreeMap<String, String>,
    #[schema(value_type = String, format = DateTime)]
    until: Timestamp,
    reason: String,
    /// Who created it.
    created_by: String,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<Silence> for SilenceResponse {
    fn from(silence: Silence) -> Self {
        Self {
            id: silence.id.to_string(),
            rule: silence.rule,
            labels: silence.labels,
            until: silence.until,
            reason: silence.reason,
            created_by: silence.created_by,
            created_at: silence.created_at,
        }
    }
}

/// An alert. At most one is open for each rule and labels, across all nodes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Alert)]
pub(crate) struct AlertResponse {
    id: String,
    rule: String,
    #[schema(value_type = AlertSeveritySchema)]
    severity: &'static str,
    #[schema(value_type = AlertStatusSchema)]
    status: &'static str,
    /// Labels that identify the affected objects.
    labels: BTreeMap<String, String>,
    /// Last value; durations in milliseconds.
    value: f64,
    /// Threshold; durations in milliseconds.
    threshold: f64,
    /// One-sentence description of the problem.
    summary: String,
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    fired_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    resolved_at: Option<Timestamp>,
    /// ID of the silence that suppresses its notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    silenced_by: Option<String>,
}

impl From<Alert> for AlertResponse {
    fn from(alert: Alert) -> Self {
        Self {
            id: alert.id.to_string(),
            rule: alert.rule,
            severity: alert.severity.as_str(),
            status: alert.status.as_str(),
            labels: alert.labels,
            value: alert.value,
            threshold: alert.threshold,
            summary: alert.summary,
            started_at: alert.started_at,
            fired_at: alert.fired_at,
            resolved_at: alert.resolved_at,
            silenced_by: alert.silenced_by.map(|id| id.to_string()),
        }
    }
}

/// A notification about an alert.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertNotification)]
pub(crate) struct NotificationResponse {
    id: String,
    /// The alert; absent for a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    alert_id: Option<String>,
    route: String,
    /// `alert.firing`, `alert.resolved` or `alert.test`.
    #[serde(rename = "type")]
    kind: String,
    /// `pending`, `sent` or `failed`.
    status: &'static str,
    /// Number of attempts so far.
    tries: u32,
    /// Why the last attempt failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Time of the next attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    next_try_at: Option<Timestamp>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    sent_at: Option<Timestamp>,
}

impl From<Notification> for NotificationResponse {
    fn from(of: Notification) -> Self {
        let is_pending = of.status == store::alerts::NotificationStatus::Pending;
        Self {
            id: of.id.to_string(),
            alert_id: of.alert_id.map(|id| id.to_string()),
            route: of.route,
            kind: of.kind,
            status: of.status.as_str(),
            tries: of.tries,
            error: of.error,
            next_try_at: is_pending.then_some(of.due_at),
            created_at: of.created_at,
            sent_at: of.sent_at,
        }
    }
}
