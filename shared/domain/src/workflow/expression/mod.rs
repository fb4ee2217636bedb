//! Expressions: CEL, `${…}` in JSON values, and the JSON Schema of an input.
//!
//! `compile` checks a text once, at registration; `evaluate` runs it against a `scope`. `path` holds what is read
//! without CEL, `template` the JSON values with expressions inside, `spend` what bounds the work and the memory of one evaluation,
//! `allowance` that of one step of an execution, `patterns` regular expressions, `schema_size` what a check against a schema
//! takes, `syntax` words for what the parser complains of.
//! Nothing here reads a clock or draws a random number: the same scope gives the same value.

mod allowance;
mod compile;
mod cut;
mod evaluate;
mod json;
mod path;
mod patterns;
mod references;
mod schema;
mod schema_size;
mod scope;
mod spend;
mod template;

#[cfg(test)]
mod tests;

pub use allowance::{Allowance, EvaluationLimits};
pub use compile::{CompileFault, EXPRESSION_BYTES_MAX, EventScope, Expression, Variables};
pub use cut::{Piece, UnclosedExpression, cut};
pub use evaluate::{EvaluationError, OUTPUT_BYTES_MAX, OUTPUT_DEPTH_MAX};
pub(crate) use evaluate::{bytes_of, check_bounds};
pub(crate) use patterns::PatternCount;
pub use patterns::PatternFault;
pub use schema::{InputSchema, check_input};
pub use scope::{Local, Scope};
pub use template::{SealedHeader, SealedPart, Template, TextPart};
