//! The arguments of `trunkline work`.

use std::ffi::OsString;

use clap::Args;

/// Arguments of `work`.
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkArgs {
    /// The job type
    pub(super) job_type: String,
    /// How many jobs run side by side
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(super) concurrency: u32,
    /// The name of this worker; random if left out
    #[arg(long, value_name = "NAME")]
    pub(super) worker_id: Option<String>,
    /// Only jobs of this tenant
    #[arg(long)]
    pub(super) tenant: Option<String>,
    /// How long a lease holds without a heartbeat, such as 30s; the queue's setting if left out
    #[arg(long, value_name = "DURATION")]
    pub(super) lease: Option<String>,
    /// End after so many jobs
    #[arg(long, value_name = "COUNT")]
    pub(super) max_jobs: Option<u64>,
    /// After SIGTERM: how many seconds running programs may go on before they are stopped and their jobs given back
    #[arg(long, value_name = "SECONDS", default_value_t = 25)]
    pub(super) drain_secs: u64,
    /// The program and its arguments, after --
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub(super) program: Vec<OsString>,
}
