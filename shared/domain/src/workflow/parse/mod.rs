//! Reads and checks workflow definitions. Reports every fault it finds, each with a JSON pointer, and stores nothing.
//!
//! `text` turns JSON or YAML into a value without surprises (duplicate keys, NUL, depth), `yaml` what is not read of YAML, `fields` reads objects
//! whose unknown fields are faults, `document`, `node` and `kinds` give them their meaning, `goto`, `repeat`, `retry`,
//! `task` and `input_schema` are parts of nodes, `attributes` and `unique` of the whole, `graph` checks who waits for whom and who reads whom, and
//! `expressions` compiles what is read. `bounds` holds what may be asked for at most, and `canonical` writes the
//! form that the content hash is of.

mod attributes;
mod bounds;
mod canonical;
mod document;
mod expressions;
mod fields;
mod goto;
mod graph;
mod input_schema;
mod kinds;
mod node;
mod read;
mod repeat;
mod retry;
mod suggest;
mod task;
mod template;
mod text;
mod unique;
mod warnings;
mod yaml;

#[cfg(test)]
pub(super) mod tests;

pub(super) use bounds::{
    DELAY_MAX, EVENTS_MAX, FACTOR_MAX, MAP_ITEMS_MAX, RETRIES_MAX, ROUNDS_MAX, VERSION_MAX,
};
pub(super) use fields::escape;
pub(crate) use kinds::{METHODS, is_http};
pub use read::{DefinitionLimits, Format, Parsed, parse, parse_stored};
pub use template::compile_template;
pub use warnings::warnings;
