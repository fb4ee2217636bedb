//! The arguments of `trunkline work`.

use std::ffi::OsString;

use clap::Args;

/// Arguments of `work`.
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkArgs {
    /// Job type
    pub(super) job_type: String,
    /// Maximum number of concurrent jobs
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(super) concurrency: u32,
    /// Worker name (default: random)
    #[arg(long, value_name = "NAME")]
    pub(super) worker_id: Option<String>,
    /// Process only jobs of this tenant
    #[arg(long)]
    pub(super) tenant: Option<String>,
    /// Build that this worker runs, such as a version or a commit
    #[arg(long, value_name = "BUILD")]
    pub(super) build: Option<String>,
    /// Pin the job type to builds, this worker's own among them: only workers of one of them get its jobs then
    #[arg(long, value_name = "BUILD", value_delimiter = ',', requires = "build")]
    pub(super) builds: Vec<String>,
    /// Lease duration without a heartbeat, such as 30s (default: the queue's setting)
    #[arg(long, value_name = "DURATION")]
    pub(super) lease: Option<String>,
    /// Exit after this many jobs
    #[arg(long, value_name = "COUNT")]
    pub(super) max_jobs: Option<u64>,
    /// Grace period after SIGTERM, in seconds; then programs are stopped and their jobs released
    #[arg(long, value_name = "SECONDS", default_value_t = 25)]
    pub(super) drain_secs: u64,
    /// Program and its arguments, after --
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub(super) program: Vec<OsString>,
}
