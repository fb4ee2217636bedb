//! Reads calls from stdin and answers them on stdout.

use std::io::Write as _;

use serde::Deserialize;
use serde_json::{Value, json};
use trunkline_client::ClientError;
use trunkline_client::webhook::InvalidSignature;

use crate::{calls, sealed};

#[derive(Deserialize)]
struct Asked {
    id: Value,
    call: String,
    #[serde(default)]
    args: calls::Arguments,
}

/// What a call failed with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Signature(#[from] InvalidSignature),
    #[error("{0}")]
    Other(String),
}

pub(crate) async fn run() -> std::io::Result<()> {
    let client = sealed::client().build().map_err(|error| error.to_string());
    let (line, mut lines) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || {
        std::io::stdin().lines().map_while(Result::ok).try_for_each(|text| line.send(text))
    });
    let mut calls = tokio::task::JoinSet::new();
    while let Some(line) = lines.recv().await {
        let asked: Asked = serde_json::from_str(&line)?;
        let client = client.clone();
        calls.spawn(async move {
            let opened = || answer(&json!({ "id": asked.id, "opened": true }));
            let done = match (asked.call.as_str(), client) {
                ("hello", _) => Ok(json!({ "language": "rust", "lacks": [] })),
                (_, Err(error)) => Err(Failure::Other(error)),
                (call, Ok(client)) => calls::make(&client, call, asked.args, opened).await,
            };
            match done {
                Ok(value) => answer(&json!({ "id": asked.id, "value": value })),
                Err(failure) => answer(&json!({ "id": asked.id, "error": described(&failure) })),
            }
        });
    }
    calls.join_all().await;
    Ok(())
}

fn answer(line: &Value) {
    let mut out = std::io::stdout().lock();
    // Whoever closed the pipe does not read.
    let _ = writeln!(out, "{line}");
}

fn described(failure: &Failure) -> Value {
    let message = failure.to_string();
    let Failure::Client(error) = failure else {
        let kind = if matches!(failure, Failure::Signature(_)) { "InvalidSignature" } else { "Other" };
        return json!({ "kind": kind, "message": message });
    };
    match error {
        ClientError::JobFailed(failed) => {
            json!({ "kind": "JobFailed", "message": message, "code": failed.code() })
        }
        ClientError::RunFailed(failed) => {
            json!({ "kind": "RunFailed", "message": message, "code": failed.code() })
        }
        ClientError::Problem(refused) => {
            let (status, code) = (refused.problem.status, &refused.problem.code);
            json!({ "kind": "Problem", "message": message, "status": status, "code": code })
        }
        ClientError::Timeout { .. } => json!({ "kind": "Timeout", "message": message }),
        ClientError::Connection { .. } => json!({ "kind": "Connection", "message": message }),
        _ => json!({ "kind": "Other", "message": message }),
    }
}
