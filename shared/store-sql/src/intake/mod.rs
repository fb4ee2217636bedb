//! The intake: what applications commit by the functions of `trunkline sql install`, for the server to take.
//!
//! The functions are PostgreSQL's and are made by `install`; the tables and what reads them are the same on both databases.
//! `outbox` is for applications on another database, which keep the calls in a table of their own.

mod install;
mod outbox;
mod rows;
mod table;
mod verbs;

pub use install::{InstalledIntake, IntakeInstall, IntakeSchema, RefusedIntake};
pub use outbox::{Outbox, OutboxKind, OutboxRefusal, OutboxRow, OutboxStatus, OutboxStep, RefusedOutbox};
