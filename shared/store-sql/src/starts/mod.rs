//! Starts that are put off: events gathered into one, and starts that wait their turn under a rate.
//!
//! Who adds an event to a key, or counts starts of one, holds the lock of the key: on PostgreSQL an advisory lock that ends
//! with the transaction, on SQLite the transaction itself. The lock under which events are gathered is taken before that
//! under which starts are counted.

mod add;
mod due;
mod end;
mod rows;
mod throttle;
mod verbs;

pub(crate) use end::REMOVE as REMOVE_EVENTS;
