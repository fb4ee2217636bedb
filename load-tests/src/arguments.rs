//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::hosts::Host;
use crate::sizes::{Overrides, Size, Sizes};

/// Measures the engine beside raw SQL, and beside other queues, and writes tables and charts.
#[derive(Debug, Parser)]
#[command(name = "load-tests")]
struct CommandLine {
    /// What to measure; everything where absent (other queues only if they are installed).
    #[arg(value_enum)]
    names: Vec<Scenario>,
    /// A PostgreSQL server whose role may create databases; `make bench` starts one.
    #[arg(long, env = "TRUNKLINE_TEST_POSTGRES_URL", hide_env_values = true)]
    postgres_url: String,
    /// Where tables and charts are written.
    #[arg(long, default_value = "load-tests/results")]
    results: PathBuf,
    /// How large the measures are.
    #[arg(long, value_enum, default_value = "quick")]
    size: Size,
    /// The list of installed peers that `load-tests/peers/install.sh` writes.
    #[arg(long)]
    peers: Option<PathBuf>,
    /// The server's binary, for scenarios that need a process of it.
    #[arg(long)]
    server: Option<PathBuf>,
    #[command(flatten)]
    overrides: Overrides,
}

/// What to measure, and how large.
#[derive(Debug)]
pub(crate) struct Arguments {
    names: Vec<Scenario>,
    pub(crate) postgres_url: String,
    pub(crate) results: PathBuf,
    pub(crate) peers: Option<PathBuf>,
    pub(crate) server: Option<PathBuf>,
    pub(crate) sizes: Sizes,
}

/// A scenario: one table and one chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scenario {
    /// Bulk enqueue, then drain with handlers that do nothing.
    Drain,
    /// Enqueue and drain at once, for long.
    Soak,
    /// What each job writes to the log, by record and table.
    Row,
    /// Layouts of the row in raw SQL, side by side. Only where it is named.
    Layouts,
    /// What exact limits cost over many lanes, and on several nodes.
    Limits,
    /// What rates that hold nothing back cost the claim.
    Rates,
    /// Very many lanes of one job each, and what is left of them.
    ManyLanes,
    /// The cost of a claim: many waiting, many blocked, many running.
    Backlog,
    /// A small tenant behind a very large one.
    Fairness,
    /// Lists of a store that has been at work for a month.
    Find,
    /// Very many dead letters requeued by a process that is killed in the middle.
    Requeue,
    /// What fast paths of the store gain. Only where it is named.
    FastPaths,
    /// How fast retention removes finished jobs.
    Prune,
    /// How fast rows of the audit log become rows of its chain.
    Audit,
    /// Throughput while a snapshot stays open.
    OldSnapshot,
    /// From enqueue to the start of the handler.
    Latency,
    /// From the commit of an application in SQL to a job.
    SqlEnqueue,
    /// Single requests over HTTP.
    HttpPost,
    /// External workers, and bulk enqueue, over REST.
    HttpWorkers,
    /// External workers over streams of gRPC, beside those over REST.
    GrpcWorkers,
    /// Deliveries of webhooks.
    Webhooks,
    /// Chains of nodes, within their execution and through the node queue.
    Workflow,
    /// Very many executions at once, and synchronous runs.
    Executions,
    /// Executions of a few steps over REST, with workers that take one job at a time.
    Steps,
    /// Very many executions that only wait.
    Parked,
    /// Schedules that are all due in the same minute.
    Schedules,
    /// A server that has nothing to do.
    Idle,
    /// A server that moves its store to PostgreSQL while it works.
    Move,
    /// Several processes on hosts of their own.
    ScaleOut,
    /// Other queues on the same machine.
    Peers,
}

impl Arguments {
    /// Reads the command line.
    pub(crate) fn parse() -> Self {
        let line = CommandLine::parse();
        let sizes = line.overrides.over(&Sizes::of(line.size));
        Self {
            names: line.names,
            postgres_url: line.postgres_url,
            results: line.results,
            peers: line.peers,
            server: line.server,
            sizes,
        }
    }

    /// What to measure, in order. What needs something that was not given is left out, unless it was named.
    pub(crate) fn scenarios(&self) -> Vec<Scenario> {
        if !self.names.is_empty() {
            return self.names.clone();
        }
        let can_run = |scenario: &Scenario| match scenario {
            Scenario::Peers => self.peers.is_some(),
            Scenario::Layouts | Scenario::FastPaths => false,
            Scenario::Idle | Scenario::Move | Scenario::Requeue | Scenario::SqlEnqueue => {
                self.server.is_some()
            }
            Scenario::ScaleOut => self.server.is_some() && Host::can_be_made(),
            _ => true,
        };
        Scenario::value_variants().iter().copied().filter(can_run).collect()
    }
}

impl Scenario {
    /// The name of its table.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Drain => "drain",
            Self::Soak => "soak",
            Self::Row => "row",
            Self::Layouts => "layouts",
            Self::Limits => "limits",
            Self::Rates => "rates",
            Self::ManyLanes => "many-lanes",
            Self::Backlog => "backlog",
            Self::Fairness => "fairness",
            Self::Find => "find",
            Self::Requeue => "requeue",
            Self::FastPaths => "fast-paths",
            Self::Prune => "prune",
            Self::Audit => "audit",
            Self::OldSnapshot => "old-snapshot",
            Self::Latency => "latency",
            Self::SqlEnqueue => "sql-enqueue",
            Self::HttpPost => "http-post",
            Self::HttpWorkers => "http-workers",
            Self::GrpcWorkers => "grpc-workers",
            Self::Webhooks => "webhooks",
            Self::Workflow => "workflow",
            Self::Executions => "executions",
            Self::Steps => "steps",
            Self::Parked => "parked",
            Self::Schedules => "schedules",
            Self::Idle => "idle",
            Self::Move => "move",
            Self::ScaleOut => "scale-out",
            Self::Peers => "peers",
        }
    }
}
