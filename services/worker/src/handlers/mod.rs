//! What is done with a claimed job: the handlers that are built in, and the table of them by job type.

mod delivery;
mod execution;
mod http;
mod missing;
mod registry;
mod schedule_check;

pub use delivery::DeliveryHandler;
pub(crate) use execution::{ExecutionEnd, own};
pub use http::{HttpHandler, SecretSource};
pub(crate) use missing::no_handler;
pub use registry::{Handler, HandlerEnd, Handlers};
pub use schedule_check::ScheduleCheckHandler;
