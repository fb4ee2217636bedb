//! A database for each test: a new SQLite file, or a new database on the PostgreSQL server of the test run.

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tempfile::TempDir;

/// How long connections may take to end.
const GONE_WITHIN: std::time::Duration = std::time::Duration::from_mins(1);

/// A database that nobody else uses.
#[derive(Debug)]
pub(crate) struct Database {
    /// Its URL, as `DATABASE_URL` takes it.
    pub(crate) url: String,
    // Removed with the file when the test ends.
    _directory: Option<TempDir>,
}

impl Database {
    /// A SQLite file that does not exist yet.
    pub(crate) fn sqlite() -> Self {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let url = format!("sqlite://{}", directory.path().join("trunkline.db").display());
        Self { url, _directory: Some(directory) }
    }

    /// A SQLite file that is there.
    pub(crate) fn at(file: &std::path::Path) -> Self {
        Self { url: format!("sqlite://{}", file.display()), _directory: None }
    }

    /// An empty PostgreSQL database. Panics where the test run has no server.
    pub(crate) async fn postgres() -> Self {
        Self { url: testkit::database::postgres_database().await, _directory: None }
    }

    /// Whether it is PostgreSQL.
    pub(crate) fn is_postgres(&self) -> bool {
        self.url.starts_with("postgres")
    }

    /// The file of a SQLite database.
    pub(crate) fn file(&self) -> &str {
        self.url.strip_prefix("sqlite://").expect("the database is a SQLite file")
    }

    /// The bytes that it takes on disk; without PostgreSQL's log of writes, which all databases of its server share.
    pub(crate) async fn size(&self) -> u64 {
        if self.is_postgres() {
            return Admin::of(self).await.size().await;
        }
        let bytes =
            |suffix: &str| std::fs::metadata(format!("{}{suffix}", self.file())).map_or(0, |file| file.len());
        bytes("") + bytes("-wal")
    }

    /// Its name on the PostgreSQL server.
    fn name(&self) -> &str {
        self.url.rsplit_once('/').expect("the URL names a database").1
    }
}

/// A connection to the PostgreSQL server beside the database of a test.
#[derive(Debug)]
pub(crate) struct Admin {
    connection: PgConnection,
    name: String,
}

impl Admin {
    /// Connects to the server that holds `database`.
    pub(crate) async fn of(database: &Database) -> Self {
        let url =
            std::env::var(testkit::database::POSTGRES_URL_VARIABLE).expect("the database was made on it");
        let connection = PgConnection::connect(&url).await.expect("the test server answers");
        Self { connection, name: database.name().to_owned() }
    }

    /// Takes the database away: lets nobody in and ends all connections to it, also one that was just being let in.
    pub(crate) async fn take_away(&mut self) {
        self.run(format!("ALTER DATABASE {} ALLOW_CONNECTIONS false", self.name)).await;
        let began = std::time::Instant::now();
        while self.connections().await > 0 {
            assert!(began.elapsed() < GONE_WITHIN, "the connections to {} do not end", self.name);
            self.cut().await;
        }
    }

    async fn connections(&mut self) -> i64 {
        let sql = format!("SELECT count(*) FROM pg_stat_activity WHERE datname = '{}'", self.name);
        let count = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut self.connection).await;
        count.expect("the test's role may do it")
    }

    /// Lets connections in again.
    pub(crate) async fn give_back(&mut self) {
        self.run(format!("ALTER DATABASE {} ALLOW_CONNECTIONS true", self.name)).await;
    }

    /// Ends all connections to the database.
    pub(crate) async fn cut(&mut self) {
        let name = &self.name;
        self.run(format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"))
            .await;
    }

    async fn size(&mut self) -> u64 {
        let sql = format!("SELECT pg_database_size('{}')", self.name);
        let bytes: i64 = sqlx::query_scalar(AssertSqlSafe(sql))
            .fetch_one(&mut self.connection)
            .await
            .expect("the test's role may do it");
        bytes.unsigned_abs()
    }

    async fn run(&mut self, sql: String) {
        self.connection.execute(AssertSqlSafe(sql)).await.expect("the test's role may do it");
    }
}
