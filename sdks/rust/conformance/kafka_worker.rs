//! A worker for groups of several languages: it serves one job type from Kafka and says on standard output what it ran.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use serde::Deserialize;
use trunkline_client::{Client, Context, Worker};

#[derive(Deserialize)]
struct Data {
    ms: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    let job_type = std::env::args().nth(1).unwrap_or_else(|| "shared".to_owned());
    let client = match Client::from_env() {
        Ok(client) => client,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let worker =
        Worker::new(client).concurrency(4).handle(&job_type, |data: Data, ctx: Context| async move {
            // The work takes so long.
            let _ = tokio::time::timeout(Duration::from_millis(data.ms), std::future::pending::<()>()).await;
            let mut out = std::io::stdout().lock();
            writeln!(out, "ran {} {}", ctx.job_id(), ctx.attempt())?;
            out.flush()?;
            Ok("rust")
        });
    match worker.run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
