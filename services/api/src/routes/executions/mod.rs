//! `/v1/executions`: start workflows, wait for them, look at them, send them commands.

mod command;
mod read;
mod rerun;
mod start;
mod start_batch;
mod table;

pub(super) use table::router;
