//! Events: what they start, and what they wake.

mod harness;

mod sending;
mod triggers;
mod waits;
