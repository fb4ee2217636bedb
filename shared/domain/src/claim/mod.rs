//! The claim: which lanes give how many jobs next, under strict tiers, turns and exact limits.
//!
//! Pure policy. [`Lanes`] names the lanes of one queue, [`Ring`] knows which of them are not empty and whose turn
//! it is, [`Running`] how many jobs are leased, [`LimitTable`] how many may be, and [`plan`] turns the four into
//! [`Grant`]s. The store does the rest: it reads the counts and takes the granted jobs in one transaction.
//!
//! How a claim goes, for the store:
//!
//! 1. Count the leased jobs by lane ([`Running::count`]), or know that nobody else claimed since the last count.
//! 2. [`plan`] for as many jobs as are wanted; with counts of earlier, [`plan_unless_limited`], and count where it
//!    gives nothing. No grants: the claim ends.
//! 3. Take each grant's jobs in order of position; add what was taken to the counts ([`Running::add`]) and tell the
//!    ring ([`Ring::record_claimed`]). A lane that gave less than asked leaves the ring.
//! 4. If the batch is not full and either a grant came short or [`Plan::has_more`], go back to 2 for the rest.
//! 5. Answer the jobs in the order that [`Plan::arrange`] gives.
//!
//! Where rates or limits of job types are set, 2 is [`plan_counted`]: it says of which rates the room has to be known,
//! and is asked again with it. What is taken is counted ([`StartCount`](crate::rate::StartCount)) in the same transaction.
//!
//! The limits hold whatever the ring believes, as long as the counts are not too low: a lane that is empty by now
//! gives nothing, and a lane that the ring does not know waits. Order and fairness are as fresh as the ring.

mod compact;
mod filter;
mod headrooms;
mod lanes;
mod limits;
mod plan;
mod rates;
mod ring;
mod rotation;
mod undo;

pub use compact::{Replaced, compact};
pub use filter::{Filter, all_may_start};
pub use headrooms::Running;
pub use lanes::{Lanes, UnknownLane};
pub use limits::LimitTable;
pub use plan::{Counted, Plan, Planned, plan, plan_counted, plan_unless_limited};
pub use rates::{EffectiveRate, RateTable, StartRooms};
pub use ring::{Depth, Grant, Ring};
pub use rotation::quantum;
