//! Measures apalis-postgres; all that knows it is in the other file.

mod apalis_postgres_queue;

use anyhow::Result;
use clap::Parser as _;
use measure::Arguments;

use crate::apalis_postgres_queue::ApalisPostgres;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut peer = ApalisPostgres::open(&arguments).await?;
    measure::run("apalis-postgres", "1.0.0", &arguments, &mut peer).await?;
    // A worker that does not end by itself would keep the runtime waiting for its thread.
    std::process::exit(0)
}
