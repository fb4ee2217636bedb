//! The duties, one file each: which step of the engine it is, and whether there is more to do.

mod batches;
mod calibrate;
mod promote;
mod prune;
mod reap;
mod workers;

pub(crate) use batches::batches;
pub(crate) use calibrate::calibrate;
pub(crate) use promote::promote;
pub(crate) use prune::prune;
pub(crate) use reap::reap;
pub(crate) use workers::workers;
