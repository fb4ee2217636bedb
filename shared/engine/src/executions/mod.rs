//! Executions: start, wait, read, signal, cancel, retry, rerun, and own.

mod callback;
mod claims;
mod commands;
mod event_filter;
mod events;
mod nodes;
mod own;
mod read;
mod request;
mod rerun;
mod signal;
mod start;
mod start_sink;
mod start_unique;
mod states;
mod stored;
mod sweep;
mod user_tasks;
mod wait;
mod why;

pub use nodes::{MapLine, NodeLine};
pub use own::{OwnerEnd, own_execution};
pub use request::{CreatedExecution, ExecutionRequest};
pub use states::StateLine;
pub use why::{ExecutionWhy, NodeWait};

pub(crate) use callback::CallbackKey;
pub(crate) use own::{Apart, DeliveredResult, OwnerBatches};
pub(crate) use start::{Lookups, job_id, refuse_when_paused};
pub(crate) use start_sink::StartSink;
pub(crate) use start_unique::unique_of;
