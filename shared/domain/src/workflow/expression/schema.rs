//! JSON Schema (draft 2020-12) of an execution's input. References to other documents are refused: nothing is
//! fetched, here or anywhere.

use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;

use crate::error::Fault;
use crate::workflow::expression::patterns::{
    PATTERN_BYTES_MAX, PatternCount, PatternFault, RUNNING_BYTES_MAX,
};
use crate::workflow::expression::schema_size::size_of;

/// The most faults that are reported of one input or schema.
const FAULTS_MAX: usize = 20;

/// The longest message about one fault, in characters.
const MESSAGE_CHARS_MAX: usize = 300;

/// The most looks at values, weighted by what each costs, of one check: a second or two.
const WORK_MAX: u64 = 20_000_000;

/// Up to so many looks all faults are looked for; beyond that the first is enough.
const THOROUGH_WORK_MAX: u64 = 200_000;

/// Up to so many looks a check is a matter of a millisecond.
const QUICK_WORK_MAX: u64 = 20_000;

/// How many bytes of text count as one value more.
const BYTES_PER_VALUE: usize = 64;

/// Most patterns compile to less, and are gone through once for a text. Larger ones need not be.
const SMALL_PATTERN_BYTES: usize = 4 * 1024;
const SMALL_PATTERN_WEIGHT: u64 = 4;

/// A schema ready to check inputs.
#[derive(Debug)]
pub struct InputSchema {
    /// Or why nothing is checked against it: it was registered by a version that took it, and is too large for this
    /// one.
    validator: Result<Validator, Fault>,
    /// How often a check may look at one value, weighted by what each look costs.
    visits: u64,
}

impl InputSchema {
    /// Checks the schema itself, with what a check against it may take, and compiles it. Pointers in the faults are
    /// relative to the schema.
    pub fn compile(schema: &Value) -> Result<Self, Vec<Fault>> {
        Self::compile_counted(schema, &mut PatternCount::default())
    }

    /// The same, for one of several schemas of a definition.
    pub(crate) fn compile_counted(schema: &Value, patterns: &mut PatternCount) -> Result<Self, Vec<Fault>> {
        let visits = bounded(schema, patterns).map_err(|fault| vec![fault])?;
        let faults: Vec<Fault> = jsonschema::draft202012::meta::validator()
            .iter_errors(schema)
            .take(FAULTS_MAX)
            .map(|error| {
                Fault::new(
                    error.instance_path().to_string(),
                    shortened(format!("not a valid JSON Schema: {error}")),
                )
            })
            .collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        built(schema).map(|validator| Self { validator: Ok(validator), visits }).map_err(|fault| vec![fault])
    }

    /// Compiles a schema that was registered before, maybe by a version with other bounds. One that is too large for
    /// these refuses every input, and says why.
    pub(crate) fn compile_stored(schema: &Value) -> Result<Self, Vec<Fault>> {
        match bounded(schema, &mut PatternCount::default()) {
            Ok(visits) => built(schema)
                .map(|validator| Self { validator: Ok(validator), visits })
                .map_err(|fault| vec![fault]),
            Err(fault) => {
                let why = Fault::new(
                    "",
                    format!(
                        "the schema of this version is too large to validate against: at \"{}\", {}; \
                         register another version",
                        fault.pointer, fault.message
                    ),
                );
                Ok(Self { validator: Err(why), visits: 0 })
            }
        }
    }

    /// Whether the check of so many bytes of JSON takes less time than handing it to another thread.
    pub const fn is_quick(&self, bytes: usize) -> bool {
        self.looks_at(bytes) <= QUICK_WORK_MAX
    }

    /// How many looks the check of so many bytes of JSON takes at most.
    pub const fn looks_at(&self, bytes: usize) -> u64 {
        // A value takes at least two bytes.
        self.visits.saturating_mul(bytes as u64 / 2 + 1)
    }

    /// How many looks the check of a value takes.
    pub fn looks(&self, value: &Value) -> u64 {
        // What would take more is refused.
        self.work(value).min(WORK_MAX)
    }

    fn work(&self, value: &Value) -> u64 {
        self.visits.saturating_mul(values_in(value))
    }

    /// Checks a value. The messages name fields and rules, never the values. Where the check is long, only the first
    /// fault is reported.
    pub fn check(&self, value: &Value) -> Result<(), Vec<Fault>> {
        let validator = self.validator.as_ref().map_err(|fault| vec![fault.clone()])?;
        let work = self.work(value);
        if work > WORK_MAX {
            let message =
                "the value is too large to be checked against this schema; send less, or ask for less";
            return Err(vec![Fault::new("", message)]);
        }
        if validator.is_valid(value) {
            return Ok(());
        }
        let fault_of = |error: &ValidationError<'_>| {
            Fault::new(error.instance_path().to_string(), shortened(error.masked().to_string()))
        };
        if work > THOROUGH_WORK_MAX {
            return validator.validate(value).map_err(|error| vec![fault_of(&error)]);
        }
        Err(validator.iter_errors(value).take(FAULTS_MAX).map(|error| fault_of(&error)).collect())
    }
}

/// What a check against the schema may take, its patterns counted.
fn bounded(schema: &Value, count: &mut PatternCount) -> Result<u64, Fault> {
    size_of(schema, |pattern| {
        // What is no pattern is found where the schema is compiled, with words of its own.
        let Ok(translated) = jsonschema_regex::to_rust_regex(pattern.text) else { return Ok(0) };
        match count.take(&translated) {
            Ok(bytes) => Ok(weight_of_pattern(bytes)),
            Err(PatternFault::Syntax) => Ok(0),
            Err(fault) => Err(Fault::new(pattern.pointer.clone(), fault.to_string())),
        }
    })
}

/// As how many looks one counts by a pattern that compiles to so many bytes: at worst, all of it is gone through for each
/// character of a text.
const fn weight_of_pattern(bytes: usize) -> u64 {
    if bytes <= SMALL_PATTERN_BYTES {
        SMALL_PATTERN_WEIGHT
    } else {
        (bytes / SMALL_PATTERN_BYTES) as u64 * 4 * SMALL_PATTERN_WEIGHT
    }
}

fn built(schema: &Value) -> Result<Validator, Fault> {
    // Patterns run on the engine without backtracking, so that no input can make a check slow.
    let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES_MAX).dfa_size_limit(RUNNING_BYTES_MAX);
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_pattern_options(patterns)
        .offline()
        .build(schema)
        .map_err(|error| {
            let message = shortened(format!("not a valid JSON Schema: {error}"));
            Fault::new(error.instance_path().to_string(), message)
        })
}

/// The values in a value, names of fields included; long text counts as several.
fn values_in(value: &Value) -> u64 {
    let text = |text: &str| (text.len() / BYTES_PER_VALUE) as u64;
    match value {
        Value::Array(items) => 1 + items.iter().map(values_in).sum::<u64>(),
        Value::Object(fields) => {
            1 + fields.iter().map(|(field, item)| 1 + text(field) + values_in(item)).sum::<u64>()
        }
        Value::String(inner) => 1 + text(inner),
        _ => 1,
    }
}

fn shortened(mut message: String) -> String {
    if let Some((end, _)) = message.char_indices().nth(MESSAGE_CHARS_MAX) {
        message.truncate(end);
        message.push('…');
    }
    message
}
