//! Upkeep: what has to be done again and again whoever calls. The scheduler decides when.

mod compact_file;
mod expire;
mod idle_lanes;
mod nodes;
mod promote;
mod prune;
mod reap;
mod wake_parked;
