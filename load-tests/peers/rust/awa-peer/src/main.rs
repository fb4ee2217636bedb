//! awa on PostgreSQL. Fast: 512 workers, no deadline (its compact receipts), poll every 50 ms, COPY; as in its own
//! benchmarks. It keeps jobs that are done.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use async_trait::async_trait;
use awa::{
    Client, InsertOpts, JobContext, JobError, JobResult, QueueConfig, QueueStorage, QueueStorageConfig,
    Worker, insert_with, migrations,
};
use clap::Parser as _;
use measure::{Arguments, Handled, Mode, Queue, payload};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

const QUEUE: &str = "noop";
/// How many jobs one COPY takes, as in its own benchmarks.
const COPY: usize = 5_000;

/// The payload of a job, under the name that the derive makes its kind of.
#[derive(Debug, Clone, Serialize, Deserialize, awa::JobArgs)]
struct Noop {
    number: usize,
    customer: String,
    address: String,
    amount: f64,
    ok: bool,
}

fn noop(number: usize) -> Noop {
    let measure::Payload { number, customer, address, amount, ok } = payload(number);
    Noop { number, customer, address, amount, ok }
}

struct NoopWorker(Arc<Handled>);

#[async_trait]
impl Worker for NoopWorker {
    fn kind(&self) -> &'static str {
        "noop"
    }

    async fn perform(&self, context: &JobContext) -> Result<JobResult, JobError> {
        let number = context.job.args["number"].as_u64().unwrap_or(u64::MAX);
        self.0.start(number as usize);
        Ok(JobResult::Completed)
    }
}

struct Awa {
    pool: PgPool,
    store: QueueStorage,
    mode: Mode,
    client: Option<Client>,
}

impl Awa {
    fn config(&self) -> QueueConfig {
        match self.mode {
            Mode::Fast => QueueConfig {
                max_workers: 512,
                poll_interval: Duration::from_millis(50),
                deadline_duration: Duration::ZERO,
                ..QueueConfig::default()
            },
            Mode::Defaults => QueueConfig::default(),
        }
    }
}

fn options() -> InsertOpts {
    InsertOpts { queue: QUEUE.to_owned(), ..InsertOpts::default() }
}

#[async_trait]
impl Queue for Awa {
    async fn enqueue(&self, count: usize) -> Result<()> {
        for start in (0..count).step_by(COPY) {
            let numbers = start..count.min(start + COPY);
            let jobs: Result<Vec<_>, _> =
                numbers.map(|number| awa::model::insert::params_with(&noop(number), options())).collect();
            self.store.enqueue_params_copy(&self.pool, &jobs?).await?;
        }
        Ok(())
    }

    async fn enqueue_one(&self, number: usize) -> Result<()> {
        insert_with(&self.pool, &noop(number), options()).await?;
        Ok(())
    }

    async fn start(&mut self, handled: Arc<Handled>) -> Result<()> {
        let client = Client::builder(self.pool.clone())
            .queue(QUEUE, self.config())
            .register_worker(NoopWorker(handled))
            .build()?;
        client.start().await?;
        self.client = Some(client);
        Ok(())
    }

    async fn stop(&mut self) -> Result<()> {
        if let Some(client) = self.client.take() {
            client.shutdown(Duration::from_secs(10)).await;
        }
        Ok(())
    }

    async fn unfinished(&self) -> Result<usize> {
        let counts = self.store.queue_counts(&self.pool, QUEUE).await?;
        Ok((counts.available + counts.running).max(0) as usize)
    }

    async fn close(&self) {
        self.pool.close().await;
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let pool = PgPoolOptions::new().max_connections(30).connect(&arguments.database_url).await?;
    migrations::run(&pool).await?;
    let store = QueueStorage::new(QueueStorageConfig::default())?;
    store.install(&pool).await?;
    let schema = QueueStorage::active_schema(&pool).await?;
    schema.context("the queue-storage engine of awa is not active")?;
    let mut peer = Awa { pool, store, mode: arguments.mode, client: None };
    measure::run("awa", "0.6.9", &arguments, &mut peer).await
}
