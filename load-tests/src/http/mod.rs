//! HTTP for the load tests: a client that costs little, and the bare server that the interface is compared with.

mod bare;
mod client;

pub(crate) use bare::bare_router;
pub(crate) use client::{Load, post_for};
