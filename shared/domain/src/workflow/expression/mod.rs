//! Expressions: CEL, `${…}` in JSON values, and the JSON Schema of an input.
//!
//! `compile` checks a text once, at registration; `evaluate` runs it against a `scope`. `path` holds what is read without
//! CEL, `template` the JSON values with expressions inside, `spend` and `looks` what bounds the work and the memory of one
//! evaluation, `allowance` that of one step of an execution, `patterns` regular expressions, `schema_size` what a check
//! against a schema takes, `syntax` words for what the parser complains of.
//! Nothing here reads a clock or draws a random number: the same scope gives the same value.

mod allowance;
mod compile;
mod cut;
mod evaluate;
mod fault;
mod json;
mod looks;
mod path;
mod patterns;
mod plan;
mod references;
mod schema;
mod schema_size;
mod scope;
mod spend;
mod template;

#[cfg(test)]
mod tests;

pub use allowance::{Allowance, EvaluationLimits};
pub use compile::{EXPRESSION_BYTES_MAX, Expression};
pub use cut::{Piece, UnclosedExpression, cut};
pub use evaluate::{OUTPUT_BYTES_MAX, OUTPUT_DEPTH_MAX};
pub(crate) use evaluate::{bytes_of, check_bounds};
pub use fault::{CompileFault, EvaluationError};
pub(crate) use patterns::PatternCount;
pub use patterns::PatternFault;
pub use references::{EventScope, Variables};
pub use schema::InputSchema;
pub use scope::{Local, Scope};
pub use template::{SealedHeader, SealedPart, Template, TextPart};
