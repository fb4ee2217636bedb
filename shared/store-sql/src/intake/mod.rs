//! The intake: what applications commit by the functions of `trunkline sql install`, for the server to take.
//!
//! The functions are PostgreSQL's and are made by `install`; the tables and what reads them are the same on both databases.

mod install;
mod rows;
mod table;
mod verbs;

pub use install::{InstalledIntake, IntakeInstall, IntakeSchema, RefusedIntake};
