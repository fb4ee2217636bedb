//! Databases to run cases on. Each case finds an empty one and a store that remembers nothing.

use std::sync::{Arc, OnceLock};

use sqlx::{Connection as _, Executor as _, PgConnection};
use store_sql::SqlStore;
use testkit::database::{migrated, options, postgres_database};
use tokio::runtime::{Builder, Runtime};

/// One kind of database.
pub(crate) trait Harness: 'static {
    /// Called once before all cases.
    fn prepare() {}

    /// A store on an empty database.
    async fn open() -> Arc<SqlStore>;
}

/// SQLite in memory: a new database for each case.
pub(crate) enum SqliteMemory {}

impl Harness for SqliteMemory {
    async fn open() -> Arc<SqlStore> {
        open("sqlite::memory:").await
    }
}

/// PostgreSQL: one database for all cases, emptied before each, because making one takes longer than a case.
pub(crate) enum Postgres {}

static POSTGRES_URL: OnceLock<String> = OnceLock::new();

/// All that jobs leave behind. Truncated tables begin to count from 1 again, so that a repeated case is the same.
const EMPTY: &str =
    "TRUNCATE job, job_done, attempt, dead_letter, dead_letter_count, dead_letter_hour, dead_letter_change, queue_limit, lane,
     tenant RESTART IDENTITY;
    UPDATE queue_claim SET epoch = 0, limits_version = 0, mode = 'running'";

impl Harness for Postgres {
    fn prepare() {
        let url = runtime().block_on(new_postgres());
        POSTGRES_URL.set(url).expect("one test runs on PostgreSQL");
    }

    async fn open() -> Arc<SqlStore> {
        let mut connection = connect(postgres_url()).await;
        connection.execute(EMPTY).await.expect("the tables can be emptied");
        connection.close().await.expect("a connection can be closed");
        open(postgres_url()).await
    }
}

/// Makes a PostgreSQL database with its tables.
pub(crate) async fn new_postgres() -> String {
    let url = postgres_database().await;
    migrated(&url).await;
    url
}

/// A store, as one node has it.
pub(crate) async fn open(url: &str) -> Arc<SqlStore> {
    SqlStore::connect(&options(url, &[])).await.expect("the database can be opened")
}

/// A runtime on this thread alone, so that a case runs in the same way each time.
pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime can be made")
}

fn postgres_url() -> &'static str {
    POSTGRES_URL.get().expect("it was prepared")
}

async fn connect(url: &str) -> PgConnection {
    PgConnection::connect(url).await.expect("the test server answers")
}
