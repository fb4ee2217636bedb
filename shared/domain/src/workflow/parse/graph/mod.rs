//! Who waits for whom, and who reads whom.
//!
//! `build` makes the graph from what nodes say, `cycles` finds nodes that wait for one another, `mentions` checks that
//! a node reads only what is done before it starts.

mod build;
mod cycles;
mod mentions;

pub(super) use build::read_graph;
