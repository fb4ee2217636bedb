//! The REST interface from outside, over an engine on a SQLite database in memory: one module a resource.

mod access;
mod bad_input;
mod dead_letters;
mod doors;
mod executions;
mod figures;
mod gate;
mod harness;
mod idempotency;
mod jobs;
mod limits;
mod me;
mod oidc;
mod operations;
mod polling;
mod queues;
mod quotas;
mod rights;
mod schedules;
mod secrets;
mod session;
mod surface;
mod tenancy;
mod waiting;
mod webhooks;
mod workflows;
