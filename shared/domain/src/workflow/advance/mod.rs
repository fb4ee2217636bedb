//! The one function that moves an execution: (definition, state, event, now) to new state and effects.
//!
//! It is total and deterministic: every event is either applied or refused without a trace, and the same calls give
//! the same result, ids included. `apply` takes the event, `start` starts nodes whose dependencies are done, `settle`
//! ends nodes and executions, `resume` brings failed ones back. The shell carries the effects out; nothing here does.

mod apply;
mod request;
mod resume;
mod settle;
mod start;
mod transition;

#[cfg(test)]
mod tests;

pub use apply::{advance, node_job_id};
pub use start::STEPS_MAX;
