//! From enqueue to the start of the handler, under a light and steady load.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use async_trait::async_trait;
use domain::job::Outcome;
use domain::names::JobType;
use domain::queue::QueueName;
use sqlx::Executor;
use sqlx::postgres::{PgListener, PgPool};
use store::jobs::ClaimedJob;
use store::wakeup::Hint;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use worker::{Handler, Handlers};

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs::{new_job, payload};
use crate::measure::percentile;
use crate::node::Node;
use crate::reference::PostgresReference;
use crate::report::Report;

const EXPLANATION: &str = "50 jobs a second on PostgreSQL, each enqueued alone; the time from the call of enqueue to \
    the start of the handler on the same node. Reference: raw SQL of an insert with `NOTIFY` in one transaction, a \
    listener, and a claim of one job. Smaller is better.";

const QUEUE: QueueName = QueueName::Scheduled;
const EVERY: Duration = Duration::from_millis(20);
const WORKERS: usize = 16;
const LATE: Duration = Duration::from_secs(10);

/// When each job was sent and started, in nanoseconds since the first.
struct Times {
    base: Instant,
    sent: Vec<AtomicU64>,
    started: Vec<AtomicU64>,
    left: AtomicU64,
    all_done: CancellationToken,
}

impl Times {
    fn new(count: usize) -> Arc<Self> {
        let zeros = || (0..count).map(|_| AtomicU64::new(0)).collect();
        Arc::new(Self {
            base: Instant::now(),
            sent: zeros(),
            started: zeros(),
            left: AtomicU64::new(count as u64),
            all_done: CancellationToken::new(),
        })
    }

    fn now(&self) -> u64 {
        self.base.elapsed().as_nanos() as u64
    }

    fn send(&self, number: usize) {
        self.sent[number].store(self.now(), Ordering::Release);
    }

    fn start(&self, data: &str) {
        let now = self.now();
        let number =
            serde_json::from_str::<serde_json::Value>(data).ok().and_then(|value| value["number"].as_u64());
        let place = number.and_then(|number| self.started.get(number as usize));
        // A job that is started twice counts with its first start.
        if place
            .is_some_and(|place| place.compare_exchange(0, now, Ordering::AcqRel, Ordering::Relaxed).is_ok())
            && self.left.fetch_sub(1, Ordering::AcqRel) == 1
        {
            self.all_done.cancel();
        }
    }

    async fn milliseconds(&self) -> Result<Vec<f64>> {
        tokio::time::timeout(LATE, self.all_done.cancelled()).await.context("jobs were not started")?;
        let pairs = self.sent.iter().zip(&self.started);
        Ok(pairs
            .map(|(sent, started)| {
                let nanoseconds = started.load(Ordering::Acquire) - sent.load(Ordering::Acquire);
                nanoseconds as f64 / 1_000_000.0
            })
            .collect())
    }
}

#[async_trait]
impl Handler for Times {
    async fn run(&self, job: &ClaimedJob, _stop: CancellationToken) -> Outcome {
        self.start(&job.data);
        Outcome::Completed(None)
    }
}

/// Runs it.
pub(crate) async fn latency(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("From enqueue to start", EXPLANATION);
    let count = (arguments.seconds * 50) as usize;
    let percents = [50.0, 95.0, 99.0];
    let mut runs: [(Vec<f64>, Vec<f64>); 3] = Default::default();
    for _ in 0..arguments.rounds {
        let reference = raw(arguments, count).await?;
        let ours = pool(arguments, count).await?;
        for (run, percent) in runs.iter_mut().zip(percents) {
            run.0.push(percentile(&reference, percent));
            run.1.push(percentile(&ours, percent));
        }
    }
    for ((reference, ours), percent) in runs.iter().zip(percents) {
        report.add(format!("enqueue to start, p{percent}"), "ms", reference, ours);
    }
    Ok(report)
}

async fn pool(arguments: &Arguments, count: usize) -> Result<Vec<f64>> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let times = Times::new(count);
    let mut handlers = Handlers::new();
    handlers.register(JobType::trusted("noop"), Arc::clone(&times) as Arc<_>);
    let pools = node.start_pool(QUEUE, WORKERS, handlers)?;
    let mut ticks = tokio::time::interval(EVERY);
    for number in 0..count {
        ticks.tick().await;
        times.send(number);
        let now = node.engine.now();
        let job = new_job(&node.engine, QUEUE, number, (0, now));
        node.engine.store().enqueue(&[job], now).await?;
        node.engine.wakeup().send(&[Hint::Queue(QUEUE)]);
    }
    let milliseconds = times.milliseconds().await?;
    pools.drain(LATE, CancellationToken::new()).await;
    node.end().await?;
    Ok(milliseconds)
}

async fn raw(arguments: &Arguments, count: usize) -> Result<Vec<f64>> {
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    let times = Times::new(count);
    let worker = listen(&reference.pool, Arc::clone(&times)).await?;
    let mut ticks = tokio::time::interval(EVERY);
    for number in 0..count {
        ticks.tick().await;
        times.send(number);
        let mut transaction = reference.pool.begin().await?;
        sqlx::query(INSERT).bind(payload(number)).execute(&mut *transaction).await?;
        transaction.execute("NOTIFY ref_jobs").await?;
        transaction.commit().await?;
    }
    let milliseconds = times.milliseconds().await?;
    worker.abort();
    // It ends by being cut off, which is what was asked for.
    let _ = worker.await;
    reference.end().await?;
    Ok(milliseconds)
}

const INSERT: &str = "
    INSERT INTO ref_job (queue, priority, state, job_type, tenant, run_at, created_at, attempts, attempts_max, payload)
    VALUES ('default', 0, 'ready', 'noop', 'default', now(), now(), 0, 4, $1::jsonb)";

const CLAIM: &str = "
    UPDATE ref_job SET state = 'processing', attempts = attempts + 1, started_at = now(),
        locked_until = now() + interval '30 s', locked_by = 'reference'
    WHERE id = ANY(ARRAY(
        SELECT id FROM ref_job WHERE queue = 'default' AND state = 'ready'
        ORDER BY priority, run_at, id LIMIT 1 FOR UPDATE SKIP LOCKED))
    RETURNING id, payload::text";

/// A raw worker: waits for a notification, claims, starts, completes.
async fn listen(pool: &PgPool, times: Arc<Times>) -> Result<JoinHandle<Result<()>>> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen("ref_jobs").await?;
    let pool = pool.clone();
    Ok(tokio::spawn(async move {
        loop {
            listener.recv().await?;
            while let Some((id, data)) =
                sqlx::query_as::<_, (i64, String)>(CLAIM).fetch_optional(&pool).await?
            {
                times.start(&data);
                sqlx::query("WITH gone AS (DELETE FROM ref_job WHERE id = $1 RETURNING *) INSERT INTO ref_history SELECT gone.*, now() FROM gone")
                    .bind(id)
                    .execute(&pool)
                    .await?;
            }
        }
    }))
}
