//! Rules, routes and notifications as JSON.

use domain::alerting::{
    Alert, AlertMetric, AlertRoute, AlertRule, AlertScope, RouteKind, Severity, Threshold,
};
use domain::time::{DurationMs, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A rule as it rests. Fields that a later version adds are not in the way.
#[derive(Debug, Serialize, Deserialize)]
struct StoredRule {
    metric: String,
    #[serde(default)]
    scope: AlertScope,
    threshold: Threshold,
    #[serde(default)]
    is_below: bool,
    #[serde(default)]
    clear_at: Option<Threshold>,
    #[serde(default)]
    window: Option<DurationMs>,
    hold: DurationMs,
    severity: Severity,
    routes: Vec<String>,
    enabled: bool,
}

/// A route as it rests.
#[derive(Debug, Serialize, Deserialize)]
struct StoredRoute {
    kind: String,
    #[serde(default)]
    url: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    to: Vec<String>,
    send_resolved: bool,
    #[serde(default)]
    repeat_every: Option<DurationMs>,
}

pub(super) fn rule_text(rule: &AlertRule) -> String {
    let stored = StoredRule {
        metric: rule.metric.as_str().to_owned(),
        scope: rule.scope.clone(),
        threshold: rule.threshold,
        is_below: rule.is_below,
        clear_at: rule.clear_at,
        window: rule.window,
        hold: rule.hold,
        severity: rule.severity,
        routes: rule.routes.clone(),
        enabled: rule.enabled,
    };
    serde_json::to_string(&stored).unwrap_or_default()
}

/// A rule as the audit log compares it.
pub(super) fn rule_json(rule: &AlertRule) -> Value {
    let side = if rule.is_below { "below" } else { "above" };
    json!({
        "metric": rule.metric.as_str(),
        "scope": rule.scope,
        side: rule.threshold,
        "clearAt": rule.clear_at,
        "window": rule.window,
        "for": rule.hold,
        "severity": rule.severity,
        "routes": rule.routes,
        "enabled": rule.enabled,
    })
}

/// `None` for a rule that this version cannot read.
pub(super) fn rule_of(name: &str, text: &str) -> Option<AlertRule> {
    let stored: StoredRule = serde_json::from_str(text).ok()?;
    Some(AlertRule {
        name: name.to_owned(),
        metric: AlertMetric::parse(&stored.metric)?,
        scope: stored.scope,
        threshold: stored.threshold,
        is_below: stored.is_below,
        clear_at: stored.clear_at,
        window: stored.window,
        hold: stored.hold,
        severity: stored.severity,
        routes: stored.routes,
        enabled: stored.enabled,
    })
}

pub(super) fn route_text(route: &AlertRoute) -> String {
    let stored = StoredRoute {
        kind: route.kind.as_str().to_owned(),
        url: route.url.clone(),
        to: route.to.clone(),
        send_resolved: route.send_resolved,
        repeat_every: route.repeat_every,
    };
    serde_json::to_string(&stored).unwrap_or_default()
}

pub(super) fn route_of(name: &str, text: &str) -> Option<AlertRoute> {
    let stored: StoredRoute = serde_json::from_str(text).ok()?;
    Some(AlertRoute {
        name: name.to_owned(),
        kind: RouteKind::parse(&stored.kind)?,
        url: stored.url,
        to: stored.to,
        send_resolved: stored.send_resolved,
        repeat_every: stored.repeat_every,
    })
}

/// A route as the audit log compares it. Of a URL only host and digest are shown: those of chats are secrets.
pub(super) fn route_json(route: &AlertRoute) -> Value {
    json!({
        "type": route.kind.as_str(),
        "url": route.url.as_deref().map(url_json),
        "to": route.to,
        "sendResolved": route.send_resolved,
        "repeatEvery": route.repeat_every,
    })
}

fn url_json(url: &str) -> Value {
    json!({ "host": host_of(url), "sha256": hex::encode(Sha256::digest(url.as_bytes())) })
}

/// Scheme and host of a URL: what may be shown of it to those who may not change its route.
pub(super) fn host_of(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // A user and a password may stand before the host.
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}")
}

/// What a notification says.
pub(super) fn body_text(kind: &str, data: &Value, now: Timestamp) -> String {
    json!({ "type": kind, "timestamp": now, "data": data }).to_string()
}

/// An alert as notifications show it, and the interface.
pub(super) fn alert_json(alert: &Alert) -> Value {
    let mut json = json!({
        "id": alert.id,
        "rule": alert.rule,
        "severity": alert.severity.as_str(),
        "status": alert.status.as_str(),
        "labels": alert.labels,
        "value": alert.value,
        "threshold": alert.threshold,
        "summary": alert.summary,
        "startedAt": alert.started_at,
    });
    for (name, at) in [("firedAt", alert.fired_at), ("resolvedAt", alert.resolved_at)] {
        if let Some(at) = at {
            json[name] = json!(at);
        }
    }
    if let Some(silence) = alert.silenced_by {
        json["silencedBy"] = json!(silence);
    }
    json
}
