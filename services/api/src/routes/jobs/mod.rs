//! `/v1/jobs`: stand-alone jobs, and a look at the jobs of all queues.

mod change;
mod enqueue;
mod enqueue_batch;
mod read;
mod table;

pub(super) use table::router;
