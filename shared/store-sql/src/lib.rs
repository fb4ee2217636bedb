//! The one SQL implementation of the storage port, for SQLite and PostgreSQL.
//!
//! [`SqlStore`] implements every trait of the port. Each operation is a file that holds its statements and the
//! transaction around them; statements on the hot path are files in `sql/`. The two databases differ in a handful
//! of fragments (`dialect`) and nowhere else. Decisions are made in `domain`, never here.

mod dialect;
mod select;
mod servers;
mod sql;
mod starts;
mod stats;

mod bind;
mod columns;
mod errors;
mod fast_paths;
mod packed;
mod payloads;
mod replica;
mod retry;
mod rows;

mod alerts;
mod arrivals;
mod audit;
mod autocommit;
mod connect;
mod link;
mod memory;
mod memory_counts;
mod memory_lanes;
mod memory_leases;
mod memory_starts;
mod migrate;
mod options;
mod pool;
mod schema;
mod schema_name;
mod store;
mod transaction_pooling;

mod claim_row;
mod lanes;
mod lists;
mod lock_order;

mod access;
mod attributes;
mod backup;
mod batches;
mod builds;
mod dead_letters;
mod dispatch;
mod doctor;
mod empty_reads;
mod erasure;
mod events;
mod executions;
mod intake;
mod job_logs;
mod jobs;
mod limits;
mod moves;
mod nodes;
mod operations;
mod queues;
mod retention;
mod schedules;
mod sealing;
mod search;
mod secrets;
mod usage;
mod user_tasks;
mod views;
mod webhooks;
mod workflows;

pub mod metric_names;
mod schema_state;
pub mod wakeup;
mod writes;

pub use fast_paths::FastPath;
pub use intake::{
    InstalledIntake, IntakeInstall, IntakeRole, IntakeSchema, Outbox, OutboxKind, OutboxRefusal, OutboxRow,
    OutboxStatus, OutboxStep, RefusedIntake, RefusedOutbox, RoleTenant, UnusableName,
};
pub use moves::{
    LiveMove, MoveEnd, MoveReport, MoveStep, MovedTable, Observer, copy_execution, move_offline,
};
pub use options::{ListOptions, Pooler, StoreOptions, Synchronous, TimeSource};
pub use replica::ReplicaOptions;
pub use schema_state::SchemaState;
pub use store::SqlStore;
