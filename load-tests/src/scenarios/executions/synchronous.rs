//! Runs that somebody waits for.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use domain::names::WorkflowName;
use domain::queue::QueueName;
use domain::time::DurationMs;
use domain::workflow::execution::ExecutionStatus;
use domain::workflow::parse::Format;
use engine::{Caller, ExecutionRequest};
use serde_json::json;
use sqlx::postgres::PgListener;
use store_sql::FastPath;
use tokio_util::sync::CancellationToken;
use worker::Handlers;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::measure::ms;
use crate::node::Node;
use crate::reference::{PostgresReference, notify};

const WORKERS: usize = 16;
const PAUSE: Duration = Duration::from_millis(5);
const LATE: Duration = Duration::from_secs(10);
/// So many runs at the beginning do not count: a statement is planned where a connection uses it for the first time.
const FIRSTS: usize = 50;

const fn count(arguments: &Arguments) -> usize {
    (arguments.sizes.seconds * 50) as usize
}

/// Milliseconds of each run through the engine, whose store may leave a fast path out.
pub(crate) async fn engine(arguments: &Arguments, without: Option<FastPath>) -> Result<Vec<f64>> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    node.leave_out(without);
    let caller = Caller::system();
    let one = json!({
        "name": "one", "version": 1,
        "nodes": [{ "id": "a", "type": "TRANSFORM", "output": { "n": "${input.n}" } }]
    });
    node.engine.register_workflow(&caller, one.to_string().as_bytes(), Format::Json).await?;
    let pools = node.start_pool(QueueName::Execution, WORKERS, Handlers::new())?;
    let mut times = Vec::new();
    for number in 0..FIRSTS + count(arguments) {
        tokio::time::sleep(PAUSE).await;
        let started_at = Instant::now();
        let request = ExecutionRequest::new(WorkflowName::trusted("one"), format!(r#"{{"n":{number}}}"#));
        let (_, started) = node.engine.start_awaited(&caller, request).await?;
        let ended = node.engine.wait_started(&caller, started, DurationMs(LATE.as_millis() as i64)).await?;
        times.extend((number >= FIRSTS).then(|| ms(started_at.elapsed())));
        ensure!(ended.status == ExecutionStatus::Completed, "a run ended as {:?}", ended.status);
    }
    pools.drain(LATE, CancellationToken::new()).await;
    node.end().await?;
    Ok(times)
}

/// Milliseconds of each round trip in raw SQL.
pub(super) async fn raw(arguments: &Arguments) -> Result<Vec<f64>> {
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    let worker = notify::listen(&reference.pool, |_| ()).await?;
    let mut ended = PgListener::connect_with(&reference.pool).await?;
    ended.listen("ref_ended").await?;
    let mut times = Vec::new();
    for number in 0..FIRSTS + count(arguments) {
        tokio::time::sleep(PAUSE).await;
        let started_at = Instant::now();
        notify::send_notified(&reference.pool, number).await?;
        tokio::time::timeout(LATE, ended.recv()).await.context("a round trip did not end")??;
        times.extend((number >= FIRSTS).then(|| ms(started_at.elapsed())));
    }
    worker.abort();
    // It ends by being cut off, which is what was asked for.
    let _ = worker.await;
    drop(ended);
    reference.end().await?;
    Ok(times)
}
