//! The gRPC interface over a store in memory, called over real connections.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::wildcard_imports,
    reason = "tests take what they made themselves"
)]

mod changes;
mod connect;
mod contract;
mod doors;
mod harness;
mod lines;
mod proxies;
mod unary;
