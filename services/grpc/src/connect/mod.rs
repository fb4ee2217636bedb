//! Streams of workers: the server pushes jobs within credits, and the worker reports.
//!
//! `session` keeps one stream from `hello` to its end, with `inbound` for what the worker sends and `jobs` for what it gets;
//! `offers` has the jobs that were sent and not yet confirmed, `held` those that the worker has, `reports` reads what it reports,
//! with the `lines` that it logged, and `outbox` is the way to it, with a bound on what may wait there.
//! Nothing of a stream outlives it: what was not confirmed goes back, and what was is covered by its lease.

mod held;
mod hello;
mod inbound;
mod jobs;
mod lines;
mod offers;
mod outbox;
mod reports;
mod serve;
mod session;
mod shapes;
mod streams;

pub(crate) use serve::serve;
pub(crate) use streams::{STREAM_ID, Streams, reconnect};
