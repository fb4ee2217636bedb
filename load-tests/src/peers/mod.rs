//! Other queues: which are installed, and how one is run. What they measure is in `load-tests/peers`.

mod catalog;
mod process;

pub(crate) use catalog::{Peer, read};
pub(crate) use process::{Figures, Mode, bulk, latency, steps};
