//! One node in this process: a store, an engine over it, and pools where a scenario wants them.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use domain::limits::QueueLimits;
use domain::names::WorkerId;
use domain::queue::QueueName;
use domain::time::DurationMs;
use engine::{CalibratedClock, Engine, EngineParts, Policy, SystemEntropy};
use settings::QueueSettings;
use sqlx::Executor;
use sqlx::postgres::PgPool;
use store::Store;
use store_sql::{FastPath, Pooler, SqlStore, StoreOptions, Synchronous, TimeSource};
use worker::{Handlers, PoolOptions, Pools};

use crate::database::{Database, Kind, connect};

/// Limits of all three levels that are never reached: they are checked in each claim all the same.
const LIMITS: QueueLimits =
    QueueLimits { global: Some(900_000), tenant: Some(800_000), workflow: Some(700_000) };

/// How many jobs the node pool works on at once when nothing is said.
pub(crate) fn node_slots_by_default() -> usize {
    QueueSettings::of(QueueName::Node).workers as usize
}

/// A store with its engine.
pub(crate) struct Node {
    pub(crate) engine: Engine,
    url: String,
    /// `None` where another node made it.
    database: Option<Database>,
    store: Arc<SqlStore>,
    clock: Arc<CalibratedClock>,
}

impl Node {
    /// Starts on a new database. Commits are durable, limits are on.
    pub(crate) async fn start(kind: Kind, server: &str) -> Result<Self> {
        Self::start_with(kind, server, LIMITS).await
    }

    /// The same with other limits on all queues.
    pub(crate) async fn start_with(kind: Kind, server: &str, limits: QueueLimits) -> Result<Self> {
        let database = Database::create(kind, server).await?;
        let mut node = Self::on(&database.url, limits).await?;
        node.database = Some(database);
        Ok(node)
    }

    /// Starts on a database that somebody else made, and removes.
    pub(crate) async fn open(url: &str) -> Result<Self> {
        Self::on(url, LIMITS).await
    }

    /// Another node on the same database. End it before the first.
    pub(crate) async fn join(&self) -> Result<Self> {
        Self::on(&self.url, LIMITS).await
    }

    async fn on(url: &str, limits: QueueLimits) -> Result<Self> {
        let store = SqlStore::connect(&StoreOptions {
            url: url.to_owned(),
            connections_max: 8,
            synchronous: Synchronous::Full,
            migrate: true,
            pooler: Pooler::Session,
            listen_url: None,
            schema: "public".to_owned(),
            statement_timeout: std::time::Duration::from_secs(10),
            limits: QueueName::ALL.map(|queue| (queue, limits)).to_vec(),
            lease_time: TimeSource::Database,
        })
        .await?;
        // As the server does.
        store.warm_up().await;
        let clock = Arc::new(CalibratedClock::start(store.as_ref()).await?);
        let engine = engine_over(&store, &clock);
        Ok(Self { engine, url: url.to_owned(), database: None, store, clock })
    }

    /// Has its store take the general path instead of a fast one, if one is named.
    pub(crate) fn leave_out(&self, path: Option<FastPath>) {
        if let Some(path) = path {
            self.store.leave_out(path);
        }
    }

    /// Where its database is.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Its store.
    pub(crate) fn store(&self) -> &SqlStore {
        &self.store
    }

    /// The database that it made.
    pub(crate) fn database(&self) -> Result<&Database> {
        self.database.as_ref().context("another node made the database")
    }

    /// Connections for raw SQL to its database on PostgreSQL.
    pub(crate) async fn postgres(&self, connections: u32) -> Result<PgPool> {
        connect(&self.url, connections).await
    }

    /// Cleans up after inserts, as the reference does; nothing on SQLite.
    pub(crate) async fn vacuum(&self) -> Result<()> {
        if self.store.is_postgres() {
            let pool = self.postgres(1).await?;
            pool.execute("VACUUM ANALYZE job").await?;
            pool.close().await;
        }
        Ok(())
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

    /// Ends it and removes its database, if it made one.
    pub(crate) async fn end(self) -> Result<()> {
        self.engine.begin_shutdown();
        self.store.close().await;
        match self.database {
            Some(database) => database.remove().await,
            None => Ok(()),
        }
    }
}

fn engine_over(store: &Arc<SqlStore>, clock: &Arc<CalibratedClock>) -> Engine {
    Engine::new(EngineParts {
        store: Arc::clone(store) as Arc<dyn Store>,
        wakeup: store.wakeup(),
        clock: Arc::clone(clock) as Arc<dyn store::Clock>,
        entropy: Arc::new(SystemEntropy::new()),
        rate_limits: Arc::new(engine::LocalLimits::new()),
        secret_keys: None,
        secret_variable: |_| None,
        outside: engine::Outside::default(),
        policy: Policy::default(),
    })
}
