//! Executions: started, waited for, looked at, told to stop or to go on, and owned.

mod commands;
mod events;
mod nodes;
mod own;
mod read;
mod request;
mod start;
mod wait;

pub use nodes::NodeLine;
pub use own::{OwnerEnd, own_execution};
pub use request::{CreatedExecution, ExecutionRequest};
pub(crate) use start::job_id;
pub(crate) use wait::RereadPermits;
