//! Silences: made and ended by operators.

use domain::access::Permission;
use domain::alerting::{Labels, Silence};
use domain::id::SilenceId;
use domain::time::{DurationMs, Timestamp};
use serde_json::json;

use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

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
                faults.add("/until", "expected an instant to come");
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

    /// Ends a silence. What still fires is sent then.
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
