//! What the command line prints: tables for people, JSON for programs, progress for long work.

pub(crate) mod error;
pub(crate) mod progress;
pub(crate) mod table;
