//! Calls of alerts. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{
    Alert, AlertNotification, AlertRoute, AlertRouteRequest, AlertRule, AlertRuleRequest, Page, Silence,
    SilenceRequest,
};
use crate::transport::{Request, segment};

impl Calls {
    /// List alerts, newest first.
    /// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_alerts(&self, query: &ListAlertsQuery) -> Result<Page<Alert>, ClientError> {
        self.call(Request::new("listAlerts", "GET", "/v1/alerts").query(query)?).await
    }

    /// List notifications, newest first.
    /// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_notifications(
        &self,
        query: &ListNotificationsQuery,
    ) -> Result<Page<AlertNotification>, ClientError> {
        self.call(Request::new("listNotifications", "GET", "/v1/alerts/notifications").query(query)?).await
    }

    /// Send a notification again.
    /// Only for a notification that has not been sent. The count of attempts starts again from zero.
    ///
    /// Action `alerts.write`: requires role `admin` or `operator`.
    pub async fn retry_notification(&self, id: &str) -> Result<AlertNotification, ClientError> {
        self.call(
            Request::new(
                "retryNotification",
                "POST",
                format!("/v1/alerts/notifications/{}/retry", segment(id)),
            )
            .keyed(),
        )
        .await
    }

    /// List alert routes by name.
    /// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_routes(&self) -> Result<Page<AlertRoute>, ClientError> {
        self.call(Request::new("listRoutes", "GET", "/v1/alerts/routes")).await
    }

    /// Show an alert route.
    /// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_route(&self, name: &str) -> Result<AlertRoute, ClientError> {
        self.call(Request::new("getRoute", "GET", format!("/v1/alerts/routes/{}", segment(name)))).await
    }

    /// Set an alert route.
    /// Webhook requests are signed according to Standard Webhooks. If `secret` is absent, one is generated and shown once.
    ///
    /// Action `alerts.write`: requires role `admin` or `operator`.
    pub async fn put_route(&self, name: &str, body: &AlertRouteRequest) -> Result<AlertRoute, ClientError> {
        self.call(
            Request::new("putRoute", "PUT", format!("/v1/alerts/routes/{}", segment(name)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Delete an alert route.
    /// Action `alerts.write`: requires role `admin` or `operator`.
    pub async fn delete_route(&self, name: &str) -> Result<(), ClientError> {
        self.call_empty(
            Request::new("deleteRoute", "DELETE", format!("/v1/alerts/routes/{}", segment(name))).keyed(),
        )
        .await
    }

    /// Send a test notification.
    /// Action `alerts.write`: requires role `admin` or `operator`.
    pub async fn test_route(&self, name: &str) -> Result<AlertNotification, ClientError> {
        self.call(
            Request::new("testRoute", "POST", format!("/v1/alerts/routes/{}/test", segment(name))).keyed(),
        )
        .await
    }

    /// List alert rules by name.
    /// Includes the default rules and the rules that were set.
    ///
    /// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_rules(&self) -> Result<Page<AlertRule>, ClientError> {
        self.call(Request::new("listRules", "GET", "/v1/alerts/rules")).await
    }

    /// Show an alert rule.
    /// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_rule(&self, name: &str) -> Result<AlertRule, ClientError> {
        self.call(Request::new("getRule", "GET", format!("/v1/alerts/rules/{}", segment(name)))).await
    }

    /// Set an alert rule.
    /// Replaces an existing rule of the same name, including a default rule.
    ///
    /// Action `alerts.write`: requires role `admin` or `operator`.
    pub async fn put_rule(&self, name: &str, body: &AlertRuleRequest) -> Result<AlertRule, ClientError> {
        self.call(
            Request::new("putRule", "PUT", format!("/v1/alerts/rules/{}", segment(name)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Delete an alert rule.
    /// Deleting a rule that replaces a default rule restores the default. To disable a default rule, set `enabled: false`.
    ///
    /// Action `alerts.write`: requires role `admin` or `operator`.
    pub async fn delete_rule(&self, name: &str) -> Result<(), ClientError> {
        self.call_empty(
            Request::new("deleteRule", "DELETE", format!("/v1/alerts/rules/{}", segment(name))).keyed(),
        )
        .await
    }

    /// List silences, newest first.
    /// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_silences(&self) -> Result<Page<Silence>, ClientError> {
        self.call(Request::new("listSilences", "GET", "/v1/alerts/silences")).await
    }

    /// Silence alerts.
    /// No notifications are sent while the silence lasts. Alerts that still fire when it ends are sent then.
    ///
    /// Action `alerts.write`: requires role `admin` or `operator`.
    pub async fn add_silence(&self, body: &SilenceRequest) -> Result<Silence, ClientError> {
        self.call(Request::new("addSilence", "POST", "/v1/alerts/silences").keyed().body(body)?).await
    }

    /// Show a silence that has not ended.
    /// Action `alerts.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_silence(&self, id: &str) -> Result<Silence, ClientError> {
        self.call(Request::new("getSilence", "GET", format!("/v1/alerts/silences/{}", segment(id)))).await
    }

    /// End a silence.
    /// Action `alerts.write`: requires role `admin` or `operator`.
    pub async fn end_silence(&self, id: &str) -> Result<(), ClientError> {
        self.call_empty(
            Request::new("endSilence", "DELETE", format!("/v1/alerts/silences/{}", segment(id))).keyed(),
        )
        .await
    }
}

/// The query of [`Calls::list_alerts`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListAlertsQuery {
    /// `pending`, `firing` or `resolved`. Several values are separated by commas.
    pub status: Option<String>,
    /// Name of a rule.
    pub rule: Option<String>,
    /// `warning` or `critical`.
    pub severity: Option<String>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query of [`Calls::list_notifications`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListNotificationsQuery {
    /// `pending`, `sent` or `failed`. Several values are separated by commas.
    pub status: Option<String>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}
