//! Executions: very many at once, and one that somebody waits for.

mod advance;
mod chain;
mod run;
mod synchronous;

pub(crate) use chain::{Chain, NODES, work};
pub(crate) use run::executions;
pub(crate) use synchronous::engine as synchronous_runs;
