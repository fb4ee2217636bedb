//! Chains of nodes: within their execution, and through the node queue.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use async_trait::async_trait;
use domain::job::Outcome;
use domain::names::JobType;
use domain::queue::QueueName;
use domain::workflow::execution::JOB_TYPE_HTTP;
use sqlx::postgres::PgPool;
use store::jobs::ClaimedJob;
use store_sql::FastPath;
use tokio_util::sync::CancellationToken;
use worker::{Handler, HandlerEnd, Handlers};

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::node::{Node, node_slots_by_default};
use crate::reference::{PostgresReference, rows};
use crate::report::{Report, Target};
use crate::scenarios::executions::{Chain, NODES, work};

const EXPLANATION: &str = "Executions of a chain of four nodes, all waiting before the pool starts, on PostgreSQL; every \
    node's result is stored before the next node runs, and the execution's end with its job. *In place*: TRANSFORM \
    nodes. *Through the node queue*: HTTP nodes, each a job of the node pool, whose handler calls nobody and answers at \
    once. *By polls*: SERVICE_TASK nodes, each a job that one of two workers in this process polls and completes in \
    batches of up to 500. Reference: raw SQL that drains as many jobs as there are nodes, batch 100, two claimers \
    (it computes nothing, and its jobs are all there from the start). Slots are those of the execution pool: so many \
    executions are under way at once. *Beside the same rows*: raw SQL that writes into \
    the engine's own tables what it writes for chains in place, and computes nothing: what the database alone takes.";

/// How many executions are under way at once. More of them make the groups larger in which nodes are committed.
pub(super) const SLOTS: usize = 200;
const MANY_SLOTS: usize = 1_000;
const STUCK_AFTER: Duration = Duration::from_mins(5);
/// How often it is counted what has ended. Each count reads all executions, which takes the database from the work.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Runs it.
pub(crate) async fn workflow(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Chains of nodes", EXPLANATION);
    let mut runs: [Vec<f64>; 6] = Default::default();
    let nodes = arguments.sizes.executions * NODES;
    for _ in 0..arguments.sizes.rounds {
        let raw = PostgresReference::start(&arguments.postgres_url).await?;
        raw.enqueue(nodes).await?;
        raw.vacuum().await?;
        runs[0].push(raw.drain(nodes, 100).await?);
        raw.end().await?;
        runs[1].push(chains(arguments, Chain::InPlace, SLOTS, None).await?);
        runs[2].push(chains(arguments, Chain::Queued, SLOTS, None).await?);
        runs[3].push(rows_in_place(arguments).await?);
        runs[4].push(chains(arguments, Chain::Pooled, SLOTS, None).await?);
        runs[5].push(chains(arguments, Chain::Pooled, MANY_SLOTS, None).await?);
    }
    let [raw, in_place, polled, rows, queued, queued_many] = &runs;
    let what = format!("{NODES}-node chain in place, {SLOTS} slots");
    report.add(what, "nodes/s", raw, in_place).aim(Target::ValueMin(20_000.0));
    let what = format!("{NODES}-node chain through the node queue, {SLOTS} slots");
    report.add(what, "nodes/s", raw, queued).aim(Target::ValueMin(8_000.0));
    let what = format!("{NODES}-node chain through the node queue, {MANY_SLOTS} slots");
    report.add(what, "nodes/s", raw, queued_many).aim(Target::RatioMin(0.4));
    let what = format!("{NODES}-node chain through the node queue, by polls, {SLOTS} slots");
    report.add(what, "nodes/s", raw, polled);
    let what = format!("{NODES}-node chain in place, beside raw SQL that writes the same rows");
    report.add(what, "nodes/s", rows, in_place);
    Ok(report)
}

/// The rows of chains in place, written by raw SQL.
async fn rows_in_place(arguments: &Arguments) -> Result<f64> {
    let count = arguments.sizes.executions;
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    Chain::InPlace.register(&node.engine).await?;
    Chain::InPlace.start(&node.engine, count).await?;
    let pool = node.postgres(2).await?;
    let ended = rows::end_waiting(&pool, count).await?;
    pool.close().await;
    node.end().await?;
    Ok(ended * NODES as f64)
}

/// Nodes a second of executions that wait before the pool starts. The store may leave a fast path out.
pub(super) async fn chains(
    arguments: &Arguments,
    chain: Chain,
    slots: usize,
    without: Option<FastPath>,
) -> Result<f64> {
    let count = arguments.sizes.executions;
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    node.leave_out(without);
    chain.register(&node.engine).await?;
    chain.start(&node.engine, count).await?;
    let observer = node.postgres(1).await?;
    let stop = CancellationToken::new();
    let workers: Vec<_> = match chain {
        Chain::InPlace | Chain::Pooled => Vec::new(),
        Chain::Queued => {
            (0..2).map(|number| tokio::spawn(work(node.engine.clone(), number, stop.clone()))).collect()
        }
    };
    let (started_at, begun_at) = (Instant::now(), node.engine.now());
    let pools = node.start_pool(QueueName::Execution, slots, Handlers::new())?;
    let node_pools = match chain {
        Chain::InPlace | Chain::Queued => None,
        Chain::Pooled => Some(node.start_pool(QueueName::Node, node_slots_by_default(), steps())?),
    };
    let mut pause = tokio::time::interval(LOOK_EVERY);
    while completed(&observer).await? < count {
        ensure!(started_at.elapsed() < STUCK_AFTER, "the workflows are stuck");
        ensure!(!workers.iter().any(tokio::task::JoinHandle::is_finished), "a worker ended early");
        pause.tick().await;
    }
    let elapsed_ms = last_end(&observer).await? - begun_at.0;
    stop.cancel();
    for worker in workers {
        worker.await??;
    }
    for pools in [Some(pools), node_pools].into_iter().flatten() {
        pools.drain(STUCK_AFTER, CancellationToken::new()).await;
    }
    observer.close().await;
    node.end().await?;
    Ok((count * NODES) as f64 / (elapsed_ms.max(1) as f64 / 1_000.0))
}

/// Nodes that end at once.
struct Step;

#[async_trait]
impl Handler for Step {
    async fn run(&self, _job: &ClaimedJob, _stop: CancellationToken) -> HandlerEnd {
        Outcome::Completed(Some(r#"{"n":1}"#.to_owned())).into()
    }
}

fn steps() -> Handlers {
    let mut handlers = Handlers::new();
    handlers.register(JobType::trusted(JOB_TYPE_HTTP), Arc::new(Step));
    handlers
}

/// When the last execution ended, in milliseconds.
async fn last_end(observer: &PgPool) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT max(completed_at) FROM execution").fetch_one(observer).await?)
}

/// Executions whose job is done.
async fn completed(observer: &PgPool) -> Result<usize> {
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM execution WHERE status = 'COMPLETED'")
        .fetch_one(observer)
        .await?;
    Ok(count as usize)
}
