//! From enqueue to the start of the handler, under a light and steady load.

mod run;
mod times;

pub(crate) use run::{FIRSTS, PERCENTS, count, latency, polled, raw_direct, raw_notified, send, starts};
pub(crate) use times::Times;
