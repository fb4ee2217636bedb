//! The command line. Sizes have defaults with which everything ends within minutes.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Measures the engine beside raw SQL and writes tables.
#[derive(Debug, Parser)]
#[command(name = "load-tests")]
pub(crate) struct Arguments {
    /// What to measure; everything where absent.
    #[arg(value_enum)]
    names: Vec<Scenario>,
    /// A PostgreSQL server whose role may create databases; `make bench` starts one.
    #[arg(long, env = "TRUNKLINE_TEST_POSTGRES_URL", hide_env_values = true)]
    pub(crate) postgres_url: String,
    /// Where the tables are written.
    #[arg(long, default_value = "load-tests/results")]
    pub(crate) results: PathBuf,
    /// How often each measure is taken; the median counts.
    #[arg(long, default_value_t = 3)]
    pub(crate) rounds: u32,
    /// Jobs of one drain.
    #[arg(long, default_value_t = 40_000)]
    pub(crate) jobs: usize,
    /// How many wait in the large backlog; the small one is 1,000.
    #[arg(long, default_value_t = 200_000)]
    pub(crate) backlog: usize,
    /// Executions of one run of the workflow.
    #[arg(long, default_value_t = 4_000)]
    pub(crate) executions: usize,
    /// Schedules that are due in one minute.
    #[arg(long, default_value_t = 100_000)]
    pub(crate) schedules: usize,
    /// How long the measures of a steady load last, in seconds.
    #[arg(long, default_value_t = 3)]
    pub(crate) seconds: u64,
}

/// A scenario: one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scenario {
    /// Bulk enqueue, then drain with handlers that do nothing.
    Drain,
    /// Single requests over HTTP.
    HttpPost,
    /// From enqueue to the start of the handler.
    Latency,
    /// The cost of a claim with few and with many jobs waiting.
    Backlog,
    /// What exact limits cost over many lanes.
    Limits,
    /// Schedules that are all due in the same minute.
    Schedules,
    /// Chains of nodes within an execution.
    Workflow,
}

const ALL: &[Scenario] = &[
    Scenario::Drain,
    Scenario::HttpPost,
    Scenario::Latency,
    Scenario::Backlog,
    Scenario::Limits,
    Scenario::Schedules,
    Scenario::Workflow,
];

impl Arguments {
    /// What to measure, in order.
    pub(crate) fn scenarios(&self) -> &[Scenario] {
        if self.names.is_empty() { ALL } else { &self.names }
    }
}

impl Scenario {
    /// The name of its table.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Drain => "drain",
            Self::HttpPost => "http-post",
            Self::Latency => "latency",
            Self::Backlog => "backlog",
            Self::Limits => "limits",
            Self::Schedules => "schedules",
            Self::Workflow => "workflow",
        }
    }
}
