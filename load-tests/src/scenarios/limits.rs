//! What exact limits and fair turns cost: the engine's claim against a plain one, on the same tables.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::Result;
use domain::id::{JobId, LeaseToken};
use domain::job::{AttemptFacts, Outcome};
use domain::queue::QueueName;
use domain::retry::Backoff;
use engine::Engine;
use sqlx::Row;
use sqlx::postgres::PgPool;
use sqlx::types::Uuid;
use store::jobs::LeaseRef;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs;
use crate::lanes::Lanes;
use crate::node::Node;
use crate::report::{Report, Target};

const EXPLANATION: &str = "Drain on PostgreSQL with jobs spread over lanes (tenants with five workflows each), two \
    claimers on one node or one on each of three, batch 500. Trunkline: limits of the queue, of each tenant and of each workflow on, none \
    of them reached, fair turns between tenants and workflows. Reference: a plain `SKIP LOCKED` claim on the same \
    tables and the same index, without limits and without turns. Both settle through the engine, so that the \
    difference is that of the claims.";

const QUEUE: QueueName = QueueName::Scheduled;
const BATCH: u32 = 500;
const NODES: usize = 3;

const PLAIN: &str = "
    UPDATE job j
    SET state = 'processing', attempt = j.attempt + 1, started_at = $2, lease_ms = 30000, worker_id = 'plain',
        lease_token = gen_random_uuid(), lease_until = $2 + 600000, progress = NULL
    WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM job WHERE queue = $1 AND state = 'queued'
        ORDER BY lane, position LIMIT $3 FOR UPDATE SKIP LOCKED)) AND state = 'queued'
    RETURNING j.id, j.lease_token, j.lane, j.position, j.data, j.attempt, j.retries_max, j.crashes, j.created_at";

/// Runs it.
pub(crate) async fn limits(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("What exact limits cost", EXPLANATION);
    for (lanes, nodes, ratio) in
        [(1, 1, 0.9), (500, 1, 0.85), (arguments.sizes.lanes, 1, 0.7), (500, NODES, 0.65)]
    {
        let (mut reference, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..arguments.sizes.rounds {
            reference.push(plain(arguments, lanes, nodes).await?);
            ours.push(limited(arguments, lanes, nodes).await?);
        }
        let what = format!("drain, {lanes} lane(s), {nodes} claiming node(s), batch {BATCH}");
        report.add(what, "jobs/s", &reference, &ours).aim(Target::RatioMin(ratio));
    }
    Ok(report)
}

async fn filled(arguments: &Arguments, lanes: usize) -> Result<Node> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    jobs::put(&node.engine, QUEUE, arguments.sizes.jobs, Lanes(lanes)).await?;
    node.vacuum().await?;
    Ok(node)
}

/// One node claims with two tasks, each of several with one.
const fn tasks(nodes: usize) -> usize {
    if nodes == 1 { 2 } else { nodes }
}

async fn limited(arguments: &Arguments, lanes: usize, nodes: usize) -> Result<f64> {
    let first = filled(arguments, lanes).await?;
    let mut others = Vec::new();
    for _ in 1..nodes {
        others.push(first.join().await?);
    }
    let engines: Vec<&Engine> = if nodes == 1 {
        vec![&first.engine; tasks(nodes)]
    } else {
        std::iter::once(&first).chain(&others).map(|node| &node.engine).collect()
    };
    let rate = jobs::drain_on(&engines, QUEUE, arguments.sizes.jobs, BATCH).await?;
    drop(engines);
    for node in others {
        node.end().await?;
    }
    first.end().await?;
    Ok(rate)
}

/// Drains with plain claims, with as many tasks.
async fn plain(arguments: &Arguments, lanes: usize, nodes: usize) -> Result<f64> {
    let node = filled(arguments, lanes).await?;
    let (count, tasks) = (arguments.sizes.jobs, tasks(nodes));
    let pool = node.postgres(tasks as u32).await?;
    let done = AtomicUsize::new(0);
    let started_at = Instant::now();
    let claimer = || async {
        loop {
            let reports = claim(&pool, node.engine.now().0).await?;
            if reports.is_empty() {
                return Ok::<_, anyhow::Error>(());
            }
            done.fetch_add(reports.len(), Ordering::Relaxed);
            node.engine.settle(reports).await?;
        }
    };
    futures::future::try_join_all((0..tasks).map(|_| claimer())).await?;
    let rate = count as f64 / started_at.elapsed().as_secs_f64();
    anyhow::ensure!(done.into_inner() == count, "the plain claim lost jobs");
    pool.close().await;
    node.end().await?;
    Ok(rate)
}

async fn claim(pool: &PgPool, now: i64) -> Result<Vec<(LeaseRef, AttemptFacts, Outcome)>> {
    let rows = sqlx::query(PLAIN).bind(QUEUE.code()).bind(now).bind(i64::from(BATCH)).fetch_all(pool).await?;
    let mut reports = Vec::with_capacity(rows.len());
    for row in &rows {
        let (id, token): (Uuid, Uuid) = (row.try_get(0)?, row.try_get(1)?);
        let _: (i32, i64, String) = (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
        let lease = LeaseRef { id: JobId::from_uuid(id), token: LeaseToken(token) };
        let facts = AttemptFacts { attempt: 1, retries_max: 3, crashes: 0, backoff: Backoff::default() };
        reports.push((lease, facts, Outcome::Completed(None)));
    }
    Ok(reports)
}
