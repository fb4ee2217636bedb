//! The relay over the real store, with a broker in memory.

#![expect(clippy::unwrap_used, reason = "tests may take what they made themselves")]

mod admission;
mod broker;
mod envelopes;
mod faults;
mod flow;
mod harness;
mod held;
#[cfg(feature = "kafka")]
mod mock_cluster;
