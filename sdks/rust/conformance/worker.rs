//! The handlers of the table.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fs::OpenOptions;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use trunkline_client::{Client, ClientError, Context, Error, Json, Worker};

use crate::sealed;

const POLL: Duration = Duration::from_millis(20);

#[derive(Deserialize)]
struct Gate {
    dir: String,
    progress: Option<Json>,
    log: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Failing {
    times: i32,
    message: String,
    delay: String,
}

#[derive(Deserialize)]
struct Typed {
    name: String,
    count: i64,
}

#[derive(Serialize)]
struct Greeting {
    greeting: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Logged {
    lines: u32,
    text: String,
    fail: String,
}

#[derive(Deserialize)]
struct Soak {
    n: u64,
    fail: i32,
    dir: String,
}

/// What the middleware saw.
struct Seen(String);

pub(crate) async fn run() -> Result<(), ClientError> {
    let variable = |name: &str| std::env::var(name).ok();
    let prefix = variable("CONFORMANCE_PREFIX").unwrap_or_default();
    let concurrency = variable("CONFORMANCE_CONCURRENCY").and_then(|text| text.parse().ok()).unwrap_or(8);
    let mut worker = Worker::new(client()?).concurrency(concurrency).middleware(
        |data, context: Context, next| async move {
            context.insert(Seen(context.job_type().to_owned()));
            next.call(data, context).await
        },
    );
    if let Some(wait) = variable("CONFORMANCE_POLL_WAIT") {
        worker = worker.poll_wait(duration(&wait));
    }
    if let Some(build) = variable("CONFORMANCE_BUILD") {
        worker = worker.build(build);
    }
    if let Some(builds) = variable("CONFORMANCE_BUILDS") {
        worker = worker.builds(builds.split(','));
    }
    with_failures(with_values(worker, &prefix), &prefix).run().await
}

/// The client, with what the table sets of its transport.
fn client() -> Result<Client, ClientError> {
    #[cfg(feature = "grpc")]
    if let (Ok(silence), Ok("grpc")) =
        (std::env::var("CONFORMANCE_SILENCE"), std::env::var("TRUNKLINE_TRANSPORT").as_deref())
    {
        let transport = trunkline_client::Grpc::from_env()?.silence(duration(&silence));
        return sealed::client().with_transport(std::sync::Arc::new(transport)).build();
    }
    sealed::client().build()
}

/// Reads durations as the table writes them.
pub(crate) fn duration(text: &str) -> Duration {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let number: u64 = number.parse().expect("the table holds durations");
    match unit {
        "ms" => Duration::from_millis(number),
        "s" => Duration::from_secs(number),
        "m" => Duration::from_secs(60 * number),
        _ => Duration::from_secs(3600 * number),
    }
}

fn with_values(worker: Worker, prefix: &str) -> Worker {
    let name = |name: &str| format!("{prefix}{name}");
    worker
        .handle(name("echo"), |data: Json, _ctx: Context| async move { Ok(data) })
        .handle(name("context"), |_: Value, ctx: Context| async move {
            Ok(json!({
                "jobId": ctx.job_id(), "attempt": ctx.attempt(), "idempotencyKey": ctx.idempotency_key(),
                "traceparent": ctx.traceparent(), "previousProgress": ctx.previous_progress::<Value>(),
                "cancelled": ctx.is_cancelled(), "hasDeadline": ctx.deadline().is_some(),
            }))
        })
        .handle(name("gate"), |data: Gate, ctx: Context| gate(data, ctx, false))
        .handle(name("stubborn"), |data: Gate, ctx: Context| gate(data, ctx, true))
        .handle(name("progress"), |data: HashMap<String, Value>, ctx: Context| async move {
            if ctx.attempt() > 1 {
                return Ok(json!({ "previousProgress": ctx.previous_progress::<Value>() }));
            }
            ctx.progress(&data["value"])?;
            Err(Error::new("once more"))
        })
        .handle(name("big"), |data: HashMap<String, usize>, _ctx: Context| async move {
            Ok(json!({ "text": "x".repeat(data["bytes"]) }))
        })
        .handle(name("typed"), |data: Typed, _ctx: Context| async move {
            Ok(Greeting { greeting: format!("{} x {}", data.name, data.count) })
        })
        .handle(name("middleware"), |_: Value, ctx: Context| async move {
            Ok(json!({ "seen": ctx.get::<Seen>().map(|seen| seen.0.clone()) }))
        })
        .handle(name("soak"), soak)
        .handle(name("log"), |data: Logged, ctx: Context| async move {
            for number in 1..=data.lines.max(1) {
                ctx.log().info(format!("line {number}"));
            }
            if !data.text.is_empty() {
                ctx.log().error(data.text);
            }
            if !data.fail.is_empty() && ctx.attempt() == 1 {
                return Err(Error::new(data.fail));
            }
            Ok(Value::Null)
        })
}

/// Records outside of the store what it does: see `sdks/conformance/soak.py`.
async fn soak(data: Soak, ctx: Context) -> Result<Value, Error> {
    let nonce = RandomState::new().build_hasher().finish();
    let record = |what: &str| {
        let path = Path::new(&data.dir).join(format!("rust-{}", std::process::id()));
        let mut history = OpenOptions::new().append(true).create(true).open(path)?;
        let line = format!("{what} {} {} {nonce:016x}\n", ctx.job_id(), ctx.attempt());
        history.write_all(line.as_bytes())
    };
    record("start")?;
    if ctx.attempt() <= data.fail {
        return Err(Error::new("planned"));
    }
    // The work itself: whoever polls for its end has a deadline.
    tokio::time::sleep(Duration::from_millis(data.n % 20)).await;
    record("end")?;
    Ok(json!({ "n": data.n, "nonce": format!("{nonce:016x}") }))
}

fn with_failures(worker: Worker, prefix: &str) -> Worker {
    let name = |name: &str| format!("{prefix}{name}");
    let snoozed: Arc<Mutex<HashMap<String, i32>>> = Arc::default();
    worker
        .handle(name("fail-times"), |data: Failing, ctx: Context| async move {
            if ctx.attempt() <= data.times {
                return Err(std::io::Error::other(data.message).into());
            }
            Ok(json!({ "attempt": ctx.attempt() }))
        })
        .handle(name("non-retryable"), |data: Failing, _ctx: Context| async move {
            Err::<(), _>(Error::non_retryable(data.message))
        })
        .handle(name("retry-after"), |data: Failing, ctx: Context| async move {
            if ctx.attempt() == 1 {
                return Err(Error::retry_after(duration(&data.delay)));
            }
            Ok(json!({ "attempt": ctx.attempt() }))
        })
        .handle(name("snooze"), move |data: Failing, ctx: Context| {
            let snoozed = Arc::clone(&snoozed);
            async move {
                let mut counts = snoozed.lock().expect("no handler panics");
                let count = counts.entry(ctx.job_id().to_owned()).or_default();
                *count += 1;
                if *count <= data.times {
                    return Err(Error::snooze(duration(&data.delay)));
                }
                Ok(json!({ "attempt": ctx.attempt(), "snoozed": data.times }))
            }
        })
        .handle(name("cancelled"), |_: Value, _ctx: Context| async move { Err::<(), _>(Error::cancelled()) })
}

async fn gate(data: Gate, ctx: Context, is_stubborn: bool) -> Result<Value, Error> {
    let attempt = ctx.attempt();
    mark(&data.dir, "started", attempt)?;
    if let Some(progress) = &data.progress {
        ctx.progress(progress)?;
    }
    if let Some(text) = data.log {
        ctx.log().with("of", "the gate").info(text);
    }
    while !Path::new(&data.dir).join("go").exists() {
        tokio::select! {
            // A poll of the directory.
            () = tokio::time::sleep(POLL) => {}
            _ = ctx.cancelled(), if !is_stubborn => {
                mark(&data.dir, "cancelled", attempt)?;
                return Err(Error::cancelled());
            }
        }
    }
    mark(&data.dir, "done", attempt)?;
    Ok(json!({ "attempt": attempt, "previousProgress": ctx.previous_progress::<Value>() }))
}

fn mark(dir: &str, name: &str, attempt: i32) -> std::io::Result<()> {
    std::fs::create_dir_all(dir)?;
    std::fs::write(Path::new(dir).join(format!("{name}-{attempt}")), "")
}
