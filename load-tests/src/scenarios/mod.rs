//! What is measured: one file, one table each.

mod backlog;
mod drain;
mod http_post;
mod latency;
mod limits;
mod schedules;
mod workflow;

pub(crate) use backlog::backlog;
pub(crate) use drain::drain;
pub(crate) use http_post::http_post;
pub(crate) use latency::latency;
pub(crate) use limits::limits;
pub(crate) use schedules::schedules;
pub(crate) use workflow::workflow;
