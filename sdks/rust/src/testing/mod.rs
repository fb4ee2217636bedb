//! The test kit, in three layers: a handler with a fake context, a worker against a server in memory that waits for nothing, and
//! the real server.

mod dev_server;
mod fake_context;
mod memory;

pub use dev_server::{DevServer, dev_server, time_skipping_server};
pub use fake_context::FakeContext;
pub use memory::{InMemoryWorker, MemoryJob};
