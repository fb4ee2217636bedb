//! Tables of definitions: what is refused and where, what the canonical form is, and that nothing panics.

mod accepted;
mod fixture;
mod graph;
mod panics;
mod refused;
mod text;
