//! The storage port: what the engine asks of a store, as operations of the product.
//!
//! Every method is one atomic transition, guarded by what the caller believes (a lease token, a version) and
//! answering with what happened as data. No transaction handle crosses this port, and it names no database.

pub mod error;
pub mod page;

pub mod access;
pub mod alerts;
pub mod attributes;
pub mod audit;
pub mod backup;
pub mod batches;
pub mod builds;
pub mod dead_letters;
pub mod dispatch;
pub mod erasure;
pub mod events;
pub mod executions;
pub mod intake;
pub mod job_logs;
pub mod jobs;
pub mod limits;
pub mod operations;
pub mod payload_keys;
pub mod queues;
pub mod retention;
pub mod schedules;
pub mod search;
pub mod secrets;
pub mod starts;
pub mod stats;
pub mod usage;
pub mod user_tasks;
pub mod views;
pub mod wakeup;
pub mod webhooks;
pub mod workflows;

#[cfg(feature = "conformance")]
pub mod conformance;

mod store_trait;

pub use error::{Closed, DiskRoom, StoreError, StoreResult};
pub use page::{Page, PageRequest};
pub use store_trait::Store;
pub use wakeup::Clock;
