//! Workflows: what a definition says, and how an execution of it moves on.
//!
//! `definition` holds the types, `parse` reads and checks text, `schema` is its form for editors, `graph_text` its
//! picture, `expression` evaluates CEL, `execution` holds the state of one run, `key` names what stands in it,
//! `snapshot` its stored form, `states` what it went through, `callback` makes and checks callback addresses, `rerun` begins another run where an
//! earlier one stood, `simulate` runs a definition on paper, `unique` decides about starts with a
//! key, and `advance` is the one function that moves it. Nothing here enqueues
//! or stores anything: the effects that `advance` returns are carried out by the shell.

pub mod callback;
pub mod definition;
pub mod execution;
pub mod expression;
pub mod graph_text;
pub mod key;
pub mod parse;
pub mod rerun;
pub mod schema;
pub mod simulate;
pub mod snapshot;
pub mod states;
pub mod unique;

pub mod advance;
