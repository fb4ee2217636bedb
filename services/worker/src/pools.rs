//! All pools of a process: how they start, and how they end without losing a job or an attempt.

use std::error::Error;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use engine::Engine;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::apalis_backend::JobSource;
use crate::apalis_host::Host;
use crate::dispatcher::Dispatcher;
use crate::handlers::Handlers;
use crate::heartbeat::Heartbeat;
use crate::leases::Leases;
use crate::pool::{Pool, PoolOptions, Stops};
use crate::settler::Settler;
use crate::slots::WorkerSlots;

/// How long reports and leases that are given back may take at the very end.
const GIVE_BACK_TIMEOUT: Duration = Duration::from_secs(5);

/// The running pools.
pub struct Pools {
    engine: Engine,
    hosted: Vec<(Arc<Pool>, JobSource)>,
    dispatchers: Vec<JoinHandle<()>>,
    host: Host,
    settler: Settler,
    heartbeat: Heartbeat,
    leases: Arc<Leases>,
    stops: Stops,
}

/// How a drain went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drained {
    /// Whether all handlers returned by themselves.
    pub in_time: bool,
    /// Leases of handlers that could not even be stopped, because they block their thread.
    pub blocked: usize,
}

/// Starts the pools. Must be called within a tokio runtime.
///
/// `heartbeat_engine` makes an engine over store connections of its own; the heartbeat asks for it in its own thread.
/// Fails only if the operating system gives no thread.
pub fn start<F, Fut, E>(
    engine: Engine,
    options: Vec<PoolOptions>,
    handlers: Handlers,
    heartbeat_engine: F,
) -> io::Result<Pools>
where
    F: Fn() -> Fut + Send + 'static,
    Fut: Future<Output = Result<Engine, E>>,
    E: Error + 'static,
{
    let leases = Arc::new(Leases::default());
    let handlers = Arc::new(handlers);
    let stops = Stops::default();
    let (settler, reports) =
        Settler::start(engine.clone(), options.iter().map(|pool| pool.workers).max().unwrap_or(0));
    let mut receivers = Vec::with_capacity(options.len());
    let mut pools = Vec::with_capacity(options.len());
    for options in options {
        let (sender, receiver) = unbounded_channel();
        let pool = Arc::new(Pool {
            slots: WorkerSlots::new(options.workers),
            options,
            engine: engine.clone(),
            handlers: Arc::clone(&handlers),
            leases: Arc::clone(&leases),
            reports: reports.clone(),
            stops: stops.clone(),
        });
        receivers.push((Arc::clone(&pool), sender));
        pools.push((pool, JobSource::new(receiver)));
    }
    // The heartbeat comes before the first claim, so that no lease is ever without it.
    let lease_min =
        pools.iter().map(|(pool, _)| pool.lease_length()).min().unwrap_or(Duration::from_secs(30));
    let heartbeat = Heartbeat::start(Arc::clone(&leases), lease_min, heartbeat_engine)?;
    let host = Host::start(&pools);
    let dispatchers =
        receivers.into_iter().map(|(pool, jobs)| tokio::spawn(Dispatcher::new(pool, jobs).run())).collect();
    Ok(Pools { engine, hosted: pools, dispatchers, host, settler, heartbeat, leases, stops })
}

impl Pools {
    /// Ends the pools. Claims nothing more, lets running handlers end for up to `timeout` (executions are given back
    /// at once), gives back what is still running, without consuming an attempt, and writes all reports.
    /// `hurry` cuts the wait short.
    pub async fn drain(self, timeout: Duration, hurry: CancellationToken) -> Drained {
        self.stops.drain.cancel();
        let in_time = tokio::select! {
            () = finish(self.dispatchers, &self.host, &self.hosted) => true,
            () = tokio::time::sleep(timeout) => false,
            () = hurry.cancelled() => false,
        };
        if !in_time {
            self.stops.give_back.cancel();
            let _ = tokio::time::timeout(GIVE_BACK_TIMEOUT, all_free(&self.hosted)).await;
        }
        // Handlers that block their thread cannot be dropped. Their leases are given back over their heads: what
        // they still report carries a token that is worth nothing.
        let blocked = self.leases.take_all();
        let count = blocked.len();
        if count > 0 {
            let given = tokio::time::timeout(GIVE_BACK_TIMEOUT, self.engine.release(blocked)).await;
            if !matches!(given, Ok(Ok(()))) {
                tracing::warn!(leases = count, "leases could not be released and will expire");
            }
        }
        self.settler.stop().await;
        self.heartbeat.stop().await;
        self.host.stop().await;
        Drained { in_time, blocked: count }
    }
}

/// Lets claims under way come back, gives back what no worker has taken, and waits for the rest.
async fn finish(dispatchers: Vec<JoinHandle<()>>, host: &Host, pools: &[(Arc<Pool>, JobSource)]) {
    for dispatcher in dispatchers {
        if let Err(error) = dispatcher.await {
            tracing::error!(%error, "a dispatcher panicked or was cancelled");
        }
    }
    host.shut_down();
    for (pool, source) in pools {
        while let Some(held) = source.take_waiting() {
            pool.reports.release(held);
        }
    }
    all_free(pools).await;
}

/// Resolves when every job of every pool is settled or given back.
async fn all_free(pools: &[(Arc<Pool>, JobSource)]) {
    for (pool, _) in pools {
        pool.slots.wait_all_free().await;
    }
}
