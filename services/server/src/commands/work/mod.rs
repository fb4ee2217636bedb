//! `trunkline work TYPE -- PROGRAM`: serve a job type with any program.
//!
//! The program gets the payload on standard input and its result is what it writes on standard output. Exit code 0: done;
//! 75: try again later; any other: do not try again. SIGTERM: the job was cancelled, or its lease is lost.

mod args;
mod program;
mod report;
mod run;

pub(crate) use args::WorkArgs;
pub(crate) use run::run;
