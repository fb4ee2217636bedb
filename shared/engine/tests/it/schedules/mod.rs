//! Schedules: saved, fired by the clock and by hand, and changed.

mod by_hand;
mod changes;
mod clock;
mod harness;
mod intervals;
mod life;
mod misfire;
mod overlap;
mod shares;
mod slots;
