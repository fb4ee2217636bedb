//! Sending notifications until they arrive, or are given up.

use std::sync::Arc;

use domain::alerting::{RouteKind, mail_text, signed_headers, signing_key, slack_text};
use domain::time::DurationMs;
use metrics::counter;
use serde_json::{Value, json};
use store::alerts::{Notification, NotificationStatus};
use telemetry::names;

use super::routes::StoredRoute;
use super::sender::{AlertMail, AlertSender};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::webhooks::unusable;

/// How many are sent at once.
const AT_ONCE: u32 = 20;
/// For how long nobody else tries one that is being sent: longer than a sender may take.
const TRIED_FOR: DurationMs = DurationMs::from_secs(60);
/// The longest error that is kept, in characters.
const ERROR_CHARS_MAX: usize = 500;

impl Engine {
    /// Notifications are sent by this from now on. Only the first one counts.
    pub fn set_alert_sender(&self, sender: Arc<dyn AlertSender>) {
        let _ = self.memory().alert_sender.0.set(sender);
    }

    /// Sends what is due. Answers whether there may be more.
    pub async fn notifications_tick(&self) -> Result<bool, EngineError> {
        let Some(sender) = self.memory().alert_sender.0.get() else {
            return Ok(false);
        };
        let now = self.now();
        let due = self.store().take_notifications(now, now.plus(TRIED_FOR), AT_ONCE).await?;
        if due.is_empty() {
            return Ok(false);
        }
        let (more, routes) = (due.len() == AT_ONCE as usize, self.routes_in_force().await?);
        let tries = due.into_iter().map(|notification| {
            let route = routes.get(&notification.route);
            self.try_once(sender.as_ref(), route, notification)
        });
        for settled in futures::future::join_all(tries).await {
            settled?;
        }
        Ok(more)
    }

    async fn try_once(
        &self,
        sender: &dyn AlertSender,
        route: Option<&StoredRoute>,
        mut notification: Notification,
    ) -> Result<(), EngineError> {
        let sent = match route {
            Some(route) => self.send(sender, route, &notification).await,
            None => Err("there is no such route any more".to_owned()),
        };
        let now = self.now();
        notification.tries += 1;
        let outcome = match sent {
            Ok(()) => {
                (notification.status, notification.error) = (NotificationStatus::Sent, None);
                notification.sent_at = Some(now);
                "sent"
            }
            Err(error) => {
                notification.error = Some(error.chars().take(ERROR_CHARS_MAX).collect());
                if let Some(wait) =
                    self.policy().alerts.backoff.after(notification.tries).filter(|_| route.is_some())
                {
                    notification.due_at = now.plus(wait);
                    "again"
                } else {
                    notification.status = NotificationStatus::Failed;
                    "failed"
                }
            }
        };
        let route = notification.route.clone();
        counter!(names::ALERT_NOTIFICATIONS_TOTAL, names::ROUTE => route, names::OUTCOME => outcome)
            .increment(1);
        if notification.status == NotificationStatus::Failed {
            tracing::error!(
                notification.id = %notification.id,
                route = notification.route,
                error = notification.error,
                "a notification failed and is not retried"
            );
        }
        Ok(self.store().settle_notification(&notification).await?)
    }

    async fn send(
        &self,
        sender: &dyn AlertSender,
        of: &StoredRoute,
        notification: &Notification,
    ) -> Result<(), String> {
        let body: Value = serde_json::from_str(&notification.body).unwrap_or_default();
        let text =
            |pointer: &str| body.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (summary, severity) = (text("/data/summary"), text("/data/severity"));
        let url = of.route.url.as_deref().unwrap_or_default();
        match of.route.kind {
            RouteKind::Log => {
                log(&notification.kind, &severity, &summary);
                Ok(())
            }
            RouteKind::Webhook => {
                let secret = of.secret.as_ref().ok_or("the route has no secret")?;
                let keys = self.sealing_keys().await.map_err(|error| error.to_string())?;
                let opened = keys.open(secret.id, &secret.key_id, &secret.sealed);
                let opened = opened.map_err(|fault| unusable(fault).to_string())?;
                let key = signing_key(&opened).ok_or("the secret is not a Standard Webhooks secret")?;
                let id = notification.id.to_string();
                let headers = signed_headers(&key, &id, self.now(), &notification.body);
                is_taken(sender.post(url, &headers, notification.body.clone()).await)
            }
            RouteKind::Slack => {
                let text = slack_text(&notification.kind, &severity, &summary);
                is_taken(sender.post(url, &[], json!({ "text": text }).to_string()).await)
            }
            RouteKind::Mail => {
                let (subject, text) = mail_text(&notification.kind, &body["data"]);
                let (id, to) = (notification.id.to_string(), of.route.to.clone());
                sender.mail(AlertMail { id, to, subject, text }).await
            }
        }
    }
}

fn is_taken(answer: Result<u16, String>) -> Result<(), String> {
    match answer? {
        200..=299 => Ok(()),
        status => Err(format!("answered with status {status}")),
    }
}

fn log(kind: &str, severity: &str, summary: &str) {
    match (kind, severity) {
        ("alert.firing", "critical") => tracing::error!(alert.kind = kind, "alert: {summary}"),
        ("alert.firing", _) => tracing::warn!(alert.kind = kind, severity, "alert: {summary}"),
        _ => tracing::info!(alert.kind = kind, severity, "alert: {summary}"),
    }
}
