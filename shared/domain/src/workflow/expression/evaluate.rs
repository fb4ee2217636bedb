//! Evaluates compiled expressions against a scope, within bounds.

use cel::common::types::CelBool;
use cel::{Context, ExecutionError};
use serde_json::Value;

use super::fault::EvaluationError;
use crate::workflow::expression::allowance::Allowance;
use crate::workflow::expression::compile::{Code, Expression, Program};
use crate::workflow::expression::json::{from_cel, has_nul, is_within_depth, text_bytes};
use crate::workflow::expression::references::ENVIRONMENT;
use crate::workflow::expression::scope::Scope;
use crate::workflow::expression::spend::{BUDGET, Budget, UsedUp, used_up};

/// The largest value that an expression, a node's input or an output may be, as JSON text in bytes.
pub const OUTPUT_BYTES_MAX: usize = 1024 * 1024;

/// How deep such a value may be nested. Readers of JSON stop at 128 levels, and results are nested into others.
pub const OUTPUT_DEPTH_MAX: usize = 100;

/// What the values that one expression reads may be together, in bytes of JSON.
const READ_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How many bytes of a value that is read in a loop count as one more step for each item.
const BYTES_PER_STEP: usize = 32;

impl Expression {
    /// The value of the expression.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, EvaluationError> {
        match &self.code {
            Code::Path(path) => {
                let value = path.resolve(scope);
                text_bytes(&value, OUTPUT_BYTES_MAX)
                    .ok_or(EvaluationError::TooLarge { max: OUTPUT_BYTES_MAX })?;
                Ok(value.into_owned())
            }
            Code::Program(program) => self.run(program, scope, |value| {
                let value = from_cel(value)?;
                text_bytes(&value, OUTPUT_BYTES_MAX)
                    .ok_or(EvaluationError::TooLarge { max: OUTPUT_BYTES_MAX })?;
                Ok(value)
            }),
        }
    }

    /// The value of a condition, which has to be true or false.
    pub fn test(&self, scope: &Scope<'_>) -> Result<bool, EvaluationError> {
        match &self.code {
            Code::Path(path) => {
                let value = path.resolve(scope);
                value.as_bool().ok_or_else(|| self.not_bool(kind_of(&value)))
            }
            Code::Program(program) => {
                self.run(program, scope, |value| match value.downcast_ref::<CelBool>() {
                    Some(flag) => Ok(*flag.inner()),
                    None => Err(self.not_bool(value.get_type().name())),
                })
            }
        }
    }

    fn run<T>(
        &self,
        program: &Program,
        scope: &Scope<'_>,
        read: impl FnOnce(&dyn cel::common::value::Val) -> Result<T, EvaluationError>,
    ) -> Result<T, EvaluationError> {
        let mut context = Context::with_env(ENVIRONMENT.clone());
        let (bytes, loop_bytes) = program.bytes_read(scope)?;
        let steps_of = |bytes: usize| program.steps + (bytes / BYTES_PER_STEP) as u64;
        let allowance = &scope.context.allowance;
        let budget = Budget::new(steps_of(loop_bytes), allowance);
        budget.take(steps_of(bytes)).map_err(|error| self.failed(error, allowance))?;
        context.add_variable_as_val(BUDGET, Box::new(budget));
        for (name, value) in program.plan.variables(scope) {
            context.add_variable_as_val(name, value);
        }
        match cel::Value::resolve_val(&program.tree, &context) {
            Ok(value) => read(&*value),
            Err(error) => Err(self.failed(error, allowance)),
        }
    }

    fn failed(&self, error: ExecutionError, allowance: &Allowance) -> EvaluationError {
        let expression = self.short();
        match used_up(&error) {
            Some(UsedUp::Steps) => EvaluationError::TooManySteps { expression },
            Some(UsedUp::Bytes) => {
                EvaluationError::TooMuchMade { expression, max: allowance.limits().bytes_max }
            }
            Some(UsedUp::Step) => EvaluationError::StepUsedUp { expression },
            Some(UsedUp::Stopped) => EvaluationError::Stopped { expression },
            None => EvaluationError::Failed { expression, source: error },
        }
    }

    fn not_bool(&self, kind: &str) -> EvaluationError {
        EvaluationError::NotBool { expression: self.short(), kind: kind.to_owned() }
    }

    /// The text, cut to what fits into a message.
    fn short(&self) -> String {
        match self.source.char_indices().nth(120) {
            Some((end, _)) => format!("{}…", &self.source[..end]),
            None => self.source.clone(),
        }
    }
}

impl Program {
    /// Refuses to read too much; returns what is read, and what of it inside of loops, in bytes of JSON.
    fn bytes_read(&self, scope: &Scope<'_>) -> Result<(usize, usize), EvaluationError> {
        let (mut all, mut in_loop) = (0, 0);
        for reference in &self.references {
            let bytes = text_bytes(&reference.path.resolve(scope), READ_BYTES_MAX - all)
                .ok_or(EvaluationError::TooLarge { max: READ_BYTES_MAX })?;
            all += bytes;
            in_loop += if reference.in_loop { bytes } else { 0 };
        }
        Ok((all, in_loop))
    }
}

/// Refuses a value that is too large, too deep or holds a NUL.
pub(crate) fn check_bounds(value: &Value) -> Result<(), EvaluationError> {
    text_bytes(value, OUTPUT_BYTES_MAX).ok_or(EvaluationError::TooLarge { max: OUTPUT_BYTES_MAX })?;
    if !is_within_depth(value, OUTPUT_DEPTH_MAX) {
        return Err(EvaluationError::TooDeep { max: OUTPUT_DEPTH_MAX });
    }
    if has_nul(value) { Err(EvaluationError::Nul) } else { Ok(()) }
}

/// The length of the JSON text of a value, in bytes; not counted beyond what an output may have.
pub(crate) fn bytes_of(value: &Value) -> usize {
    text_bytes(value, OUTPUT_BYTES_MAX).unwrap_or(OUTPUT_BYTES_MAX + 1)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a bool",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
