//! Reads and checks workflow definitions. Reports every fault it finds, each with a JSON pointer, and stores nothing.
//!
//! `text` turns JSON or YAML into a value without surprises (duplicate keys, NUL, depth), `fields` reads objects
//! whose unknown fields are faults, `document` and `node` give them their meaning, `graph` checks who waits for whom,
//! and `expressions` checks what is read of which node. `canonical` writes the form that the content hash is of.

mod canonical;
mod document;
mod expressions;
mod fields;
mod graph;
mod node;
mod read;
mod request;
mod retry;
mod suggest;
mod text;

#[cfg(test)]
mod tests;

pub use read::{DefinitionLimits, Format, Parsed, parse, parse_stored};
pub(crate) use request::is_http;
