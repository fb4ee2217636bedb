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
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && std::env::args().any(|argument| argument == "--json") => {
            output::error::print_usage(&error);
            return ExitCode::from(2);
        }
        Err(error) => error.exit(),
    };
    let as_json = cli.global.json;
    output::terminal::look(cli.global.utc);
    match commands::run_verb(cli) {
        Ok(code) => code,
        Err(error) => {
            output::error::print(&error, as_json);
            output::Exit::of(&error).into()
        }
    }
}
