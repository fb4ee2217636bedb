//! The minute clock and upkeep: what has to be done again and again, whoever calls and whatever fails.
//!
//! One ticker for each duty. Every duty is safe to run on many nodes at once and after any interruption: each is a
//! bounded step of the engine, which decides what there is to do. This crate only says when.

mod intake;
mod minute;
mod ticker;
mod upkeep;

pub use upkeep::{Upkeep, UpkeepOptions, start, start_own};
