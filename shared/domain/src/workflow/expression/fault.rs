//! What can be wrong with an expression: its text when it is compiled, its values when it is evaluated.

use cel::ExecutionError;

use crate::workflow::expression::patterns::PatternFault;

/// Why an expression was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileFault {
    /// Nothing there.
    #[error("the expression is empty")]
    Empty,
    /// Too long.
    #[error("the expression is longer than {max} bytes")]
    Long {
        /// The most, in bytes.
        max: usize,
    },
    /// Too many operators.
    #[error("the expression has more than {max} operators and calls")]
    Operators {
        /// The most.
        max: usize,
    },
    /// Too deep.
    #[error("the expression is nested deeper than {max} levels")]
    Deep {
        /// The most.
        max: usize,
    },
    /// Macros in macros in macros.
    #[error("all, exists, map and filter are nested deeper than {max} levels")]
    MacrosNested {
        /// The most.
        max: usize,
    },
    /// Not CEL.
    #[error("not a CEL expression: {message} (column {column})")]
    Syntax {
        /// What the parser says.
        message: String,
        /// Where, from 1.
        column: usize,
    },
    /// A part is missing.
    #[error("the expression is incomplete")]
    Incomplete,
    /// A variable that is not in scope.
    #[error("unknown variable `{name}`; in scope are input, nodes and execution")]
    UnknownVariable {
        /// Its name.
        name: String,
    },
    /// A variable that is not in scope in a trigger.
    #[error("unknown variable `{name}`; in scope are body, headers, event, query and delivery")]
    UnknownEventVariable {
        /// Its name.
        name: String,
    },
    /// A variable that is not in scope where a batch is.
    #[error("unknown variable `{name}`; in scope is batch, a list of objects with event, body and delivery")]
    UnknownBatchVariable {
        /// Its name.
        name: String,
    },
    /// A variable that is in scope elsewhere.
    #[error(
        "unknown variable `{name}`: it is in scope only in {}",
        if name == "error" { "`compensate` and `onFailure`" } else { "the `node` of a MAP" }
    )]
    NotInScope {
        /// Its name.
        name: String,
    },
    /// A function that does not exist.
    #[error("unknown function `{name}`")]
    UnknownFunction {
        /// Its name.
        name: String,
    },
    /// A message type.
    #[error("unknown type `{name}`")]
    UnknownType {
        /// Its name.
        name: String,
    },
    /// `nodes` by itself or with a computed id.
    #[error(
        "`nodes` is read with the id of a node written out: nodes.charge.output or nodes[\"credit-score\"].output"
    )]
    NodesWithoutId,
    /// A field that nodes do not have.
    #[error("`nodes.{node}` has only output and status, and callbackUrl where it is a WAIT_WEBHOOK")]
    UnknownNodeField {
        /// The node's id.
        node: String,
    },
    /// A field that the execution does not have.
    #[error("`execution` has no field `{field}`, only id, workflow, version, tenant and startedAt")]
    UnknownExecutionField {
        /// The field.
        field: String,
    },
    /// A pattern of `matches` that no text can match.
    #[error("`matches(\"{pattern}\")`: {fault}")]
    Pattern {
        /// The pattern, shortened.
        pattern: String,
        /// What is wrong with it.
        fault: PatternFault,
    },
    /// A field that errors do not have.
    #[error("`error` has no field `{field}`, only node, message and code")]
    UnknownErrorField {
        /// The field.
        field: String,
    },
}

/// Why an evaluation failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EvaluationError {
    /// CEL could not compute it.
    #[error("`{expression}`: {}", explain(.source))]
    Failed {
        /// The expression, shortened.
        expression: String,
        /// What CEL says. Not part of the message: it prints values.
        source: ExecutionError,
    },
    /// Too much work.
    #[error("`{expression}` takes too many steps; iterate over smaller lists or read less in them")]
    TooManySteps {
        /// The expression, shortened.
        expression: String,
    },
    /// Too much memory.
    #[error("`{expression}` creates values of more than {max} bytes; create fewer or smaller ones")]
    TooMuchMade {
        /// The expression, shortened.
        expression: String,
        /// The most, in bytes of memory.
        max: u64,
    },
    /// Too much work together with the other expressions of the same step of the execution.
    #[error("`{expression}`: the expressions of one step of the execution take too many steps together")]
    StepUsedUp {
        /// The expression, shortened.
        expression: String,
    },
    /// Stopped from outside: its time was over.
    #[error("`{expression}` was stopped because the expressions of the step took too long")]
    Stopped {
        /// The expression, shortened.
        expression: String,
    },
    /// `when` gave something else.
    #[error("`{expression}` is {kind}, not true or false")]
    NotBool {
        /// The expression, shortened.
        expression: String,
        /// What it is.
        kind: String,
    },
    /// A value that JSON has no form for.
    #[error("the result is {kind}, which JSON cannot hold")]
    NotJson {
        /// What it is.
        kind: String,
    },
    /// Too large.
    #[error("the value is larger than {max} bytes of JSON")]
    TooLarge {
        /// The most, in bytes.
        max: usize,
    },
    /// Too deep.
    #[error("the value is nested deeper than {max} levels")]
    TooDeep {
        /// The most.
        max: usize,
    },
    /// A NUL character.
    #[error("the value contains a NUL character")]
    Nul,
}

/// Says what went wrong by types and names. CEL's own text prints whole values, which may be large or secret.
fn explain(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => format!("there is no field `{key}`"),
        ExecutionError::NoSuchOverload(overload) => format!(
            "{} cannot be applied to ({})",
            overload.function().trim_matches('_'),
            overload.argument_types().join(", ")
        ),
        ExecutionError::UnsupportedBinaryOperator(operator, left, right) => {
            format!("{operator} cannot be applied to ({}, {})", left.type_of(), right.type_of())
        }
        ExecutionError::UnexpectedType { got, want } => format!("expected {want}, found {got}"),
        ExecutionError::UndeclaredReference(name) => format!("`{name}` is not defined"),
        ExecutionError::IndexOutOfBounds(_) => "the index is outside of the list".to_owned(),
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "division by zero".to_owned()
        }
        ExecutionError::Overflow(operator, ..) => format!("{operator} overflows"),
        ExecutionError::FunctionError { function, .. } => format!("{function} failed"),
        ExecutionError::DuplicateKey(_) => "a key is repeated".to_owned(),
        _ => "the types do not fit".to_owned(),
    }
}
