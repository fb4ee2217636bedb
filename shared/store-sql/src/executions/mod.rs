//! Executions: created with their job, moved on by the one owner that holds the job's lease, shown to everybody else.
//!
//! What happens to an execution is not decided here: `domain` does that for the owner, and the owner commits it.

pub(crate) mod above;
mod rows;

pub(crate) mod entry;

pub(crate) mod create;
mod seed;

mod commit;
mod evaluation;
mod load;

mod events;
pub(crate) mod inbox;
pub(crate) mod lock;
pub(crate) mod moves;
mod parents;
pub(crate) mod wake;

mod cancel;
mod command;
mod expire;
mod fail;
pub(crate) mod resume;

mod detail;
mod read;

mod unique;

mod verbs;

pub(crate) use cancel::end_at_once;
pub(crate) use commit::NEVER;
pub(crate) use expire::expire as expire_execution;
pub(crate) use rows::{record_of, select_short};
