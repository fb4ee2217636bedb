//! Tables of definitions: what is refused and where, what the canonical form is, and that nothing panics.

mod accepted;
mod corpus;
mod example;
pub(in crate::workflow) mod fixture;
mod goto;
mod graph;
mod panics;
mod refused;
mod scopes;
mod text;
mod types;

pub(in crate::workflow) use corpus::{bad_definitions, good_definitions};
