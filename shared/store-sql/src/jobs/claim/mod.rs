//! The claim: exact under its limits, strict by tier, and as cheap with a million jobs waiting as with ten.
//!
//! The ring tells in memory which lanes are not empty. Under the lock of the queue's claim row the leased jobs are
//! counted, a pure function plans, and one statement takes the granted jobs of all lanes. The steps are kept apart,
//! so that the count can later be remembered between claims where the epoch proves that nobody else claimed.

mod jobs;
mod limits;
mod ring;
mod take;
mod transaction;

#[cfg(test)]
mod plans;

pub(super) use jobs::facts;
pub(super) use ring::nonempty_lanes;
pub(super) use transaction::claim;
