//! `trunkline execution`.

mod read;
mod verbs;

pub(crate) use verbs::{ExecutionCommand, run};
