//! Alerts: rules over what is measured, one evaluator over all nodes, and notifications that are sent until they arrive.

mod evaluate;
mod routes;
mod samples;
mod send;
mod sender;
mod stored;

use std::collections::BTreeMap;

use domain::access::Permission;
use domain::alerting::{Alert, AlertRule, Labels, Silence, default_rules};
use domain::id::{NotificationId, SilenceId};
use domain::problem::ProblemCode;
use domain::time::{DurationMs, Timestamp};
use serde_json::{Value, json};
use store::alerts::{AlertFilter, NamedSpec, Notification, NotificationStatus, SpecKind};
use store::{Page, PageRequest};

use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use stored::{rule_json, rule_of, rule_text};

pub use crate::policy::AlertPolicy;
pub use routes::{RouteRequest, RouteView};
pub(crate) use sender::SenderSlot;
pub use sender::{AlertMail, AlertSender};

// Rules: the defaults, and what operators set in their place.

/// The most rules that operators set.
const RULES_MAX: u32 = 500;

impl Engine {
    /// The rules in force, by name.
    pub async fn alert_rules(&self, caller: &Caller) -> Result<Vec<AlertRule>, EngineError> {
        caller.require(Permission::Read)?;
        caller.require_unscoped()?;
        self.rules_in_force().await
    }

    /// The rule in force with this name.
    pub async fn alert_rule(&self, caller: &Caller, name: &str) -> Result<AlertRule, EngineError> {
        let rules = self.alert_rules(caller).await?;
        let rule = rules.into_iter().find(|rule| rule.name == name);
        rule.ok_or_else(|| EngineError::not_found("alert rule", &name))
    }

    /// Sets a rule, in the place of a default or of one that was set before.
    pub async fn put_alert_rule(&self, caller: &Caller, rule: AlertRule) -> Result<AlertRule, EngineError> {
        caller.require(Permission::Operate)?;
        caller.require_unscoped()?;
        let mut faults = Faults::default();
        faults.extend(rule.faults(), "");
        faults.check()?;
        let routes = self.routes_in_force().await?;
        for (place, name) in rule.routes.iter().enumerate() {
            if !routes.contains_key(name) {
                let message = format!("there is no route {name}");
                return Err(EngineError::invalid(format!("/routes/{place}"), message));
            }
        }
        let spec = NamedSpec {
            name: rule.name.clone(),
            spec: rule_text(&rule),
            secret: None,
            changed_at: self.now(),
        };
        let before = self.rule_in_force(&rule.name).await?;
        let audited = AuditedAction::new("alert_rule.put", &rule.name)
            .with(json!({ "metric": rule.metric.as_str(), "enabled": rule.enabled }))
            .differing(&before, &rule_json(&rule));
        let line = self.audit_line(caller, audited);
        if self.store().put_alert_spec(SpecKind::Rule, &spec, RULES_MAX, &[line]).await? {
            return Ok(rule);
        }
        Err(EngineError::Conflict {
            code: ProblemCode::TooManyAlertRules,
            message: format!("At most {RULES_MAX} rules are allowed."),
        })
    }

    /// Removes what was set under a name; a default is as it was then. A default itself is switched off, not removed.
    pub async fn delete_alert_rule(&self, caller: &Caller, name: &str) -> Result<(), EngineError> {
        caller.require(Permission::Operate)?;
        caller.require_unscoped()?;
        let before = self.rule_in_force(name).await?;
        let after = default_rules().iter().find(|rule| rule.name == name).map_or(json!(null), rule_json);
        let audited = AuditedAction::new("alert_rule.delete", name).differing(&before, &after);
        let line = self.audit_line(caller, audited);
        if self.store().delete_alert_spec(SpecKind::Rule, name, &[line]).await? {
            return Ok(());
        }
        Err(EngineError::not_found("alert rule", &name))
    }

    /// The rule in force with this name as the audit log compares it; null where there is none.
    async fn rule_in_force(&self, name: &str) -> Result<Value, EngineError> {
        let rules = self.rules_in_force().await?;
        Ok(rules.iter().find(|rule| rule.name == name).map_or(Value::Null, rule_json))
    }

    async fn rules_in_force(&self) -> Result<Vec<AlertRule>, EngineError> {
        let mut rules: BTreeMap<String, AlertRule> =
            default_rules().into_iter().map(|rule| (rule.name.clone(), rule)).collect();
        for spec in self.store().alert_specs(SpecKind::Rule).await? {
            match rule_of(&spec.name, &spec.spec) {
                Some(rule) => drop(rules.insert(spec.name, rule)),
                None => {
                    tracing::warn!(
                        rule = spec.name,
                        "an alert rule cannot be read; it was written by another version"
                    );
                }
            }
        }
        Ok(rules.into_values().collect())
    }
}

// Silences: made and ended by operators.

/// The longest silence.
const SILENCE_MAX: DurationMs = DurationMs::from_secs(90 * 24 * 3_600);
/// How many labels one names, and how long they are together.
const LABELS_MAX: usize = 10;
const LABEL_BYTES_MAX: usize = 500;

/// A silence to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SilenceRequest {
    /// Only alerts of this rule.
    pub rule: Option<String>,
    /// Only alerts with these labels.
    pub labels: Labels,
    /// How long. One of this and `until`.
    pub span: Option<DurationMs>,
    /// When it ends.
    pub until: Option<Timestamp>,
    /// Why.
    pub reason: String,
}

impl Engine {
    /// Silences that have not ended, newest first.
    pub async fn silences(&self, caller: &Caller) -> Result<Vec<Silence>, EngineError> {
        caller.require(Permission::Read)?;
        caller.require_unscoped()?;
        Ok(self.store().silences(self.now()).await?)
    }

    /// A silence that has not ended.
    pub async fn silence(&self, caller: &Caller, id: SilenceId) -> Result<Silence, EngineError> {
        let silences = self.silences(caller).await?;
        let silence = silences.into_iter().find(|silence| silence.id == id);
        silence.ok_or_else(|| EngineError::not_found("silence", &id))
    }

    /// Makes a silence.
    pub async fn add_silence(
        &self,
        caller: &Caller,
        request: SilenceRequest,
    ) -> Result<Silence, EngineError> {
        caller.require(Permission::Operate)?;
        caller.require_unscoped()?;
        let now = self.now();
        let mut faults = Faults::default();
        let until = match (request.span, request.until) {
            (Some(span), None) if span.0 > 0 => Some(now.plus(span)),
            (None, Some(until)) if until > now => Some(until),
            (None, Some(_)) => {
                faults.add("/until", "expected an instant in the future");
                None
            }
            _ => {
                faults.add("/for", "expected a duration such as \"2h\", or until");
                None
            }
        };
        if until.is_some_and(|until| until.since(now) > SILENCE_MAX) {
            faults.add("/for", "expected at most 90 days");
        }
        faults.text("/reason", &request.reason);
        let bytes: usize = request.labels.iter().map(|(name, value)| name.len() + value.len()).sum();
        if request.labels.len() > LABELS_MAX || bytes > LABEL_BYTES_MAX {
            faults.add("/labels", format!("expected at most {LABELS_MAX} labels of {LABEL_BYTES_MAX} bytes"));
        }
        if request.rule.as_ref().is_some_and(|rule| !domain::alerting::is_name(rule)) {
            faults.add("/rule", "expected the name of a rule");
        }
        faults.check()?;
        let until = until.ok_or_else(|| EngineError::invalid("/for", "expected a duration, or until"))?;
        let silence = Silence {
            id: SilenceId::from_uuid(self.entropy().uuid(now)),
            rule: request.rule,
            labels: request.labels,
            until,
            reason: request.reason,
            created_by: caller.actor.clone(),
            created_at: now,
        };
        let audited = AuditedAction::new("alert_silence.add", &silence.id)
            .with(json!({ "rule": silence.rule, "labels": silence.labels, "until": silence.until }));
        let line = self.audit_line(caller, audited);
        self.store().add_silence(&silence, &[line]).await?;
        Ok(silence)
    }

    /// Ends a silence. What still fires is sent then, and the end of what was sent as firing before.
    pub async fn end_silence(&self, caller: &Caller, id: SilenceId) -> Result<(), EngineError> {
        caller.require(Permission::Operate)?;
        caller.require_unscoped()?;
        let line = self.audit_line(caller, AuditedAction::new("alert_silence.end", &id));
        if self.store().end_silence(id, self.now(), &[line]).await? {
            return Ok(());
        }
        Err(EngineError::not_found("silence", &id))
    }
}

// Alerts and notifications, for those who look.

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
