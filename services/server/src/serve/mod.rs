//! `serve`: puts the parts together, starts them in order, and stops them in the reverse order.

#[cfg(test)]
mod authority;
mod banner;
mod bootstrap;
mod callers;
pub(crate) mod certificates;
pub(crate) mod check;
mod dispatch;
mod doors;
mod engine;
mod figures;
mod grpc;
mod lifecycle;
mod listeners;
mod metrics;
mod moving;
mod outside;
mod parts;
pub(crate) mod reload;
pub(crate) mod schema;
mod signals;
mod sockets;
mod time_skip;
mod traces;
mod upkeep;

pub(crate) use engine::{offline_engine, secret_keys, store_options};
pub(crate) use lifecycle::{Kind, run};
pub(crate) use moving::reach;
