//! Schedules: saved, fired by the clock and by hand, and changed.

mod bench;
mod by_hand;
mod changes;
mod clock;
mod life;
mod misfire;
mod overlap;
mod slots;
