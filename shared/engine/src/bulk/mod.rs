//! Bulk operations: one engine for all that is done to many objects. A batch is a row; its objects are listed first, each is
//! changed in one commit with its entry, at the pace asked for, and another process goes on where one died.

mod aftermath;
mod change;
mod control;
mod pace;
mod prepare;
mod request;
mod run;
mod samples;
mod start;

pub use control::BatchItemLine;
pub use request::{BulkAction, BulkAnswer, BulkRequest, BulkTarget};
pub use samples::Samples;
