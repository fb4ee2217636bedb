//! From enqueue to the start of the handler, under a light and steady load.

mod run;
mod times;

pub(crate) use run::{latency, polled, raw_notified, starts};
pub(crate) use times::Times;
