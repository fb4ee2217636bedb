//! Random definitions with nodes of every type, random events, duplicates, and crashes between any two commits, against
//! an oracle that works out from scratch what each node is.
//!
//! `plan` makes definitions up, `oracle` holds what is known and `consequences` what has to be, `system` carries steps out and loses its memory, and
//! `machine` puts them together.

mod consequences;
mod machine;
mod oracle;
mod plan;
mod system;
