//! What a schedule does at a given instant: which slots start, which are given up, and where it goes on.

mod schedule_bounds;
mod schedule_clock;
mod schedule_misfire;
mod schedule_overlap;
mod world;
