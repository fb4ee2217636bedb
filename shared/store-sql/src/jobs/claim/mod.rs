//! The claim: exact under its limits, strict by tier, and as cheap with a million jobs waiting as with ten.
//!
//! The ring holds in memory which lanes are not empty. A claim knows how many jobs are leased in one of two ways. Where
//! the epoch of the queue's claim row is as this node left it (`expected`), what it remembers still holds, and one
//! statement compares the epoch and takes the jobs. Otherwise, and where a limit would keep something back that a new
//! count might let through (`locked`), it locks the row and counts. In both a pure function plans, and one statement
//! takes the granted jobs of all lanes.

mod counted_starts;
mod entry;
mod expected;
mod jobs;
mod limits;
mod locked;
mod net;
mod payloads;
mod relook;
mod ring;
mod starts;
mod take;
mod take_sqlite;
mod taken;

#[cfg(test)]
pub(super) mod plans;

pub(super) use entry::{CacheGuard, claim, filter, record_waits};
pub(super) use jobs::facts;
pub(crate) use limits::in_force;
pub(crate) use locked::running_by_lane;
pub(crate) use ring::NONEMPTY;
pub(super) use ring::lanes_after;
pub(super) use starts::columns as rate_columns;
pub(crate) use starts::subject as rate_subject;
