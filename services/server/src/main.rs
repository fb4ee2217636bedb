//! The `trunkline` binary: the server and its command line. Wiring only; no decision of the product is made here.

mod cli;
mod client;
mod commands;
mod output;
mod serve;

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;
use rustix::fs::Mode;

// Requests and jobs are made by one thread and dropped by another.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    // Database, its log, keys and whatever else is written are for their owner alone.
    rustix::process::umask(Mode::from_raw_mode(0o077));
    let cli = cli::Cli::parse();
    match commands::run(cli) {
        Ok(code) => code,
        Err(error) => {
            output::error::print(&error);
            ExitCode::FAILURE
        }
    }
}
