//! From a request to an answer.

use domain::workflow::definition::check_input;
use domain::workflow::execution::ExecutionContext;
use domain::workflow::expression::Allowance;
use domain::workflow::parse::{Format, parse};
use domain::workflow::simulate::simulate;
use serde_json::Value;

use crate::answer::Answer;
use crate::request::Request;

/// The character that one of the databases cannot hold, as JSON has it.
const NUL: &[u8] = br"\u0000";

/// The answer to a request, both as JSON; nothing where the server has to be asked: it refuses the request, or takes it by other
/// limits.
pub(crate) fn answer_to(request: &[u8]) -> Option<Vec<u8>> {
    let text = request;
    let mut request: Request = serde_json::from_slice(text).ok()?;
    if nesting_of(text) > request.limits.depth || text.windows(NUL.len()).any(|part| part == NUL) {
        return None;
    }
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
    if input.get().len() > limits.input_bytes {
        return None;
    }
    let input: Value = serde_json::from_str(input.get()).ok()?;
    if check_input(&definition, &input).is_err() || !script.faults(&definition).is_empty() {
        return None;
    }
    let allowance = Allowance::metered(limits.of_evaluation());
    let context = ExecutionContext::of_simulation(&definition, tenant, input, now, allowance);
    let simulated = simulate(&definition, &context, script, now).ok()?;
    serde_json::to_vec(&Answer::from(simulated)).ok()
}

/// How deep lists and objects are nested in JSON that was read before.
fn nesting_of(json: &[u8]) -> u32 {
    let (mut depth, mut deepest, mut is_in_string) = (0_u32, 0, false);
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if is_in_string => {
                bytes.next();
            }
            b'"' => is_in_string = !is_in_string,
            b'[' | b'{' if !is_in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !is_in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
