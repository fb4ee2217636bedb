//! apalis-postgres. Fast: batches of 500, handlers in tasks of their own, no lock for each task, LISTEN/NOTIFY. It
//! keeps jobs that are done.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use apalis::prelude::*;
use apalis_postgres::{Config, PostgresStorage};
use async_trait::async_trait;
use measure::{Arguments, BULK, Handled, Mode, Payload, Queue, payload};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::task::JoinHandle;

const QUEUE: &str = "noop";

/// The peer on its database.
pub(crate) struct ApalisPostgres {
    pool: PgPool,
    mode: Mode,
    worker: Option<(WorkerContext, JoinHandle<()>)>,
    workers: usize,
}

impl ApalisPostgres {
    /// Makes its tables.
    pub(crate) async fn open(arguments: &Arguments) -> Result<Self> {
        let pool = PgPoolOptions::new().max_connections(30).connect(&arguments.database_url).await?;
        PostgresStorage::setup(&pool).await?;
        Ok(Self { pool, mode: arguments.mode, worker: None, workers: 0 })
    }
}

async fn noop(job: Payload, handled: Data<Arc<Handled>>) -> Result<(), BoxDynError> {
    handled.start(job.number);
    Ok(())
}

fn task(number: usize) -> Result<apalis_postgres::PgTask> {
    Ok(TaskBuilder::new(serde_json::to_vec(&payload(number))?).build())
}

#[async_trait]
impl Queue for ApalisPostgres {
    async fn enqueue(&self, count: usize) -> Result<()> {
        let mut connection = self.pool.acquire().await?;
        for start in (0..count).step_by(BULK) {
            let tasks: Result<Vec<_>> = (start..count.min(start + BULK)).map(task).collect();
            apalis_postgres::queries::push_tasks(&mut *connection, QUEUE, tasks?).await?;
        }
        Ok(())
    }

    async fn enqueue_one(&self, number: usize) -> Result<()> {
        let mut connection = self.pool.acquire().await?;
        Ok(apalis_postgres::queries::push_tasks(&mut *connection, QUEUE, vec![task(number)?]).await?)
    }

    async fn start(&mut self, handled: Arc<Handled>) -> Result<()> {
        self.workers += 1;
        let name = format!("worker-{}", self.workers);
        let context = WorkerContext::new(&name);
        let kept = context.clone();
        let storage = PostgresStorage::<Payload>::new(&self.pool);
        let runtime = tokio::runtime::Handle::current();
        // In a thread of its own, because the future of a worker cannot be moved between threads.
        let running = match self.mode {
            Mode::Fast => tokio::task::spawn_blocking(move || {
                let config = Config::default().queue(QUEUE).batch_size(500).lock_tasks(false);
                let backend =
                    storage.with_config(config).with_pubsub().poll_with_interval(Duration::from_millis(100));
                let worker = WorkerBuilder::new(&context)
                    .backend(backend)
                    .data(handled)
                    .parallelize(tokio::spawn)
                    .build(noop);
                report(runtime.block_on(worker.run()));
            }),
            Mode::Defaults => tokio::task::spawn_blocking(move || {
                let config = Config::default().queue(QUEUE);
                let backend = storage.with_config(config).poll_with_interval(Duration::from_millis(100));
                let worker = WorkerBuilder::new(&context).backend(backend).data(handled).build(noop);
                report(runtime.block_on(worker.run()));
            }),
        };
        self.worker = Some((kept, running));
        Ok(())
    }

    async fn stop(&mut self) -> Result<()> {
        if let Some((context, running)) = self.worker.take() {
            context.stop().context("the worker does not stop")?;
            // What it still does is of no interest once the figures are taken.
            let ended = tokio::time::timeout(Duration::from_secs(5), running).await;
            drop(ended);
        }
        Ok(())
    }

    async fn unfinished(&self) -> Result<usize> {
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM apalis.jobs WHERE status <> 'Done'")
            .fetch_one(&self.pool)
            .await?;
        Ok(count as usize)
    }

    async fn close(&self) {
        // A worker that did not end in time holds connections; what they have to report is lost then.
        let closed = tokio::time::timeout(Duration::from_secs(5), self.pool.close()).await;
        drop(closed);
    }
}

fn report<E: std::fmt::Display>(ended: std::result::Result<(), E>) {
    if let Err(error) = ended {
        eprintln!("the worker ended: {error}");
    }
}
