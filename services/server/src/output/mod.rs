//! What the command line prints: tables for people, JSON for programs, progress for long work.

pub(crate) mod error;
pub(crate) mod exit;
mod print;
pub(crate) mod progress;
pub(crate) mod table;
pub(crate) mod terminal;
mod text;

pub(crate) use exit::Exit;
pub(crate) use print::{line, note, out, record_line, text};
pub(crate) use text::{shown, shown_json};
