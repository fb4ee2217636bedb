//! The one function that moves an execution: (definition, state, event, now) to new state and effects.
//!
//! It is total and deterministic: every event is either applied or refused without a trace, and the same calls give
//! the same result, ids included. The shell carries the effects out; nothing here does.
//!
//! `apply` takes the event and passes it on; `job`, `child`, `signal`, `event`, `user_task` and `due` are what events are about.
//! `start` starts nodes, `edge` says which way leads on, `work`, `wait`, `map` and `switch` are what nodes do.
//! `attributes` says what the execution is found by, `settle` ends nodes, `repeat` runs them again, `stop` cancels what is under way, `late` takes results that come
//! after that, `ending` ends executions, `compensate` undoes what completed, `resume` and `requeue` bring failed
//! executions back.

mod apply;
mod attributes;
mod child;
mod due;
mod ending;
mod item;
mod late;
mod map;
mod requeue;
mod settle;
mod start;
mod stop;
mod transition;
mod user_task;
mod wait;
mod work;

#[cfg(test)]
mod tests;

pub use apply::advance;
pub use map::{CONCURRENCY_DEFAULT, ITEMS_STARTED_MAX, MAP_ITEMS_MAX};
pub use start::STEPS_MAX;
pub use transition::{child_execution_id, node_job_id};
pub use wait::KEPT_MAX;
