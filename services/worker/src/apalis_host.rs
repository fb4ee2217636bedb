//! The wiring of apalis: one monitor, and in it one worker for each pool.
//!
//! The stack of a worker is, from outside: its concurrency, a task for each job (so that jobs run on all threads),
//! and the catching of panics, without which one bad job takes its siblings along.

use std::convert::Infallible;
use std::sync::Arc;

use apalis::layers::WorkerBuilderExt;
use apalis_core::monitor::Monitor;
use apalis_core::monitor::context::MonitorContext;
use apalis_core::worker::builder::WorkerBuilder;
use apalis_core::worker::ext::parallelize::ParallelizeExt;
use tokio::task::JoinHandle;

use crate::apalis_backend::JobSource;
use crate::pool::Pool;
use crate::runner;
use crate::slots::HeldJob;

/// The running workers.
pub(crate) struct Host {
    monitor: JoinHandle<()>,
    context: MonitorContext,
}

impl Host {
    /// Starts a worker for each pool.
    pub(crate) fn start(pools: &[(Arc<Pool>, JobSource)]) -> Self {
        let mut monitor = Monitor::new();
        for (pool, source) in pools {
            let (pool, source) = (Arc::clone(pool), source.clone());
            monitor = monitor.register(move |_| {
                let pool = Arc::clone(&pool);
                WorkerBuilder::new(pool.queue().as_str())
                    .backend(source.clone())
                    .concurrency(pool.options.workers.max(1))
                    .parallelize(tokio::spawn)
                    .catch_panic()
                    .build(move |held: HeldJob| {
                        let pool = Arc::clone(&pool);
                        async move {
                            runner::run(pool, held).await;
                            Ok::<(), Infallible>(())
                        }
                    })
            });
        }
        let monitor = monitor.should_restart(|worker, error| {
            tracing::error!(worker = worker.name(), %error, "a worker failed; it is restarted");
            !worker.is_shutting_down()
        });
        let context = monitor.context();
        let monitor = tokio::spawn(async move {
            if let Err(error) = monitor.run().await {
                tracing::error!(%error, "the workers stopped with an error");
            }
        });
        Self { monitor, context }
    }

    /// Takes no more jobs from the sources. Running ones go on.
    pub(crate) fn shut_down(&self) {
        if let Err(error) = self.context.shutdown() {
            tracing::error!(%error, "the workers cannot be shut down");
        }
    }

    /// Ends the workers, and with them the waits for jobs that cannot be stopped.
    pub(crate) async fn stop(self) {
        self.monitor.abort();
        let _ = self.monitor.await;
    }
}
