//! The pools over a real store: what they run, what they hold, and how they end.

mod bench;
mod draining;
mod eager;
mod executions;
mod leases;
mod running;
