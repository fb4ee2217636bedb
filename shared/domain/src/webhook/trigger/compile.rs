//! Compiles a trigger: everything that can be known to be wrong before a delivery comes is a fault here.

use crate::error::Fault;
use crate::workflow::expression::{CompileFault, EXPRESSION_BYTES_MAX, Expression, Template, Variables};
use crate::workflow::parse::compile_template;

use super::config::{TRIGGER_ID_BYTES_MAX, TriggerConfig};
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
        let input = config.input.as_ref().and_then(|value| {
            let compiled = compile_template(value, Variables::EVENT);
            let pointed = |found: Vec<Fault>| found.into_iter().map(|fault| fault.under("/input"));
            compiled.map_err(|found| faults.extend(pointed(found))).ok()
        });
        if faults.is_empty() {
            Ok(Self { config: config.clone(), events, filter, input })
        } else {
            Err(faults)
        }
    }

    /// Its id; empty for one that has none yet.
    pub fn id(&self) -> &str {
        self.config.id.as_deref().unwrap_or_default()
    }
}

fn is_id(text: &str) -> bool {
    (1..=TRIGGER_ID_BYTES_MAX).contains(&text.len())
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}
