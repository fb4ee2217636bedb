//! Rules: the defaults, and what operators set in their place.

use std::collections::BTreeMap;

use domain::access::Permission;
use domain::alerting::{AlertRule, default_rules};
use serde_json::json;
use store::alerts::{NamedSpec, SpecKind};

use super::stored::{rule_of, rule_text};
use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

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
        let audited = AuditedAction::new("alert_rule.put", &rule.name)
            .with(json!({ "metric": rule.metric.as_str(), "enabled": rule.enabled }));
        let line = self.audit_line(caller, audited);
        if self.store().put_alert_spec(SpecKind::Rule, &spec, RULES_MAX, &[line]).await? {
            return Ok(rule);
        }
        Err(EngineError::Conflict {
            code: "too_many_alert_rules",
            message: format!("There are at most {RULES_MAX} rules."),
        })
    }

    /// Removes what was set under a name; a default is as it was then. A default itself is switched off, not removed.
    pub async fn delete_alert_rule(&self, caller: &Caller, name: &str) -> Result<(), EngineError> {
        caller.require(Permission::Operate)?;
        caller.require_unscoped()?;
        let line = self.audit_line(caller, AuditedAction::new("alert_rule.delete", name));
        if self.store().delete_alert_spec(SpecKind::Rule, name, &[line]).await? {
            return Ok(());
        }
        Err(EngineError::not_found("alert rule", &name))
    }

    pub(super) async fn rules_in_force(&self) -> Result<Vec<AlertRule>, EngineError> {
        let mut rules: BTreeMap<String, AlertRule> =
            default_rules().into_iter().map(|rule| (rule.name.clone(), rule)).collect();
        for spec in self.store().alert_specs(SpecKind::Rule).await? {
            match rule_of(&spec.name, &spec.spec) {
                Some(rule) => drop(rules.insert(spec.name, rule)),
                None => {
                    tracing::warn!(
                        rule = spec.name,
                        "an alert rule cannot be read; another version wrote it"
                    );
                }
            }
        }
        Ok(rules.into_values().collect())
    }
}
