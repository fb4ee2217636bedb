//! Processes with pools: on SQLite the file's next owner knows that the one before has ended, on PostgreSQL the server
//! sees its session end.
//!
//! A process holds an advisory lock on a connection of its own ([`session`]), and a row that names the lock and the
//! pools. A row whose lock nobody holds is that of a process that has ended, or whose connection broke; [`verbs`]
//! distinguishes them by time. A row is only believed on the server that it was written on: another one, after a
//! failover, never saw the session.

mod lost;
mod session;
mod verbs;

pub(crate) use session::Session;

#[cfg(test)]
mod tests;
