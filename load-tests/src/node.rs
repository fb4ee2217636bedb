//! One node in this process: a store, an engine over it, and pools where a scenario wants them.

use std::sync::Arc;

use anyhow::Result;
use domain::limits::QueueLimits;
use domain::names::WorkerId;
use domain::queue::QueueName;
use domain::time::DurationMs;
use engine::{CalibratedClock, Engine, EngineParts, Policy, SystemEntropy};
use store::Store;
use store_sql::{SqlStore, StoreOptions, Synchronous};
use worker::{Handlers, PoolOptions, Pools};

use crate::database::{Database, Kind};

/// Limits of all three levels that are never reached: they are checked in each claim all the same.
const LIMITS: QueueLimits =
    QueueLimits { global: Some(900_000), tenant: Some(800_000), workflow: Some(700_000) };

/// A store with its engine, on a database of its own.
pub(crate) struct Node {
    pub(crate) engine: Engine,
    pub(crate) database: Database,
    store: Arc<SqlStore>,
    clock: Arc<CalibratedClock>,
}

impl Node {
    /// Starts on a new database. Commits are durable, limits are on.
    pub(crate) async fn start(kind: Kind, server: &str) -> Result<Self> {
        let database = Database::create(kind, server).await?;
        let store = SqlStore::connect(&StoreOptions {
            url: database.url.clone(),
            connections_max: 8,
            synchronous: Synchronous::Full,
            migrate: true,
            limits: QueueName::ALL.map(|queue| (queue, LIMITS)).to_vec(),
        })
        .await?;
        let clock = Arc::new(CalibratedClock::start(store.as_ref()).await?);
        let engine = engine_over(&store, &clock);
        Ok(Self { engine, database, store, clock })
    }

    /// Starts one pool.
    pub(crate) fn start_pool(&self, queue: QueueName, workers: usize, handlers: Handlers) -> Result<Pools> {
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        let heartbeat_engine = move || {
            let (store, clock) = (Arc::clone(&store), Arc::clone(&clock));
            async move {
                let companion = store.connect_companion(1).await?;
                Ok::<_, store::StoreError>(engine_over(&companion, &clock))
            }
        };
        let options = PoolOptions {
            queue,
            workers,
            lease: self.engine.policy().queue(queue).lease,
            poll_every: DurationMs(1_000),
            worker_id: WorkerId::trusted("load-tests/pool"),
        };
        Ok(worker::start(self.engine.clone(), vec![options], handlers, heartbeat_engine)?)
    }

    /// Ends it and removes its database.
    pub(crate) async fn end(self) -> Result<()> {
        self.engine.begin_shutdown();
        self.store.close().await;
        self.database.remove().await
    }
}

fn engine_over(store: &Arc<SqlStore>, clock: &Arc<CalibratedClock>) -> Engine {
    Engine::new(EngineParts {
        store: Arc::clone(store) as Arc<dyn Store>,
        wakeup: store.wakeup(),
        clock: Arc::clone(clock) as Arc<dyn store::Clock>,
        entropy: Arc::new(SystemEntropy::new()),
        policy: Policy::default(),
    })
}
