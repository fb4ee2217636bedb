//! What is compared with: the same life of a job in raw SQL, without an engine.
//!
//! A job is inserted (500 a statement), claimed with `SKIP LOCKED`, and moved to a history table. There are no limits,
//! no fairness, no leases that anybody would check, no retries: the least that a durable queue with history can do.

mod chain;
pub(crate) mod notify;
mod postgres;
pub(crate) mod rows;
mod sqlite;

pub(crate) use chain::{RawChain, RawStep};
pub(crate) use postgres::{PostgresReference, insert, insert_for};
pub(crate) use sqlite::SqliteReference;
