//! The pure core of Trunkline: every decision is a synchronous function over data.
//!
//! Time, randomness and ids are arguments. This crate does no I/O, knows no database, no HTTP and no async
//! runtime, and so it cannot block and cannot fail for reasons outside its arguments.

#[macro_use]
mod words;

pub mod error;
pub mod id;
pub mod names;
pub mod problem;
pub mod queue;
pub mod time;

pub mod build;
pub mod bulk;
pub mod claim;
pub mod dispatch;
pub mod doctor;
pub mod failure;
pub mod job;
pub mod job_log;
pub mod lease_watch;
pub mod limits;
pub mod quota;
pub mod rate;
pub mod retention;
pub mod retry;
pub mod sqlite_maintenance;
pub mod time_skip;
pub mod why;

pub mod access;
pub mod alerting;
pub mod attribute;
pub mod audit;
pub mod event;
pub mod search;
pub mod secret;
pub mod trace;
pub mod view;

pub mod scaling;
pub mod schedule;
pub mod stats;
pub mod webhook;
pub mod workflow;
