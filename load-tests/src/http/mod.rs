//! HTTP for the load tests: clients that cost little, a server on loopback, and the bare one that the interface is
//! compared with.

mod bare;
mod client;
mod compare;
mod connection;
mod deliver;
mod grpc;
mod serve;

pub(crate) use bare::bare_router;
pub(crate) use client::{Load, post_for};
pub(crate) use compare::compare;
pub(crate) use connection::Connection;
pub(crate) use deliver::Deliverer;
pub(crate) use grpc::{Came, StreamWorker};
pub(crate) use serve::Served;
