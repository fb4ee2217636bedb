//! The duties, one file each: which step of the engine it is, and whether there is more to do.

mod apply_unowned;
mod batches;
mod calibrate;
mod compact_file;
mod idle_lanes;
mod intake;
mod minute;
mod nodes;
mod overdue;
mod promote;
mod prune;
mod reap;
mod release_held;
mod reseal;
mod seal_audit;
mod wake_parked;
mod workers;
mod zones;

pub(crate) use apply_unowned::apply_unowned;
pub(crate) use batches::batches;
pub(crate) use calibrate::calibrate;
pub(crate) use compact_file::compact_file;
pub(crate) use idle_lanes::idle_lanes;
pub(crate) use intake::{reopen_intakes, take_intake};
pub(crate) use minute::{Announced, minute};
pub(crate) use nodes::nodes;
pub(crate) use overdue::overdue;
pub(crate) use promote::promote;
pub(crate) use prune::prune;
pub(crate) use reap::reap;
pub(crate) use release_held::release_held;
pub(crate) use reseal::reseal;
pub(crate) use seal_audit::seal_audit;
pub(crate) use wake_parked::wake_parked;
pub(crate) use workers::workers;
pub(crate) use zones::zones;
