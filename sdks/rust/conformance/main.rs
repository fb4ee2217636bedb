//! The driver of sdks/conformance for Rust: `worker` and `client`.

mod calls;
mod client;
mod sealed;
mod worker;

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let ended = match std::env::args().nth(1).as_deref() {
        Some("worker") => worker::run().await.map_err(|error| error.to_string()),
        Some("client") => client::run().await.map_err(|error| error.to_string()),
        _ => Err("say worker or client".to_owned()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
