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
/// Of how many executions of the driver's own scenario there is one workflow here: engines take a tenth of a second for each.
const EXECUTIONS_BY_WORKFLOW: usize = 40;
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
    #[serde(default)]
    steps: u32,
    #[serde(default)]
    in_flight: u32,
}

/// Workflows of so many steps, of which so many are in flight at once.
#[derive(Debug, Clone)]
pub(crate) struct Steps {
    pub(crate) each: u32,
    pub(crate) in_flight: u32,
    pub(crate) per_second: f64,
    pub(crate) p50_ms: Option<f64>,
    pub(crate) p99_ms: Option<f64>,
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
    /// Workflows, where it runs any.
    pub(crate) steps: Vec<Steps>,
}

/// Enqueue and drain.
pub(crate) async fn bulk(arguments: &Arguments, command: &[String], mode: Mode) -> Result<Figures> {
    run(arguments, command, mode, ("bulk", arguments.sizes.peer_jobs)).await
}

/// From enqueue to start at 50 jobs a second.
pub(crate) async fn latency(arguments: &Arguments, command: &[String], mode: Mode) -> Result<Figures> {
    run(arguments, command, mode, ("latency", arguments.sizes.peer_jobs)).await
}

/// Workflows of a few steps, from the call that starts one to the answer that it has completed.
pub(crate) async fn steps(arguments: &Arguments, command: &[String], mode: Mode) -> Result<Figures> {
    let workflows = (arguments.sizes.executions / EXECUTIONS_BY_WORKFLOW).max(10);
    run(arguments, command, mode, ("steps", workflows)).await
}

async fn run(
    arguments: &Arguments,
    command: &[String],
    mode: Mode,
    (scenario, count): (&str, usize),
) -> Result<Figures> {
    let database = Database::create(Kind::Postgres, &arguments.postgres_url).await?;
    let (program, rest) = command.split_first().context("a peer without a program")?;
    let sizes = &arguments.sizes;
    let child = Command::new(program)
        .args(rest)
        .args(["--scenario", scenario, "--mode", mode.as_str()])
        .args(["--jobs", &count.to_string()])
        .args(["--latency-seconds", &sizes.seconds.to_string()])
        .args(["--drain-seconds", &DRAIN_SECONDS.to_string()])
        .env("PEER_DATABASE_URL", &database.url)
        .env("TRUNKLINE_VERSION", env!("CARGO_PKG_VERSION"))
        .envs(arguments.server.iter().map(|binary| ("TRUNKLINE_BINARY", binary)))
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
    let text = String::from_utf8(output.stdout).context("it printed no text")?;
    let figures = Figures::parse(&text)?;
    ensure!(!figures.version.is_empty(), "it printed nothing: {complaint}");
    Ok(figures)
}

impl Figures {
    /// Reads the lines that a peer printed; what is no JSON is for people.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut figures = Self::default();
        for line in text.lines().filter(|line| line.starts_with('{')) {
            let printed: Printed =
                serde_json::from_str(line).with_context(|| format!("cannot read {line}"))?;
            figures.take(printed);
        }
        Ok(figures)
    }

    /// Workflows of so many steps and so many in flight, where they were measured.
    pub(crate) fn steps(&self, steps: u32, in_flight: u32) -> Option<&Steps> {
        self.steps.iter().find(|run| (run.each, run.in_flight) == (steps, in_flight))
    }

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
            "steps" => self.steps.push(Steps {
                each: printed.steps,
                in_flight: printed.in_flight,
                per_second: printed.per_second,
                p50_ms: printed.p50_ms,
                p99_ms: printed.p99_ms,
            }),
            _ => {
                self.p50_ms = printed.p50_ms;
                self.p99_ms = printed.p99_ms;
            }
        }
    }
}
