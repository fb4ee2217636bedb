//! The oracle: a queue in memory that is too plain to be wrong, for comparing the real stores with.
//!
//! It keeps every job in a map and looks through all of them for every question. Where the contract leaves no
//! choice, an operation answers what the store has to answer. Where it does (which tenant is served next), the oracle
//! takes what the store chose, and says whether that was legal. It is one queue; executions are not its business.

mod claim;
mod job;
mod letters;
mod operator;
mod queue;
mod settle;
mod upkeep;

#[cfg(test)]
mod tests;

pub use claim::Fault;
pub use job::{MemAttempt, MemJob, MemLease};
pub use letters::{MemLetter, MemLetterKey};
pub use queue::{MemLimits, MemQueue};
