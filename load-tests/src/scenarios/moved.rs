//! A server that moves its store from SQLite to PostgreSQL while callers and workers go on.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::arguments::Arguments;
use crate::database::{Database, Kind};
use crate::http::Connection;
use crate::jobs::{enqueue, payload};
use crate::measure::ms;
use crate::node::Node;
use crate::report::{Report, Target};
use crate::seed::run;
use crate::server::Server;

const EXPLANATION: &str = "`trunkline move` of a server that works: its binary on a SQLite file with finished and open jobs, while one \
    client enqueues and a worker polls and completes, about 500 jobs a second each, both over REST. *Longest time between two claims* is \
    what the worker sees, from the call until a second after the server works on PostgreSQL; *stood still* is what the server says. \
    Client, server and both databases share the machine. There is nothing to compare with; the reference column holds the target.";

const KEY: &str = "tl_load_tests_0123456789abcdef0123456789abcdef";

/// The longest pause of claims.
const PAUSE_MS: f64 = 5_000.0;

/// How many jobs are enqueued, and polled, at once.
const JOBS_AT_ONCE: usize = 10;

/// How often.
const EVERY: Duration = Duration::from_millis(20);

/// The longest that a whole move may take.
const STUCK_AFTER: Duration = Duration::from_mins(30);

/// What one move came to.
struct Moved {
    between_claims: Duration,
    took: Duration,
    view: View,
}

/// What the server says of its move.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct View {
    phase: String,
    rows_copied: f64,
    rows_left: Option<f64>,
    paused_ms: Option<f64>,
    error: Option<String>,
}

/// Runs it.
pub(crate) async fn moved(arguments: &Arguments) -> Result<Report> {
    let binary = Server::binary(arguments)?;
    let (open, finished) = (arguments.sizes.move_open, arguments.sizes.move_finished);
    let mut report = Report::new("Moving a store while it is used", EXPLANATION);
    let mut moves = Vec::new();
    for _ in 0..arguments.sizes.rounds {
        moves.push(one(&binary, &arguments.postgres_url, open, finished).await?);
    }
    let each = |figure: &dyn Fn(&Moved) -> f64| moves.iter().map(figure).collect::<Vec<f64>>();
    let what = format!("{open} open and {finished} finished jobs");
    let between = each(&|moved| ms(moved.between_claims));
    report
        .add(format!("{what}: longest time between two claims"), "ms", &[PAUSE_MS], &between)
        .aim(Target::ValueMax(PAUSE_MS));
    let paused = each(&|moved| moved.view.paused_ms.unwrap_or(f64::NAN));
    report.add(format!("{what}: stood still"), "ms", &[PAUSE_MS], &paused).aim(Target::ValueMax(PAUSE_MS));
    let left = each(&|moved| moved.view.rows_left.unwrap_or(f64::NAN));
    report.add(format!("{what}: copied while it stood still"), "rows", &[0.0], &left);
    let took = each(&|moved| moved.took.as_secs_f64());
    report.add(format!("{what}: from the call to its end"), "s", &[0.0], &took);
    let speed = each(&|moved| moved.view.rows_copied / moved.took.as_secs_f64());
    report.add(format!("{what}: copied while it worked"), "rows/s", &[0.0], &speed);
    Ok(report)
}

async fn one(binary: &Path, postgres: &str, open: usize, finished: usize) -> Result<Moved> {
    let (old, new) =
        (Database::create(Kind::Sqlite, postgres).await?, Database::create(Kind::Postgres, postgres).await?);
    let node = Node::open(&old.url).await?;
    enqueue(&node.engine, open).await?;
    node.end().await?;
    run(&old, Kind::Sqlite, &history(finished)).await?;
    let folder = tempfile::tempdir()?;
    let variables = [("DATABASE_URL", old.url.as_str()), ("TRUNKLINE_BOOTSTRAP_KEY", KEY)];
    let server = Server::start(binary, folder.path(), &variables).await?;
    let (stop, claims) = (CancellationToken::new(), Arc::new(Mutex::new(Vec::new())));
    let clients: [JoinHandle<()>; 2] = [
        tokio::spawn(feed(server.address, stop.clone())),
        tokio::spawn(work(server.address, stop.clone(), Arc::clone(&claims))),
    ];
    tokio::time::sleep(Duration::from_secs(1)).await;
    let started_at = Instant::now();
    let view = follow(server.address, &new.url).await?;
    let took = started_at.elapsed();
    tokio::time::sleep(Duration::from_secs(1)).await;
    stop.cancel();
    for client in clients {
        client.await.context("a client")?;
    }
    server.kill().await?;
    old.remove().await?;
    new.remove().await?;
    let claims = claims.lock().map_err(|_| anyhow::anyhow!("a client ended with a panic"))?;
    let during: Vec<Instant> = claims.iter().copied().filter(|&at| at >= started_at).collect();
    ensure!(
        during.last().is_some_and(|&last| last > started_at + took),
        "nothing was claimed after the move"
    );
    let gaps = during.iter().scan(started_at, |before, &at| Some(at - std::mem::replace(before, at)));
    let between_claims = gaps.max().context("nothing was claimed")?;
    Ok(Moved { between_claims, took, view })
}

/// Finished jobs, as completions leave them.
fn history(count: usize) -> String {
    format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
         INSERT INTO job_done (id, position, queue, lane, status, attempt, attempt_base, retries_max, run_at, queued_at, created_at,
           started_at, finished_at, worker_id, attempt_status, tier, data, result)
         SELECT randomblob(16), -i, 1, 1, 'COMPLETED', 1, 0, 3, unixepoch() * 1000, unixepoch() * 1000, unixepoch() * 1000,
           unixepoch() * 1000, unixepoch() * 1000, 'worker' || (i % 50), 'COMPLETED', 1, '{}', '{{\"ok\": true}}' FROM n",
        payload(0)
    )
}

/// Asks the server to move, and waits for the end.
async fn follow(address: SocketAddr, to: &str) -> Result<View> {
    let started_at = Instant::now();
    let body = json!({ "to": to }).to_string();
    Connection::open(address, KEY).await?.send("POST", "/v1/moves", &body).await?;
    loop {
        ensure!(started_at.elapsed() < STUCK_AFTER, "the move does not end");
        tokio::time::sleep(Duration::from_millis(50)).await;
        let Some(answer) = ask(address, &mut None, "GET", "/v1/moves/last", "").await else { continue };
        let view: View = serde_json::from_value(answer)?;
        match view.phase.as_str() {
            "done" => return Ok(view),
            "failed" => anyhow::bail!("the store was not moved: {:?}", view.error),
            _ => {}
        }
    }
}

/// One request on a connection that is made where there is none. Nothing where it is not answered with success: a server that
/// stands still asks to come again.
async fn ask(
    address: SocketAddr,
    connection: &mut Option<Connection>,
    method: &str,
    path: &str,
    body: &str,
) -> Option<Value> {
    if connection.is_none() {
        *connection = Connection::open(address, KEY).await.ok();
    }
    let answer = match connection.as_mut()?.send(method, path, body).await {
        Ok(answer) => serde_json::from_slice(answer).ok(),
        Err(_) => None,
    };
    if answer.is_none() {
        *connection = None;
    }
    answer
}

async fn feed(address: SocketAddr, stop: CancellationToken) {
    let (mut connection, mut ticks) = (None, tokio::time::interval(EVERY));
    let job = format!(r#"{{"jobType":"noop","data":{}}}"#, payload(0));
    let body = format!(r#"{{"jobs":[{}]}}"#, vec![job; JOBS_AT_ONCE].join(","));
    while !stop.is_cancelled() {
        ticks.tick().await;
        ask(address, &mut connection, "POST", "/v1/jobs/batch", &body).await;
    }
}

async fn work(address: SocketAddr, stop: CancellationToken, claims: Arc<Mutex<Vec<Instant>>>) {
    let (mut connection, mut ticks) = (None, tokio::time::interval(EVERY));
    let poll = json!({ "workerId": "load", "jobTypes": ["noop"], "maxJobs": JOBS_AT_ONCE, "wait": "1s" })
        .to_string();
    while !stop.is_cancelled() {
        ticks.tick().await;
        let Some(polled) = ask(address, &mut connection, "POST", "/v1/jobs/poll", &poll).await else {
            continue;
        };
        let jobs = polled["jobs"].as_array().map(Vec::as_slice).unwrap_or_default();
        if jobs.is_empty() {
            continue;
        }
        if let Ok(mut claims) = claims.lock() {
            claims.push(Instant::now());
        }
        let reports: Vec<Value> =
            jobs.iter().map(|job| json!({ "id": job["id"], "leaseToken": job["leaseToken"] })).collect();
        let report = json!({ "jobs": reports }).to_string();
        // A report is sent until it is answered, as SDKs do.
        while ask(address, &mut connection, "POST", "/v1/jobs/complete", &report).await.is_none() {
            if stop.is_cancelled() {
                return;
            }
            tokio::time::sleep(EVERY).await;
        }
    }
}
