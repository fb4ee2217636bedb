//! The store: its connections, what it remembers, and the port's trait as a whole.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use domain::lease_watch::Watched;
use domain::limits::{QueueLimits, default_limits};
use domain::queue::QueueName;
use domain::time::Timestamp;
use parking_lot::Mutex;
use sqlx::postgres::PgConnectOptions;
use store::batches::BatchEntry;
use store::wakeup::Wakeup;
use store::{Store, StoreError, StoreResult};
use uuid::Uuid;

use crate::connect::Opening;
use crate::dialect::Dialect;
use crate::fast_paths::FastPath;
use crate::link::OnLost;
use crate::memory::Memory;
use crate::nodes::Session as NodeSession;
use crate::options::{ListOptions, LockFile, StoreOptions, TimeSource, unavailable};
use crate::pool::Pool;
use crate::queues::TenantFigures;
use crate::rows::Row;
use crate::schema_name::Database;
use crate::sealing::Sealer;
use crate::sql::Sql;
use crate::wakeup::{LocalWakeup, Place, PostgresWakeup};

/// The storage port on SQLite or PostgreSQL.
pub struct SqlStore {
    pool: Pool,
    database: Database,
    opening: Opening,
    settings: Vec<(QueueName, QueueLimits)>,
    lease_time: TimeSource,
    tenant_figures: TenantFigures,
    memory: Arc<Memory>,
    sealer: Arc<Sealer>,
    wakeup: Arc<dyn Wakeup>,
    listener: Option<Arc<PostgresWakeup>>,
    lock: Option<Arc<LockFile>>,
    /// By which the database knows that this process lives.
    node: Mutex<Option<NodeSession>>,
}

impl SqlStore {
    /// Opens a database, makes it if it is a SQLite file that is not there, and applies pending migrations if asked
    /// to. Fails with [`StoreError::Locked`] if another process holds the file.
    pub async fn connect(options: &StoreOptions) -> StoreResult<Arc<Self>> {
        Self::connect_with(options, ListOptions::default()).await
    }

    /// The same, with other connections for lists than the usual.
    pub async fn connect_with(options: &StoreOptions, lists: ListOptions) -> StoreResult<Arc<Self>> {
        let mut database = Database::parse(&options.url, &options.schema)?;
        let lock = match &database {
            Database::SqliteFile(path) => Some(Arc::new(lock(path)?)),
            _ => None,
        };
        database.look_at_connections(options.pooler).await?;
        crate::schema_name::check(&database).await?;
        if options.migrate {
            crate::moves::check_state(&database).await?;
            crate::migrate::postgres(&database).await?;
        }
        let memory = Arc::new(Memory::default());
        let opening = Opening {
            connections_max: options.connections_max,
            synchronous: options.synchronous,
            migrate: options.migrate,
            statement_within: options.statement_timeout,
            on_lost: on_lost(&memory),
            lists,
        };
        let pool = database.open(&opening).await?;
        let (listener, wakeup): (_, Arc<dyn Wakeup>) = match &database {
            Database::Postgres { options: connect, is_shared, .. } => {
                let place = Place::of(connect, *is_shared, options.listen_url.as_deref()).await?;
                let listener = PostgresWakeup::start(place, &memory);
                (Some(Arc::clone(&listener)), listener)
            }
            _ => (None, Arc::new(LocalWakeup::new())),
        };
        Ok(Arc::new(Self {
            pool,
            database,
            opening,
            settings: options.limits.clone(),
            lease_time: options.lease_time,
            tenant_figures: TenantFigures::default(),
            memory,
            sealer: Arc::default(),
            wakeup,
            listener,
            lock,
            node: Mutex::default(),
        }))
    }

    /// A second store on the same database with connections of its own, to be made inside the runtime that uses it
    /// (for the lease heartbeat, which must not wait behind other calls). A database in memory has one connection,
    /// which both share.
    pub async fn connect_companion(&self, connections: u32) -> StoreResult<Arc<Self>> {
        let opening = Opening { connections_max: connections, migrate: false, ..self.opening.clone() };
        let pool = match &self.database {
            Database::SqliteMemory => self.pool.clone(),
            database => database.open(&opening).await?.counted_with(&self.pool),
        };
        Ok(Arc::new(self.companion(pool, opening)))
    }

    /// The same store, whose transactions mark an entry of a batch as changed.
    pub(crate) fn with_entry(&self, entry: BatchEntry) -> Self {
        self.companion(self.pool.with_entry(entry), self.opening.clone())
    }

    /// The same store for a task that may outlive the call that starts it.
    pub(crate) fn detached(&self) -> Self {
        self.companion(self.pool.clone(), self.opening.clone())
    }

    /// The same store over another pool.
    fn companion(&self, pool: Pool, opening: Opening) -> Self {
        Self {
            pool,
            database: self.database.clone(),
            opening,
            settings: self.settings.clone(),
            lease_time: self.lease_time,
            tenant_figures: self.tenant_figures.clone(),
            memory: Arc::clone(&self.memory),
            sealer: Arc::clone(&self.sealer),
            wakeup: Arc::clone(&self.wakeup),
            // It ends with the first store, not with its companions.
            listener: None,
            lock: self.lock.clone(),
            node: Mutex::default(),
        }
    }

    /// Sends and receives hints on this database.
    pub fn wakeup(&self) -> Arc<dyn Wakeup> {
        Arc::clone(&self.wakeup)
    }

    /// Whether several nodes can share the database.
    pub fn is_postgres(&self) -> bool {
        self.dialect() == Dialect::Postgres
    }

    /// How many connections to the database are open: those that lie idle, and those that are in use.
    pub fn connections(&self) -> (usize, usize) {
        self.pool.connections()
    }

    /// What its address stands for.
    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// How its connections are opened.
    pub(crate) fn opening(&self) -> &Opening {
        &self.opening
    }

    /// What keeps other processes from the file.
    pub(crate) fn lock(&self) -> Option<Arc<LockFile>> {
        self.lock.clone()
    }

    /// Fails where no server may run on this store: it was moved, it is being filled, or its processes speak a protocol that
    /// this version does not.
    pub async fn require_serving(&self) -> StoreResult<()> {
        crate::moves::check_opened(&self.pool).await
    }

    /// The connections.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The database's dialect.
    pub(crate) fn dialect(&self) -> Dialect {
        self.pool.dialect()
    }

    /// How PostgreSQL is reached without a pooler that lends connections out by transaction, where it is.
    pub(crate) fn direct_options(&self) -> Option<PgConnectOptions> {
        self.listener.as_ref().and_then(|listener| listener.direct_options())
    }

    /// This process, where it has a session.
    pub(crate) fn own_node(&self) -> Option<Uuid> {
        self.node.lock().as_ref().map(NodeSession::node)
    }

    /// Keeps the session of this process until the store is closed.
    pub(crate) fn keep_node(&self, session: NodeSession) {
        *self.node.lock() = Some(session);
    }

    /// What was counted for tenants.
    pub(crate) fn tenant_figures(&self) -> &TenantFigures {
        &self.tenant_figures
    }

    /// What is remembered of lanes, rings, limits and tenants.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// From now on takes the general path instead of this one. Nothing differs but the time that it takes.
    pub fn leave_out(&self, path: FastPath) {
        self.memory.left_out.add(path);
    }

    /// The keys of payloads.
    pub(crate) fn sealer(&self) -> &Sealer {
        &self.sealer
    }

    /// The file of the database, where it is one of SQLite.
    pub(crate) fn sqlite_file(&self) -> Option<&Path> {
        match &self.database {
            Database::SqliteFile(path) => Some(path),
            _ => None,
        }
    }

    /// What `{now}` of a statement about leases is bound to, for a call at this instant.
    pub(crate) fn lease_now(&self, now: Timestamp) -> Option<i64> {
        (self.lease_time == TimeSource::Caller).then_some(now.0)
    }

    /// What a reading of the clock that leases are judged by says, which was asked for then and answered now.
    pub(crate) fn watch_lease_time(&self, asked_at: Instant, clock: Timestamp) -> Watched {
        match self.lease_time {
            TimeSource::Database => self.memory.clock.observe(asked_at, clock),
            TimeSource::Caller => Watched::Steady,
        }
    }

    /// The limits of a queue as the settings give them.
    pub(crate) fn settings_of(&self, queue: QueueName) -> QueueLimits {
        let set = self.settings.iter().find(|(named, _)| *named == queue);
        set.map_or_else(|| default_limits(queue), |(_, limits)| *limits)
    }
}

impl std::fmt::Debug for SqlStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqlStore").field("dialect", &self.dialect()).finish_non_exhaustive()
    }
}

/// What is remembered of a store may not be so any more after a connection to it was lost: it may be another server that
/// answers next, which has not all that the first one had.
fn on_lost(memory: &Arc<Memory>) -> OnLost {
    let memory = Arc::downgrade(memory);
    Arc::new(move || {
        if let Some(memory) = memory.upgrade() {
            memory.forget();
        }
    })
}

/// Takes the lock of a file, and makes its directory if it is not there.
pub(crate) fn lock(path: &Path) -> StoreResult<LockFile> {
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        std::fs::create_dir_all(directory).map_err(unavailable)?;
    }
    LockFile::take(path)
}

static PING: Sql = Sql::new("ping", "SELECT 1 AS one");

/// One is computed while another is flushed; more of them only make the groups smaller.
const WRITES_AT_ONCE: usize = 2;

// The machine's clock is read by SQLite itself, so that both databases answer through a statement.
static NOW: Sql = Sql::new(
    "database_now",
    "SELECT {postgres:(extract(epoch FROM clock_timestamp()) * 1000)::bigint}{sqlite:CAST(unixepoch('subsec') * 1000 AS integer)} AS now_ms",
);

#[async_trait]
impl Store for SqlStore {
    async fn ping(&self) -> StoreResult<()> {
        PING.first(self.pool.read(), vec![]).await.map(|_| ())
    }

    async fn database_now(&self) -> StoreResult<Timestamp> {
        let row = NOW.first(self.pool.read(), vec![]).await?;
        let row =
            row.ok_or_else(|| StoreError::Corrupt { table: "clock", column: "now_ms", row: String::new() })?;
        Row::new("clock", &row).instant("now_ms")
    }

    fn starts_eagerly(&self) -> bool {
        self.dialect() == Dialect::Postgres
    }

    fn writes_at_once(&self) -> usize {
        match self.dialect() {
            Dialect::Postgres => WRITES_AT_ONCE,
            Dialect::Sqlite => 1,
        }
    }

    fn bound_to(&self, entry: BatchEntry) -> Arc<dyn Store> {
        Arc::new(self.with_entry(entry))
    }

    async fn close(&self) {
        if let Some(listener) = &self.listener {
            listener.stop();
        }
        drop(self.node.lock().take());
        self.pool.close().await;
    }
}
