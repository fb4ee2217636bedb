//! What tests share: a clock and randomness that they own, a harness with an engine, and databases to run on.
//!
//! Only a dev-dependency: nothing here is built into the product.

pub mod database;
pub mod oracle;
pub mod pg_proxy;
pub mod pgbouncer;
pub mod ports;

mod clock;
mod done;
mod engine;
mod lists;
mod pool;
mod tcp_proxy;

pub use ::engine::{OwnerEnd, SealingKeys};
pub use clock::{FixedClock, SeededEntropy};
pub use engine::{EngineHarness, HarnessWakeup, Owned, eventually, lease_of};
pub use pool::{ExecutionPool, HarnessWorker};
pub use tcp_proxy::TcpProxy;
