//! Runs a peer on an empty database of its own and reads the lines that it prints.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use tokio::process::Command;

use crate::arguments::Arguments;
use crate::database::{Database, Kind};

/// After how long a drain is cut off: some defaults take minutes for what others do in a second.
const DRAIN_SECONDS: u64 = 20;
/// The longest that one run may take.
const STUCK_AFTER: Duration = Duration::from_mins(5);
/// How much of what a peer complained about is shown.
const COMPLAINT_BYTES: usize = 600;

/// Which settings a peer runs with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Fast,
    Defaults,
}

impl Mode {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Defaults => "defaults",
        }
    }
}

/// One line of a peer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Printed {
    version: String,
    scenario: String,
    per_second: f64,
    p50_ms: Option<f64>,
    p99_ms: Option<f64>,
    wal_bytes_per_job: Option<f64>,
    commits_per_job: Option<f64>,
    dead_tuples: Option<f64>,
}

/// What one run came to; what was not measured is absent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Figures {
    pub(crate) version: String,
    pub(crate) enqueue: Option<f64>,
    pub(crate) drain: Option<f64>,
    pub(crate) p50_ms: Option<f64>,
    pub(crate) p99_ms: Option<f64>,
    pub(crate) wal_bytes: Option<f64>,
    pub(crate) commits: Option<f64>,
    pub(crate) dead_tuples: Option<f64>,
}

/// Enqueue and drain.
pub(crate) async fn bulk(arguments: &Arguments, command: &[String], mode: Mode) -> Result<Figures> {
    run(arguments, command, mode, "bulk").await
}

/// From enqueue to start at 50 jobs a second.
pub(crate) async fn latency(arguments: &Arguments, command: &[String], mode: Mode) -> Result<Figures> {
    run(arguments, command, mode, "latency").await
}

async fn run(arguments: &Arguments, command: &[String], mode: Mode, scenario: &str) -> Result<Figures> {
    let database = Database::create(Kind::Postgres, &arguments.postgres_url).await?;
    let (program, rest) = command.split_first().context("a peer without a program")?;
    let sizes = &arguments.sizes;
    let child = Command::new(program)
        .args(rest)
        .args(["--scenario", scenario, "--mode", mode.as_str()])
        .args(["--jobs", &sizes.peer_jobs.to_string()])
        .args(["--latency-seconds", &sizes.seconds.to_string()])
        .args(["--drain-seconds", &DRAIN_SECONDS.to_string()])
        .env("PEER_DATABASE_URL", &database.url)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let output = tokio::time::timeout(STUCK_AFTER, child.wait_with_output()).await;
    database.remove().await?;
    let output = output.context("it took too long")??;
    let complaint = String::from_utf8_lossy(&output.stderr);
    let complaint: String = complaint.chars().take(COMPLAINT_BYTES).collect();
    ensure!(output.status.success(), "it ended with {}: {complaint}", output.status);
    let mut figures = Figures::default();
    let text = String::from_utf8(output.stdout).context("it printed no text")?;
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let printed: Printed = serde_json::from_str(line).with_context(|| format!("cannot read {line}"))?;
        figures.take(printed);
    }
    ensure!(!figures.version.is_empty(), "it printed nothing: {complaint}");
    Ok(figures)
}

impl Figures {
    fn take(&mut self, printed: Printed) {
        self.version = printed.version;
        match printed.scenario.as_str() {
            "enqueue" => self.enqueue = Some(printed.per_second),
            "drain" => {
                self.drain = Some(printed.per_second);
                self.wal_bytes = printed.wal_bytes_per_job;
                self.commits = printed.commits_per_job;
                self.dead_tuples = printed.dead_tuples;
            }
            _ => {
                self.p50_ms = printed.p50_ms;
                self.p99_ms = printed.p99_ms;
            }
        }
    }
}
