//! Triggers: which deliveries of an endpoint start which workflow, and with what input.
//!
//! Everything that can be known to be wrong is found here, before a delivery comes; `matching` decides about one,
//! `gather` about starts that do not follow from one event alone. The same delivery always comes to the same: no clock,
//! no randomness, bounded work. Starting the workflow is the engine's.

mod gather;
mod matching;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Fault;
use crate::names::WorkflowName;
use crate::queue::Tier;
use crate::rate::PERIOD_MAX;
use crate::time::DurationMs;
use crate::workflow::expression::{CompileFault, EXPRESSION_BYTES_MAX, Expression, Template, Variables};
use crate::workflow::parse::compile_template;

pub use gather::{
    Admission, BATCH_SIZE_MAX, BatchConfig, DebounceConfig, Gathered, Gathering, StartEnd, ThrottleConfig,
    put_off_line, with_end,
};
pub use matching::{DeliveryEvent, EventSource, Keys, TriggerError};

// Compiles a trigger: everything that can be known to be wrong before a delivery comes is a fault here.

/// The most patterns of one trigger.
const PATTERNS_MAX: usize = 50;

/// A compiled trigger.
#[derive(Debug)]
pub struct Trigger {
    /// As it is written.
    pub config: TriggerConfig,
    events: Vec<EventPattern>,
    filter: Option<Expression>,
    input: Option<Template>,
    gather_key: Option<Template>,
    throttle_key: Option<Template>,
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

// A trigger as a user writes it and as it is stored.

/// The longest id of a trigger, in bytes.
pub const TRIGGER_ID_BYTES_MAX: usize = 100;

/// One of the `triggers` of an endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TriggerConfig {
    /// Its name in the endpoint, by which an execution is known as started; [`fill_ids`] makes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it starts.
    pub workflow: WorkflowName,
    /// Which version; the latest where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Patterns over event types, any of which is enough; none is all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// A CEL condition over the delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// The input, with `${…}` in its strings; by default the body.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// The tier of its executions; `high` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Tier>,
    /// One execution for events that come close to each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debounce: Option<DebounceConfig>,
    /// So many starts in any period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<ThrottleConfig>,
    /// One execution for several events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchConfig>,
}

impl TriggerConfig {
    /// The word for a start that is put off; `None` where starts follow at once.
    pub const fn put_off_result(&self) -> Option<&'static str> {
        match (&self.debounce, &self.batch, &self.throttle) {
            (Some(_), _, _) => Some("debounced"),
            (None, Some(_), _) => Some("batched"),
            (None, None, Some(_)) => Some("throttled"),
            (None, None, None) => None,
        }
    }
}

/// An input of null is an input.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Gives an id to each trigger that has none: its workflow's name, numbered from the second on. Other triggers may be
/// added and removed without a change of it, as long as each workflow has one trigger.
pub fn fill_ids(triggers: &mut [TriggerConfig]) {
    for at in 0..triggers.len() {
        if triggers[at].id.is_some() {
            continue;
        }
        let name = triggers[at].workflow.as_str().to_owned();
        let is_free = |id: &str| triggers.iter().all(|trigger| trigger.id.as_deref() != Some(id));
        let numbered = (2..=triggers.len() + 1).map(|number| format!("{name}-{number}"));
        let id = std::iter::once(name.clone()).chain(numbered).find(|id| is_free(id));
        triggers[at].id = id;
    }
}

// Patterns over event types: `push`, `order.*`, `*`.

/// The longest pattern, in bytes.
const PATTERN_BYTES_MAX: usize = 200;

/// A pattern in which `*` stands for any text, also none. Everything else stands for itself, case included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPattern(String);

/// The text was no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an event type such as push, with * for any text, of at most 200 bytes")]
pub struct PatternFault;

impl EventPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, PatternFault> {
        if text.is_empty() || text.len() > PATTERN_BYTES_MAX || text.chars().any(char::is_control) {
            return Err(PatternFault);
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether an event type is one of these. Only a pattern of nothing but `*` takes a delivery that has none.
    pub fn matches(&self, event_type: Option<&str>) -> bool {
        match event_type {
            Some(text) => is_match(self.0.as_bytes(), text.as_bytes()),
            None => self.0.bytes().all(|byte| byte == b'*'),
        }
    }
}

impl fmt::Display for EventPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Goes back to the last `*` only, so that the work is at most the product of both lengths.
fn is_match(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while seen < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(&byte) if byte == text[seen] => {
                at += 1;
                seen += 1;
            }
            _ => match star {
                Some((star_at, from)) => {
                    star = Some((star_at, from + 1));
                    at = star_at + 1;
                    seen = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests;
