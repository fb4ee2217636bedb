//! Fresh databases for tests: one for each call, so that tests can run side by side.
//!
//! PostgreSQL is found in `TRUNKLINE_TEST_POSTGRES_URL` (`scripts/with-postgres.sh` sets it). A test that asks for it
//! where it is not set fails: a suite that skips one of the two databases proves nothing about it.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use domain::id::ExecutionId;
use domain::limits::QueueLimits;
use domain::queue::QueueName;
use sqlx::{Connection as _, Executor as _, PgConnection};
use store::{Store as _, StoreResult};
use store_sql::{ListOptions, Pooler, SqlStore, StoreOptions, Synchronous, TimeSource};
use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::done;
use crate::engine::eventually;

/// The variable with the address of a PostgreSQL server whose role may create databases.
pub const POSTGRES_URL_VARIABLE: &str = "TRUNKLINE_TEST_POSTGRES_URL";

/// A store on a database of its own. Derefs to the store.
#[derive(Debug)]
pub struct TestStore {
    /// The store.
    pub store: Arc<SqlStore>,
    /// The database's URL, to open it again.
    pub url: String,
    // Removed with its content when the test ends.
    _directory: Option<TempDir>,
}

impl Deref for TestStore {
    type Target = SqlStore;

    fn deref(&self) -> &SqlStore {
        &self.store
    }
}

impl TestStore {
    /// Another store on the same database, as another node would have it. PostgreSQL only: a SQLite database has one
    /// owner.
    pub async fn another(&self) -> Arc<SqlStore> {
        patient(&options(&self.url, &[])).await.expect("the database is there")
    }
}

/// The options of a test store.
pub fn options(url: &str, limits: &[(QueueName, QueueLimits)]) -> StoreOptions {
    StoreOptions {
        url: url.to_owned(),
        connections_max: 8,
        // A power failure is no part of these tests, and waiting for the disk in each commit is.
        synchronous: Synchronous::Normal,
        migrate: true,
        pooler: Pooler::Auto,
        listen_url: None,
        schema: "public".to_owned(),
        statement_timeout: Duration::from_secs(10),
        limits: limits.to_vec(),
        // Tests own their time.
        lease_time: TimeSource::Caller,
    }
}

/// Opens a store whose lists have as long as a machine may need that does other things as well.
pub(crate) async fn patient(options: &StoreOptions) -> StoreResult<Arc<SqlStore>> {
    let lists = ListOptions { timeout: Duration::from_mins(1), ..ListOptions::default() };
    SqlStore::connect_with(options, lists).await
}

/// Has a database migrated, without a store on it afterwards.
pub async fn migrated(url: &str) {
    SqlStore::connect(&options(url, &[])).await.expect("a new database can be migrated").close().await;
}

/// A store on a new SQLite file.
pub async fn sqlite_file() -> TestStore {
    sqlite_file_with(&[]).await
}

/// A store on a new SQLite file with these limits in its settings.
pub async fn sqlite_file_with(limits: &[(QueueName, QueueLimits)]) -> TestStore {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let file = directory.path().join("trunkline.db");
    std::fs::write(&file, migrated_file().await).expect("the temporary directory can be written");
    let url = format!("sqlite://{}", file.display());
    let store = patient(&options(&url, limits)).await.expect("a new file can be opened");
    TestStore { store, url, _directory: Some(directory) }
}

/// What is in a SQLite file with all tables: a copy takes a tenth of the time of the migrations.
async fn migrated_file() -> &'static [u8] {
    static MIGRATED: OnceCell<Vec<u8>> = OnceCell::const_new();
    let migrated = MIGRATED.get_or_init(|| async {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let file = directory.path().join("trunkline.db");
        // What is in its log is in the file when it is closed.
        migrated(&format!("sqlite://{}", file.display())).await;
        std::fs::read(&file).expect("the file is there")
    });
    migrated.await
}

/// A store on a new SQLite database in memory.
pub async fn sqlite_memory() -> TestStore {
    sqlite_memory_with(&[]).await
}

/// A store on a new SQLite database in memory with these limits in its settings.
pub async fn sqlite_memory_with(limits: &[(QueueName, QueueLimits)]) -> TestStore {
    let url = "sqlite::memory:".to_owned();
    let store = patient(&options(&url, limits)).await.expect("memory can be opened");
    TestStore { store, url, _directory: None }
}

/// A store on a new PostgreSQL database.
pub async fn postgres() -> TestStore {
    postgres_with(&[]).await
}

/// A store on a new PostgreSQL database with these limits in its settings.
pub async fn postgres_with(limits: &[(QueueName, QueueLimits)]) -> TestStore {
    let url = migrated_database().await;
    let store = patient(&options(&url, limits)).await.expect("a new database can be opened");
    TestStore { store, url, _directory: None }
}

/// Makes a PostgreSQL database with all tables: a copy of one that was migrated, which takes a tenth of the time.
pub(crate) async fn migrated_database() -> String {
    static MIGRATED: OnceCell<String> = OnceCell::const_new();
    let migrated = MIGRATED.get_or_init(|| async {
        // The whole process uses it, not this test alone.
        let url = new_database("").await;
        drop(SqlStore::connect(&options(&url, &[])).await.expect("a new database can be opened"));
        // A database that somebody uses is not copied.
        last_session(&url).await.close().await.expect("a connection can be closed");
        url
    });
    let (_, template) = migrated.await.rsplit_once('/').expect("the URL names a database");
    let url = own_database(&format!("TEMPLATE {template}")).await;
    let mut connection = PgConnection::connect(&url).await.expect("the test server answers");
    let renew = "UPDATE store_state SET nonce = (random() * 9007199254740991)::bigint";
    connection.execute(renew).await.expect("each store has a nonce of its own");
    connection.close().await.expect("a connection can be closed");
    url
}

/// Makes a PostgreSQL database without tables; answers its URL. `scripts/with-postgres.sh` drops it when this test has ended: its
/// thread, or the process, which its name has.
pub async fn postgres_database() -> String {
    own_database("").await
}

async fn own_database(rest: &str) -> String {
    let url = new_database(rest).await;
    let (_, name) = url.rsplit_once('/').expect("the URL names a database");
    done::when_this_thread_ends(name);
    url
}

#[expect(clippy::disallowed_methods, reason = "the name only has to be new")]
async fn new_database(rest: &str) -> String {
    let server = std::env::var(POSTGRES_URL_VARIABLE).unwrap_or_else(|_| {
        panic!("{POSTGRES_URL_VARIABLE} is not set: run the tests under scripts/with-postgres.sh")
    });
    let name = format!("trunkline_test_{}_{}", std::process::id(), uuid::Uuid::new_v4().simple());
    let mut connection = PgConnection::connect(&server).await.expect("the test server answers");
    let create = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name} {rest}"));
    connection.execute(create).await.expect("the role may create databases");
    connection.close().await.expect("a connection can be closed");
    let (base, _) = server.rsplit_once('/').expect("the URL names a database");
    format!("{base}/{name}")
}

/// A session on a PostgreSQL database whose stores are closed, once it is the only one. A session reports what it did at its
/// end at the latest, which comes a while after its connection was closed.
pub async fn last_session(url: &str) -> PgConnection {
    let session = PgConnection::connect(url).await.expect("the test server answers");
    let session = tokio::sync::Mutex::new(session);
    // Nothing tells when a server's process is gone.
    eventually("the other sessions have ended", || async {
        let others = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
        let others = sqlx::query_scalar::<_, i64>(others).fetch_one(&mut *session.lock().await).await;
        others.expect("the test server answers") == 0
    })
    .await;
    session.into_inner()
}

/// A PostgreSQL database in which everything that concerns jobs waits, as behind a slow disk.
#[derive(Debug)]
pub struct HeldBack(PgConnection);

impl HeldBack {
    /// Holds it back.
    pub async fn jobs(url: &str) -> Self {
        let mut connection = PgConnection::connect(url).await.expect("the test server answers");
        let hold = "BEGIN; LOCK TABLE job IN ACCESS EXCLUSIVE MODE";
        connection.execute(hold).await.expect("the role may lock its tables");
        Self(connection)
    }

    /// Holds back what changes one execution; reading goes on.
    pub async fn execution(url: &str, id: ExecutionId) -> Self {
        let mut connection = PgConnection::connect(url).await.expect("the test server answers");
        connection.execute("BEGIN").await.expect("the test server answers");
        let row = sqlx::query("SELECT id FROM execution WHERE id = $1 FOR UPDATE").bind(id.uuid());
        row.fetch_one(&mut connection).await.expect("the execution is there");
        Self(connection)
    }

    /// How many statements on this database wait for a lock.
    pub async fn waiting(&mut self) -> i64 {
        // Within a transaction the server shows what it saw at the first look, unless it is asked to look again.
        self.0.execute("SELECT pg_stat_clear_snapshot()").await.expect("the test server answers");
        let waiting = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        sqlx::query_scalar(waiting).fetch_one(&mut self.0).await.expect("the test server answers")
    }

    /// Ends the sessions whose statements wait for a lock.
    pub async fn end_waiting(&mut self) {
        self.0.execute("SELECT pg_stat_clear_snapshot()").await.expect("the test server answers");
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        self.0.execute(end).await.expect("the role may end its own sessions");
    }

    /// Lets it go on.
    pub async fn let_go(mut self) {
        self.0.execute("COMMIT").await.expect("the test server answers");
    }
}
