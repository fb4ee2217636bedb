//! Expressions: CEL, `${…}` in JSON values, and the JSON Schema of an input.
//!
//! `compile` checks a text once, at registration; `evaluate` runs it against a `scope`. `path` holds what is read
//! without CEL, `template` the JSON values with expressions inside, `spend` what bounds the work of one evaluation, `syntax` words
//! for what the parser complains of.
//! Nothing here reads a clock or draws a random number: the same scope gives the same value.

mod compile;
mod cut;
mod evaluate;
mod functions;
mod json;
mod path;
mod references;
mod schema;
mod scope;
mod spend;
mod syntax;
mod template;

#[cfg(test)]
mod tests;

pub use compile::{CompileFault, EXPRESSION_BYTES_MAX, Expression, Variables};
pub use cut::{Piece, UnclosedExpression, cut};
pub use evaluate::{EvaluationError, OUTPUT_BYTES_MAX, OUTPUT_DEPTH_MAX};
pub(crate) use evaluate::{bytes_of, check_bounds};
pub use schema::{InputSchema, check_input};
pub use scope::{Local, Scope};
pub use template::{Template, TextPart};
