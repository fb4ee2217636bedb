//! The JSON Schema of definitions (draft 2020-12), for editors that complete and check while somebody types.
//!
//! It says what can be said without knowing more than one field: types, names, bounds, which fields a type has. Whether
//! nodes exist, who may read whom and whether expressions compile is what `parse` says. `document` holds the whole,
//! `kinds` the types of nodes, `values` what they are made of.

mod document;
mod kinds;
mod values;

#[cfg(test)]
mod tests;

pub use document::json_schema;
