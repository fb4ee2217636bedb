//! Long work with a progress bar: enqueueing a file, and following a bulk operation.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::client::{Client, api_path};
use crate::output;
use crate::output::{Exit, note, out, shown};

/// How many lines go into one request.
const LINES_PER_REQUEST: usize = 1_000;

/// How often the progress of a bulk operation is read.
const BATCH_POLL: Duration = Duration::from_millis(300);

/// Enqueues each line of a JSON Lines file. Lines that are refused are listed, and the others are enqueued all the same.
pub(crate) async fn enqueue_file(client: &Client, path: &Path) -> Result<ExitCode> {
    let lines = read_lines(path)?;
    let bar = output::bar(lines.len() as u64, "enqueue");
    let (mut enqueued, mut refused) = (0_u64, 0_u64);
    for (chunk_index, chunk) in lines.chunks(LINES_PER_REQUEST).enumerate() {
        let jobs: Vec<&Value> = chunk.iter().map(|(_, job)| job).collect();
        let answer = client.post("/v1/jobs/batch", &json!({ "jobs": jobs, "partial": true })).await?;
        for (index, result) in answer["results"].as_array().into_iter().flatten().enumerate() {
            if result.get("error").is_none() {
                enqueued += 1;
                continue;
            }
            refused += 1;
            let line =
                chunk.get(index).map_or(chunk_index * LINES_PER_REQUEST + index + 1, |(line, _)| *line);
            bar.suspend(|| note!("line {line}: {}", shown(&refusal(&result["error"]))));
        }
        bar.inc(chunk.len() as u64);
    }
    bar.finish_and_clear();
    if client.json {
        output::print_json(&json!({ "enqueued": enqueued, "refused": refused }));
    } else {
        out!("{enqueued} enqueued, {refused} refused");
    }
    Ok(if refused == 0 { ExitCode::SUCCESS } else { Exit::Failed.into() })
}

fn refusal(problem: &Value) -> String {
    let fault = &problem["errors"][0];
    match (fault["pointer"].as_str(), fault["message"].as_str()) {
        (Some(pointer), Some(message)) => format!("{pointer}: {message}"),
        _ => problem["detail"].as_str().or(problem["title"].as_str()).unwrap_or("refused").to_owned(),
    }
}

fn read_lines(path: &Path) -> Result<Vec<(usize, Value)>> {
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut jobs = Vec::new();
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let line = line.with_context(|| format!("cannot read line {} of {}", index + 1, path.display()))?;
        if line.trim().is_empty() {
            continue;
        }
        let job = serde_json::from_str(&line)
            .with_context(|| format!("line {} of {} is not JSON", index + 1, path.display()))?;
        jobs.push((index + 1, job));
    }
    Ok(jobs)
}

/// What is shown of a bulk operation.
pub(crate) const COLUMNS: [output::Column; 9] = [
    ("id", "/id"),
    ("status", "/status"),
    ("because", "/statusReason"),
    ("total", "/total"),
    ("done", "/done"),
    ("failed", "/failed"),
    ("skipped", "/skipped"),
    ("pending", "/pending"),
    ("failed afterwards", "/endedBadly"),
];

/// Whether it does not go on by itself.
fn has_ended(batch: &Value) -> bool {
    let waits_for_operator = batch["status"] == "paused"
        && (batch["statusReason"] == "operator"
            || batch.pointer("/request/pace/canary/proceed").is_some_and(|proceed| proceed == "manual"));
    waits_for_operator || matches!(batch["status"].as_str(), Some("completed" | "aborted" | "failed") | None)
}

/// Follows a bulk operation on things of this name to its end.
pub(crate) async fn follow(client: &Client, batch: Value, what: &'static str) -> Result<ExitCode> {
    let Some(id) = batch["id"].as_str().map(str::to_owned) else {
        output::print_json(&batch);
        return Ok(ExitCode::SUCCESS);
    };
    let bar = output::bar(batch["total"].as_u64().unwrap_or(0), what);
    let mut batch = batch;
    while !has_ended(&batch) {
        tokio::time::sleep(BATCH_POLL).await;
        batch = client.get(&api_path!("batches", id)).await?;
        bar.set_length(batch["total"].as_u64().unwrap_or(0));
        let had_turn = ["done", "failed", "skipped"].map(|field| batch[field].as_u64().unwrap_or(0));
        bar.set_position(had_turn.iter().sum());
    }
    bar.finish_and_clear();
    output::print_object(client.json, &batch, &COLUMNS);
    Ok(match batch["status"].as_str() {
        Some("completed") if batch["failed"] == 0 => ExitCode::SUCCESS,
        Some("paused") => Exit::Unfinished.into(),
        _ => Exit::Failed.into(),
    })
}
