//! Requeue or archive many dead letters: counted, paced, stoppable, and taken up again after a crash.

mod request;
mod run;
mod start;

pub use request::{BulkAnswer, BulkKind, BulkRequest};
