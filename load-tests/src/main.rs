//! Load tests: how fast it is, measured beside raw SQL that does the same work in the same run.
//!
//! Machines differ and are seldom quiet, so that every figure is a ratio: each scenario runs its reference and the
//! engine in turns, on the same server and the same disk, and compares the medians. Nothing is mocked: commits are
//! durable, attempts and history are kept, limits are on. It speaks to loopback only and ends by itself.

mod arguments;
mod counters;
mod database;
mod hosts;
mod http;
mod jobs;
mod lanes;
mod layouts;
mod life;
mod machine;
mod measure;
mod node;
mod peers;
mod reference;
mod report;
mod scenarios;
mod seed;
mod server;
mod sizes;
mod wal;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use mimalloc::MiMalloc;
use tokio::signal::unix::{SignalKind, signal};

use crate::arguments::{Arguments, Scenario};

// As in the server, which the in-process scenarios stand for; the references have it too.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime");
    match runtime.and_then(|runtime| runtime.block_on(run_until_ended(&arguments))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all, or until somebody ends it: then what is under way is dropped, and with it the servers, peers and hosts that it has
/// started, which would stay otherwise.
async fn run_until_ended(arguments: &Arguments) -> Result<()> {
    let on = |kind: SignalKind| signal(kind).context("cannot listen for signals");
    let (mut interrupt, mut terminate, mut hangup) =
        (on(SignalKind::interrupt())?, on(SignalKind::terminate())?, on(SignalKind::hangup())?);
    tokio::select! {
        ended = run(arguments) => ended,
        _ = interrupt.recv() => bail!("interrupted"),
        _ = terminate.recv() => bail!("ended from outside"),
        _ = hangup.recv() => bail!("ended with its terminal"),
    }
}

async fn run(arguments: &Arguments) -> Result<()> {
    let names: Vec<&str> = Scenario::value_variants().iter().map(|scenario| scenario.name()).collect();
    let (mut failed, mut targets) = (Vec::new(), String::new());
    for scenario in arguments.scenarios() {
        eprintln!("== {}", scenario.name());
        // One that fails must not cost the figures of the others.
        if let Err(error) = one(arguments, scenario).await {
            eprintln!("   failed: {error:#}");
            failed.push(scenario.name());
        }
        targets = report::summarize(&arguments.results, &names)?;
    }
    println!("{targets}");
    anyhow::ensure!(failed.is_empty(), "these scenarios failed: {}", failed.join(", "));
    Ok(())
}

async fn one(arguments: &Arguments, scenario: Scenario) -> Result<()> {
    let started_at = Instant::now();
    let mut report = match scenario {
        Scenario::Drain => scenarios::drain(arguments).await,
        Scenario::Soak => scenarios::soak(arguments).await,
        Scenario::Row => scenarios::row(arguments).await,
        Scenario::Layouts => scenarios::layouts(arguments).await,
        Scenario::Limits => scenarios::limits(arguments).await,
        Scenario::Rates => scenarios::rates(arguments).await,
        Scenario::ManyLanes => scenarios::many_lanes(arguments).await,
        Scenario::Backlog => scenarios::backlog(arguments).await,
        Scenario::Fairness => scenarios::fairness(arguments).await,
        Scenario::Find => scenarios::find(arguments).await,
        Scenario::Requeue => scenarios::requeue(arguments).await,
        Scenario::FastPaths => scenarios::fast_paths(arguments).await,
        Scenario::Prune => scenarios::prune(arguments).await,
        Scenario::Audit => scenarios::audit(arguments).await,
        Scenario::OldSnapshot => scenarios::old_snapshot(arguments).await,
        Scenario::Latency => scenarios::latency(arguments).await,
        Scenario::SqlEnqueue => scenarios::sql_enqueue(arguments).await,
        Scenario::HttpPost => scenarios::http_post(arguments).await,
        Scenario::HttpWorkers => scenarios::http_workers(arguments).await,
        Scenario::GrpcWorkers => scenarios::grpc_workers(arguments).await,
        Scenario::Webhooks => scenarios::webhooks(arguments).await,
        Scenario::Workflow => scenarios::workflow(arguments).await,
        Scenario::Executions => scenarios::executions(arguments).await,
        Scenario::Steps => scenarios::steps(arguments).await,
        Scenario::Parked => scenarios::parked(arguments).await,
        Scenario::Schedules => scenarios::schedules(arguments).await,
        Scenario::Idle => scenarios::idle(arguments).await,
        Scenario::Move => scenarios::moved(arguments).await,
        Scenario::ScaleOut => scenarios::scale_out(arguments).await,
        Scenario::Peers => scenarios::peers(arguments).await,
    }?;
    let server_version = database::server_version(&arguments.postgres_url).await?;
    let facts = machine::facts(&server_version, &arguments.sizes);
    report.facts.extend(facts.into_iter().map(|(name, value)| (name.to_owned(), value)));
    let took = format!("{:.0} s", started_at.elapsed().as_secs_f64());
    report.facts.push(("took".to_owned(), took));
    println!("{}", report::write(&arguments.results, scenario.name(), &report)?);
    Ok(())
}
