//! Events: what they start, and what they wake.

mod harness;

mod gather;
mod sending;
mod triggers;
mod waits;
