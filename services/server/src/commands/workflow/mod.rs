//! `trunkline workflow`.

mod files;
mod local;
mod push;
mod simulate;
mod verbs;

pub(crate) use verbs::{WorkflowCommand, run, run_alone};
