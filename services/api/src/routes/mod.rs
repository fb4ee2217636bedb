//! The handlers, by resource: extract, one call of the engine, map. No decisions here.

mod api_keys;
mod archive;
mod audit;
mod backups;
mod batch_items;
mod batches;
mod bulk;
mod callbacks;
mod commands;
mod dead_letters;
mod deliveries;
mod events;
mod executions;
mod health;
mod hooks;
mod job_logs;
mod jobs;
mod limits;
mod me;
mod polling;
mod queues;
mod schedules;
mod secrets;
mod send_events;
mod session;
mod sign_in;
mod table;
mod tenants;
mod triggers;
mod usage;
mod user_tasks;
mod wait;
mod webhooks;
mod workers;
mod workflows;

pub(crate) use table::{edge, guarded, hooks, open};
