//! The pools over a real store: what they run, what they hold, and how they end.

mod draining;
mod eager;
mod encryption;
mod executions;
mod harness;
mod leases;
mod running;
