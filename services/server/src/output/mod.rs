//! What the command line prints: tables for people, JSON for programs, progress for long work.

pub(crate) mod error;
mod print;
pub(crate) mod progress;
pub(crate) mod table;
mod text;

pub(crate) use print::{line, note, out, record_line, text};
pub(crate) use text::{shown, shown_json};
