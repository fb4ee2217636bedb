//! The worker and the client against the server in memory, and against the real one.

mod memory;
mod real;
mod worker;
