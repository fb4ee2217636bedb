//! What is measured: one file or folder, one table each.

mod backlog;
mod drain;
mod executions;
mod fairness;
mod http_post;
mod http_workers;
mod idle;
mod latency;
mod limits;
mod many_lanes;
mod old_snapshot;
mod parked;
mod peers;
mod schedules;
mod soak;
mod steps;
mod webhooks;
mod workflow;

pub(crate) use backlog::backlog;
pub(crate) use drain::drain;
pub(crate) use executions::executions;
pub(crate) use fairness::fairness;
pub(crate) use http_post::http_post;
pub(crate) use http_workers::http_workers;
pub(crate) use idle::idle;
pub(crate) use latency::latency;
pub(crate) use limits::limits;
pub(crate) use many_lanes::many_lanes;
pub(crate) use old_snapshot::old_snapshot;
pub(crate) use parked::parked;
pub(crate) use peers::peers;
pub(crate) use schedules::schedules;
pub(crate) use soak::soak;
pub(crate) use steps::steps;
pub(crate) use webhooks::webhooks;
pub(crate) use workflow::workflow;
