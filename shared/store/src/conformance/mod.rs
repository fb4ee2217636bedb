//! The conformance suite: what every implementation of the port must do, as plain functions over `&dyn Store`.
//!
//! `for_each_case!` names every case once; an implementation turns each into a test for each of its databases.
//! Cases start from an empty store, wait for nothing and know no database.

pub mod access;
pub mod aging;
pub mod alerts;
pub mod attributes;
pub mod audit;
pub mod backup;
pub mod batches;
pub mod children;
pub mod claim_fairness;
pub mod claim_limits;
pub mod claim_order;
pub mod commits;
pub mod completions;
pub mod dead_letters;
pub mod dispatch;
pub mod doctor;
pub mod eager;
pub mod enqueue;
pub mod erasure;
pub mod events;
pub mod execution_commands;
pub mod executions;
pub mod expiry;
pub mod fixture;
pub mod job_logs;
pub mod keys;
pub mod leases;
pub mod offers;
pub mod operations;
pub mod operator_changes;
pub mod parking;
pub mod payloads;
pub mod queues;
pub mod rate_keys;
pub mod rates;
pub mod reap;
pub mod repeats;
pub mod retention;
pub mod schedule_due;
pub mod schedule_fires;
mod schedule_fixture;
pub mod schedule_history;
pub mod schedules;
pub mod sealing;
pub mod search;
pub mod secrets;
pub mod servers;
pub mod settle;
pub mod starts;
pub mod stats;
pub mod unique;
pub mod unowned;
pub mod usage;
pub mod user_tasks;
pub mod views;
pub mod webhook_accept;
pub mod webhook_deliveries;
pub mod webhook_endpoints;
pub mod webhook_fixture;
pub mod webhook_held;
pub mod without_slot;
pub mod workflows;

mod cases;
