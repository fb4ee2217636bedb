//! `trunkline work TYPE -- PROGRAM`: serve a job type with any program.
//!
//! The program gets the payload on standard input and its result is what it writes on standard output. Exit code 0: done;
//! 75: try again later; any other: do not try again. SIGTERM: the job was cancelled, or its lease is lost.

mod program;
mod report;
mod run;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::client::Client;

/// Arguments of `work`.
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkArgs {
    /// The job type
    job_type: String,
    /// How many jobs run side by side
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    concurrency: u32,
    /// The name of this worker; random if left out
    #[arg(long, value_name = "NAME")]
    worker_id: Option<String>,
    /// Only jobs of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// How long a lease holds without a heartbeat, such as 30s; the queue's setting if left out
    #[arg(long, value_name = "DURATION")]
    lease: Option<String>,
    /// End after so many jobs
    #[arg(long, value_name = "COUNT")]
    max_jobs: Option<u64>,
    /// After SIGTERM: how many seconds running programs may go on before they are stopped and their jobs given back
    #[arg(long, value_name = "SECONDS", default_value_t = 25)]
    drain_secs: u64,
    /// The program and its arguments, after --
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Works until SIGTERM or SIGINT, or until `--max-jobs` are done.
pub(crate) async fn run(args: WorkArgs, client: &Client) -> Result<ExitCode> {
    run::run(args, client).await
}
