//! From a request to an answer.

use domain::workflow::execution::ExecutionContext;
use domain::workflow::expression::{Allowance, check_input};
use domain::workflow::parse::{Format, parse};
use domain::workflow::simulate::simulate;
use serde_json::Value;

use crate::answer::Answer;
use crate::request::Request;

/// How deep an input may be nested, as the server has it.
const INPUT_DEPTH_MAX: u32 = 100;

/// The answer to a request, both as JSON; nothing where the server has to be asked: it refuses the request, or takes it by other
/// limits.
pub(crate) fn answer_to(request: &[u8]) -> Option<Vec<u8>> {
    let mut request: Request = serde_json::from_slice(request).ok()?;
    let script = request.take_script()?;
    let Request { definition, input, now, tenant, limits, .. } = request;
    let definition = definition.get();
    let parsed = if definition.starts_with('"') {
        let yaml: String = serde_json::from_str(definition).ok()?;
        parse(yaml.as_bytes(), Format::Yaml, &limits.of_definition())
    } else {
        parse(definition.as_bytes(), Format::Json, &limits.of_definition())
    };
    let definition = parsed.ok()?.definition;
    if input.get().len() > limits.input_bytes || input.get().contains("\\u0000") {
        return None;
    }
    let input: Value = serde_json::from_str(input.get()).ok()?;
    if depth_of(&input) > INPUT_DEPTH_MAX || check_input(&definition, &input).is_err() {
        return None;
    }
    if !script.faults(&definition).is_empty() {
        return None;
    }
    let allowance = Allowance::metered(limits.of_evaluation());
    let context = ExecutionContext::of_simulation(&definition, tenant, input, now, allowance);
    let simulated = simulate(&definition, &context, script, now).ok()?;
    serde_json::to_vec(&Answer::from(simulated)).ok()
}

/// How deep lists and objects are nested. The parser stops at 128.
fn depth_of(value: &Value) -> u32 {
    let inside = match value {
        Value::Array(items) => items.iter().map(depth_of).max(),
        Value::Object(fields) => fields.values().map(depth_of).max(),
        _ => return 0,
    };
    1 + inside.unwrap_or(0)
}
