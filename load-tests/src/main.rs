//! Load tests: how fast it is, measured beside raw SQL that does the same work in the same run.
//!
//! Machines differ and are seldom quiet, so that every figure is a ratio: each scenario runs its reference and the
//! engine in turns, on the same server and the same disk, and compares the medians. Nothing is mocked: commits are
//! durable, attempts and history are kept, limits are on. It speaks to loopback only and ends by itself.

mod arguments;
mod database;
mod http;
mod jobs;
mod machine;
mod measure;
mod node;
mod reference;
mod report;
mod scenarios;

use anyhow::{Context, Result};
use clap::Parser;

use crate::arguments::{Arguments, Scenario};

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    runtime.block_on(run(&arguments))
}

async fn run(arguments: &Arguments) -> Result<()> {
    for &scenario in arguments.scenarios() {
        eprintln!("== {}", scenario.name());
        let report = match scenario {
            Scenario::Drain => scenarios::drain(arguments).await,
            Scenario::HttpPost => scenarios::http_post(arguments).await,
            Scenario::Latency => scenarios::latency(arguments).await,
            Scenario::Backlog => scenarios::backlog(arguments).await,
            Scenario::Limits => scenarios::limits(arguments).await,
            Scenario::Schedules => scenarios::schedules(arguments).await,
            Scenario::Workflow => scenarios::workflow(arguments).await,
        };
        let report = report.with_context(|| format!("the scenario {} failed", scenario.name()))?;
        let server_version = database::server_version(&arguments.postgres_url).await?;
        let text = report.markdown(&machine::facts(&server_version));
        println!("{text}");
        report::write(&arguments.results, scenario.name(), &text)?;
    }
    Ok(())
}
