//! Rates of callers' own keys: look at them, set and remove them.

use domain::access::{Action, Permission, Subject};
use domain::limits::LIMIT_MAX;
use domain::names::TenantName;
use domain::problem::ProblemCode;
use domain::queue::QueueName;
use domain::rate::{KeyRate, Rate, is_rate_pattern};
use serde_json::json;
use store::wakeup::Hint;

use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How many patterns a tenant may have.
const RATES_MAX: u32 = 1_000;

/// A rate to set for keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRateRequest {
    /// The tenant; the key's own or `default` where absent.
    pub tenant: Option<TenantName>,
    /// The key; one that ends in `*` is for every key that begins so.
    pub pattern: String,
    /// How many starts in a period.
    pub rate: Rate,
    /// How many jobs may be leased at once; unlimited where absent.
    pub max_concurrent: Option<u32>,
}

impl Engine {
    /// The rates of keys that the caller sees, those of a tenant together, by pattern.
    pub async fn key_rates(
        &self,
        caller: &Caller,
        tenant: Option<TenantName>,
    ) -> Result<Vec<KeyRate>, EngineError> {
        caller.require(Permission::Read)?;
        let caller = caller.within(tenant)?;
        let mut rates = self.store().key_rates().await?;
        rates.retain(|rate| caller.scope.allows(&rate.tenant));
        Ok(rates)
    }

    /// Sets the rate of keys. A claim that starts afterwards obeys it.
    pub async fn set_key_rate(
        &self,
        caller: &Caller,
        request: KeyRateRequest,
    ) -> Result<KeyRate, EngineError> {
        may_set(caller)?;
        let tenant = caller.tenant_or_default(request.tenant)?;
        let mut faults = Faults::default();
        check_pattern(&request.pattern, &mut faults);
        if request.max_concurrent.is_some_and(|limit| limit > LIMIT_MAX) {
            faults.add("/maxConcurrent", format!("expected 0 to {LIMIT_MAX}"));
        }
        faults.check()?;
        let KeyRateRequest { pattern, rate, max_concurrent, .. } = request;
        let set = KeyRate { tenant, pattern, rate, max_concurrent };
        let before = self.store().key_rates().await?.into_iter().find(|known| is_same(known, &set));
        let audited =
            audited("rates.set", &set).changing(before.as_ref().map_or(json!(null), shown), shown(&set));
        let mut recording = self.recording(caller, audited);
        if !recording.of(self.store().set_key_rate(&set, RATES_MAX, self.now())).await? {
            return Err(EngineError::Conflict {
                code: ProblemCode::TooManyRates,
                message: format!(
                    "The tenant has {RATES_MAX} rates of keys; use a pattern such as smtp:* for several keys."
                ),
            });
        }
        self.wake(&[Hint::Settings, Hint::Queue(QueueName::Node)]);
        self.recorded(recording).await;
        Ok(set)
    }

    /// Removes the rate of keys.
    pub async fn delete_key_rate(
        &self,
        caller: &Caller,
        tenant: Option<TenantName>,
        pattern: &str,
    ) -> Result<(), EngineError> {
        may_set(caller)?;
        let tenant = caller.tenant_or_default(tenant)?;
        let known = self.store().key_rates().await?;
        let known = known.into_iter().find(|rate| rate.tenant == tenant && rate.pattern == pattern);
        let Some(known) = known else {
            return Err(EngineError::not_found("rate", pattern));
        };
        let audited = audited("rates.delete", &known).changing(shown(&known), json!(null));
        let mut recording = self.recording(caller, audited);
        if !recording.of(self.store().remove_key_rate(&tenant, pattern)).await? {
            return Err(EngineError::not_found("rate", pattern));
        }
        self.wake(&[Hint::Settings, Hint::Queue(QueueName::Node)]);
        self.recorded(recording).await;
        Ok(())
    }
}

fn may_set(caller: &Caller) -> Result<(), EngineError> {
    let queue = Some(QueueName::Node.as_str());
    caller.require_on(Action::LimitsSet, &Subject { queue, ..Subject::default() })
}

fn check_pattern(pattern: &str, faults: &mut Faults) {
    if !is_rate_pattern(pattern) {
        faults.add("/key", "expected a key of up to 200 characters, such as smtp:example.org, or smtp:* for all keys with this prefix");
    }
}

fn is_same(one: &KeyRate, other: &KeyRate) -> bool {
    one.tenant == other.tenant && one.pattern == other.pattern
}

fn audited(action: &'static str, rate: &KeyRate) -> AuditedAction {
    AuditedAction::new(action, &format!("rate {}", rate.pattern)).of(Some(rate.tenant.clone()))
}

fn shown(rate: &KeyRate) -> serde_json::Value {
    json!({ "rate": rate.rate, "maxConcurrent": rate.max_concurrent })
}
