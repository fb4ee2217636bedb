//! Compiles a trigger: everything that can be known to be wrong before a delivery comes is a fault here.

use serde_json::Value;

use crate::error::Fault;
use crate::rate::PERIOD_MAX;
use crate::time::DurationMs;
use crate::workflow::expression::{CompileFault, EXPRESSION_BYTES_MAX, Expression, Template, Variables};
use crate::workflow::parse::compile_template;

use super::config::{TRIGGER_ID_BYTES_MAX, TriggerConfig};
use super::gather::BATCH_SIZE_MAX;
use super::pattern::EventPattern;

/// The most patterns of one trigger.
const PATTERNS_MAX: usize = 50;

/// A compiled trigger.
#[derive(Debug)]
pub struct Trigger {
    /// As it is written.
    pub config: TriggerConfig,
    pub(super) events: Vec<EventPattern>,
    pub(super) filter: Option<Expression>,
    pub(super) input: Option<Template>,
    pub(super) gather_key: Option<Template>,
    pub(super) throttle_key: Option<Template>,
}

impl Trigger {
    /// Compiles a trigger. Every fault is given, with a pointer into the trigger.
    pub fn compile(config: &TriggerConfig) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        if config.id.as_deref().is_some_and(|id| !is_id(id)) {
            let message = format!(
                "expected 1 to {TRIGGER_ID_BYTES_MAX} letters, digits, '_', '-' or '.', a letter or digit first"
            );
            faults.push(Fault::new("/id", message));
        }
        if config.version == Some(0) {
            faults.push(Fault::new("/version", "expected a version from 1 on"));
        }
        if config.events.len() > PATTERNS_MAX {
            faults.push(Fault::new("/events", format!("expected at most {PATTERNS_MAX} patterns")));
        }
        let mut events = Vec::with_capacity(config.events.len());
        for (index, text) in config.events.iter().enumerate() {
            match EventPattern::parse(text) {
                Ok(pattern) => events.push(pattern),
                Err(fault) => faults.push(Fault::new(format!("/events/{index}"), fault.to_string())),
            }
        }
        let filter = config.filter.as_deref().and_then(|source| {
            let compiled = Expression::compile_with(source, EXPRESSION_BYTES_MAX, Variables::EVENT);
            let pointed = |fault: CompileFault| Fault::new("/filter", fault.to_string());
            compiled.map_err(|found| faults.extend(found.into_iter().map(pointed))).ok()
        });
        let sees = if config.batch.is_some() { Variables::BATCH } else { Variables::EVENT };
        let input = config.input.as_ref().and_then(|value| {
            let compiled = compile_template(value, sees);
            let pointed = |found: Vec<Fault>| found.into_iter().map(|fault| fault.under("/input"));
            compiled.map_err(|found| faults.extend(pointed(found))).ok()
        });
        let (gather_key, throttle_key) = check_gathering(config, &mut faults);
        if faults.is_empty() {
            Ok(Self { config: config.clone(), events, filter, input, gather_key, throttle_key })
        } else {
            Err(faults)
        }
    }

    /// Its id; empty for one that has none yet.
    pub fn id(&self) -> &str {
        self.config.id.as_deref().unwrap_or_default()
    }
}

/// Checks what is said of several events, and compiles the keys.
fn check_gathering(config: &TriggerConfig, faults: &mut Vec<Fault>) -> (Option<Template>, Option<Template>) {
    let (debounce, batch, throttle) = (&config.debounce, &config.batch, &config.throttle);
    if debounce.is_some() && batch.is_some() {
        faults.push(Fault::new("/batch", "expected either debounce or batch, not both"));
    }
    let mut within = |pointer: &str, duration: DurationMs| {
        if duration <= DurationMs::ZERO || duration > PERIOD_MAX {
            let message = format!("expected a duration above zero and of at most {PERIOD_MAX}");
            faults.push(Fault::new(pointer, message));
        }
    };
    if let Some(debounce) = debounce {
        within("/debounce/period", debounce.period);
        if let Some(timeout) = debounce.timeout {
            within("/debounce/timeout", timeout);
        }
    }
    if let Some(batch) = batch {
        within("/batch/timeout", batch.timeout);
        if !(1..=BATCH_SIZE_MAX).contains(&batch.max_size) {
            faults.push(Fault::new("/batch/maxSize", format!("expected 1 to {BATCH_SIZE_MAX}")));
        }
    }
    let mut key = |pointer: &str, text: Option<&String>| {
        let compiled = compile_template(&Value::from(text?.as_str()), Variables::EVENT);
        let pointed = |found: Vec<Fault>| found.into_iter().map(|fault| fault.under(pointer));
        compiled.map_err(|found| faults.extend(pointed(found))).ok()
    };
    let gather_key = match (debounce, batch) {
        (Some(debounce), _) => key("/debounce/key", debounce.key.as_ref()),
        (None, Some(batch)) => key("/batch/key", batch.key.as_ref()),
        (None, None) => None,
    };
    let throttle_key = throttle.as_ref().and_then(|throttle| key("/throttle/key", throttle.key.as_ref()));
    (gather_key, throttle_key)
}

fn is_id(text: &str) -> bool {
    (1..=TRIGGER_ID_BYTES_MAX).contains(&text.len())
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}
