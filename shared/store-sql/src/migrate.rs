//! Migrations: on PostgreSQL, where several nodes may start at once, and of a SQLite database, which is ours.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use migrations::Migrator;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, SqlxPostgresConnector,
    SqlxSqliteConnector, Statement, TransactionTrait,
};
use sea_orm_migration::MigratorTrait;
use sqlx::SqliteConnection;
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use store::{StoreError, StoreResult};

use crate::errors::{classify, classify_sqlx};
use crate::schema;
use crate::schema_name::{Database, SchemaName};
use crate::transaction_pooling;

/// Any number, as long as it stays the same: nodes that migrate take this lock first. It goes with the transaction,
/// because nothing else is certain to go with us behind a pooler.
const LOCK: &str = "SELECT pg_advisory_xact_lock(7287154961)";

/// Takes the tables that migrations change and nodes use, before the first of them is changed. Rows are locked in this order
/// (see [`lock_order`](crate::lock_order)), but a claim begins with the last of them: so that no node is undone for a
/// circle, this gives up when it has waited for a while, and what was taken is free again. A table that a later migration
/// changes is named here too; one that is not there yet is passed over.
const LOCK_TABLES: &str = "DO $do$ DECLARE one text; BEGIN
    FOREACH one IN ARRAY ARRAY['store_state', 'webhook_delivery', 'execution', 'user_task', 'lane', 'job', 'job_done', 'dead_letter',
        'api_key', 'audit', 'batch', 'tenant_secret', 'queue_claim'] LOOP
        IF to_regclass(one) IS NOT NULL THEN EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', one); END IF;
    END LOOP;
END $do$";

/// Processes that go on have prepared statements for the tables as they were, and those that answer all columns fail as long as their
/// sessions last. Ended, the sessions are opened anew, as after any broken connection. A role may end its own.
const RENEW_SESSIONS: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = session_user AND application_name = 'trunkline'
      AND pid <> pg_backend_pid()";

/// What a process is called while it migrates: another one that waits for its turn is not ended.
const MIGRATES: &str = "trunkline-migrate";

/// How long the first try waits for a table. Less than the second after which PostgreSQL looks for circles; each next try
/// waits twice as long, because somebody may read for long.
const WAITS: Duration = Duration::from_millis(500);

/// The longest that a try waits for a table: everybody else waits behind it.
const WAITS_MAX: Duration = Duration::from_secs(8);

/// No try begins later than this after the first.
const TRIES_WITHIN: Duration = Duration::from_mins(2);

/// Between two tries others go on.
const PAUSE: Duration = Duration::from_millis(500);

/// How long a connection may take.
const CONNECTS_WITHIN: Duration = Duration::from_secs(30);

/// Applies pending migrations, one node after the other, all in one transaction. Makes the schema if it is not there.
pub(crate) async fn postgres(database: &Database) -> StoreResult<()> {
    let Database::Postgres { options, is_shared, schema } = database else {
        return Ok(());
    };
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(CONNECTS_WITHIN)
        .connect_with(options.as_ref().clone().application_name(MIGRATES))
        .await
        .map_err(|error| classify_sqlx("connect", error))?;
    let connection = SqlxPostgresConnector::from_sqlx_postgres_pool(pool);
    let (began, mut waits) = (Instant::now(), WAITS);
    let migrated = loop {
        let migrated = postgres_once(&connection, *is_shared, schema, waits).await;
        match migrated.map_err(|error| classify("migrate", error)) {
            Err(error @ StoreError::Contended { .. }) if began.elapsed() < TRIES_WITHIN => {
                tracing::info!(
                    error = &error as &dyn std::error::Error,
                    "the tables are in use; the migration is retried"
                );
                waits = (waits * 2).min(WAITS_MAX);
                tokio::time::sleep(PAUSE).await;
            }
            migrated => break migrated,
        }
    };
    if let Ok(pending) = &migrated {
        pending.record(began.elapsed());
    }
    if migrated.as_ref().is_ok_and(Pending::changed_tables_in_use)
        && let Err(error) = connection.execute_unprepared(RENEW_SESSIONS).await
    {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "other processes could not be made to reconnect; restart those that report a cached plan"
        );
    }
    let _ = connection.close_by_ref().await;
    migrated.map(|_| ())
}

/// Migrations that are to be applied.
#[derive(Debug, Default)]
struct Pending {
    /// The last one that was applied before; `None` in an empty database.
    before: Option<String>,
    /// Their names, in order.
    names: Vec<String>,
}

impl Pending {
    async fn of(on: &DatabaseTransaction) -> Result<Self, DbErr> {
        let pending = Migrator::get_pending_migrations(on).await?;
        let names: Vec<String> = pending.iter().map(|one| one.name().to_owned()).collect();
        let known = Migrator::migrations();
        let mut applied =
            known.iter().map(|one| one.name()).filter(|name| !names.iter().any(|one| one == name));
        let before = applied.next_back().map(str::to_owned);
        Ok(Self { before, names })
    }

    /// Whether there were tables already, which others may use.
    fn changed_tables_in_use(&self) -> bool {
        self.before.is_some() && !self.names.is_empty()
    }

    /// Records what was applied: one line, and each migration for whoever looks for a fault.
    fn record(&self, took: Duration) {
        let Some(last) = self.names.last() else { return };
        for name in &self.names {
            tracing::debug!(migration = name, "a migration was applied");
        }
        let from = self.before.as_deref().unwrap_or("an empty database");
        tracing::info!(
            migrations = self.names.len(),
            from,
            to = last,
            took.ms = took.as_millis(),
            "the schema of the database was migrated"
        );
    }
}

/// Applies them, if it gets the tables without waiting for longer than that for one of them. Answers which.
async fn postgres_once(
    connection: &DatabaseConnection,
    is_shared: bool,
    schema: &SchemaName,
    waits: Duration,
) -> Result<Pending, DbErr> {
    let transaction = connection.begin().await?;
    if is_shared {
        transaction.execute_unprepared(transaction_pooling::FORGET).await?;
    }
    transaction.execute_unprepared(LOCK).await?;
    // Not IF NOT EXISTS, which asks for the right to make schemas even where it is there.
    let make = format!(
        "DO $do$ BEGIN IF to_regnamespace('{schema}') IS NULL THEN CREATE SCHEMA {schema}; END IF; END $do$; \
         SET LOCAL search_path TO {schema}",
    );
    transaction.execute_unprepared(&make).await?;
    if is_of_later_version(&transaction).await? {
        tracing::info!(
            "the database was migrated by a later version, and this version is compatible with it"
        );
        transaction.rollback().await?;
        return Ok(Pending::default());
    }
    let pending = Pending::of(&transaction).await?;
    if !pending.names.is_empty() {
        // Not before: another node that migrates is waited for as long as it takes.
        let wait = format!("SET LOCAL lock_timeout = {}", waits.as_millis());
        transaction.execute_unprepared(&wait).await?;
        transaction.execute_unprepared(LOCK_TABLES).await?;
    }
    Migrator::up(&transaction, None).await?;
    transaction.commit().await?;
    Ok(pending)
}

/// Whether a later version has migrated the schema, and this one works with it: then there is nothing to apply. See
/// [`SchemaState::Later`](crate::SchemaState::Later).
async fn is_of_later_version(on: &impl ConnectionTrait) -> Result<bool, DbErr> {
    let ask = |text: &'static str| on.query_all_raw(Statement::from_string(DbBackend::Postgres, text));
    if ask("SELECT 1 AS one FROM pg_class WHERE oid = to_regclass('seaql_migrations')").await?.is_empty() {
        return Ok(false);
    }
    let rows = ask("SELECT version FROM seaql_migrations").await?;
    let applied: BTreeSet<String> =
        rows.iter().map(|row| row.try_get::<String>("", "version")).collect::<Result<_, _>>()?;
    let known = schema::known();
    // Where some of this version's own are missing, it is another branch of the history and not a later version.
    if applied.is_subset(&known) || !known.is_subset(&applied) {
        return Ok(false);
    }
    let rows = ask("SELECT needs FROM store_state WHERE id = 1").await?;
    let needs: Option<String> = rows.first().map(|row| row.try_get("", "needs")).transpose()?;
    Ok(needs.is_some_and(|needs| known.contains(&needs)))
}

/// Applies pending migrations to a SQLite database, all in one transaction: a process that dies meanwhile leaves the schema
/// that was there. Answers the connection on which that was done, which is the database where it is one in memory.
pub(crate) async fn sqlite(options: SqliteConnectOptions) -> StoreResult<SqliteConnection> {
    let pool = SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(CONNECTS_WITHIN)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(options)
        .await
        .map_err(|error| classify_sqlx("connect", error))?;
    let connection = SqlxSqliteConnector::from_sqlx_sqlite_pool(pool.clone());
    let began = Instant::now();
    let migrated = async {
        let transaction = connection.begin().await?;
        let pending = Pending::of(&transaction).await?;
        Migrator::up(&transaction, None).await?;
        transaction.commit().await?;
        Ok::<_, DbErr>(pending)
    };
    let pending = migrated.await.map_err(|error| classify("migrate", error))?;
    pending.record(began.elapsed());
    let lent = pool.acquire().await.map_err(|error| classify_sqlx("connect", error))?;
    Ok(lent.detach())
}

#[cfg(test)]
mod tests {
    use sqlx::postgres::PgConnectOptions;
    use sqlx::{Connection as _, Executor as _, PgConnection};
    use testkit::database::postgres_database;
    use testkit::eventually;
    use tokio::sync::Mutex;

    use super::*;

    async fn open(options: &SqliteConnectOptions) -> sea_orm::DatabaseConnection {
        let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options.clone());
        SqlxSqliteConnector::from_sqlx_sqlite_pool(pool.await.expect("the file can be opened"))
    }

    /// How many migrations there are before this one.
    fn before(name: &str) -> u32 {
        let count = Migrator::migrations().iter().take_while(|one| one.name() != name).count();
        u32::try_from(count).expect("a few")
    }

    /// How many wait for the table of jobs.
    async fn waiting(on: &Mutex<PgConnection>) -> i64 {
        let text = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'job'::regclass
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        sqlx::query_scalar(text).fetch_one(&mut *on.lock().await).await.expect("the test server answers")
    }

    /// A node that runs goes from its jobs to the row of its claims. While it has the first, a migration neither has the
    /// second nor keeps others waiting all the time.
    #[tokio::test]
    async fn a_migration_on_postgres_makes_no_circle_with_a_node_that_runs() {
        let url = postgres_database().await;
        let pool = PgPoolOptions::new().max_connections(1).connect(&url).await;
        let former = SqlxPostgresConnector::from_sqlx_postgres_pool(pool.expect("the test server answers"));
        Migrator::up(&former, Some(before("m0009_lanes"))).await.expect("they apply");
        former.close().await.expect("it closes");
        let mut node = PgConnection::connect(&url).await.expect("the test server answers");
        let watch = Mutex::new(PgConnection::connect(&url).await.expect("the test server answers"));
        let takes_jobs = "BEGIN; LOCK TABLE job IN ROW EXCLUSIVE MODE";
        node.execute(takes_jobs).await.expect("nobody else has them");
        let database = Database::parse(&url, "public").expect("it is the address of a server");
        let migrated = tokio::spawn(async move { postgres(&database).await });
        eventually("the migration waits for the jobs", || async { waiting(&watch).await == 1 }).await;
        let goes_on = "LOCK TABLE queue_claim IN ROW EXCLUSIVE MODE NOWAIT";
        node.execute(goes_on).await.expect("the migration does not have it");
        eventually("it lets others go on", || async { waiting(&watch).await == 0 }).await;
        eventually("it tries again", || async { waiting(&watch).await == 1 }).await;
        node.execute("COMMIT").await.expect("the node ends its transaction");
        migrated.await.expect("no panic").expect("the migration is done");
        let added = node.execute("SELECT reap_at FROM job").await;
        added.expect("it is there");
    }

    /// A statement that was prepared for a table as it was fails for good: sessions of processes that go on are ended, and no others.
    #[tokio::test]
    async fn processes_that_go_on_get_new_sessions() {
        let url = postgres_database().await;
        let pool = PgPoolOptions::new().max_connections(1).connect(&url).await;
        let former = SqlxPostgresConnector::from_sqlx_postgres_pool(pool.expect("the test server answers"));
        Migrator::up(&former, Some(before("m0068_claims_counted"))).await.expect("they apply");
        former.close().await.expect("it closes");
        let all = "SELECT * FROM queue_claim WHERE queue = $1";
        let options: PgConnectOptions = url.parse().expect("it is the address of a server");
        let mut sessions = Vec::new();
        for name in ["trunkline", "shop"] {
            let options = options.clone().application_name(name);
            let mut session = PgConnection::connect_with(&options).await.expect("the test server answers");
            sqlx::query(all).bind(1_i16).fetch_one(&mut session).await.expect("it is prepared");
            sessions.push(session);
        }
        let database = Database::parse(&url, "public").expect("it is the address of a server");
        postgres(&database).await.expect("it is migrated");
        let ended = sqlx::query(all).bind(1_i16).fetch_one(&mut sessions[0]).await;
        let ended = classify_sqlx("all", ended.expect_err("the session was ended"));
        assert!(matches!(ended, StoreError::Unavailable { .. }), "{ended:?}");
        // Whose statement is of before nevertheless is asked to come again, over another connection.
        let stale = sqlx::query(all).bind(1_i16).fetch_one(&mut sessions[1]).await;
        let stale = classify_sqlx("all", stale.expect_err("its statement is that of before"));
        assert!(matches!(stale, StoreError::Contended { .. }), "{stale:?}");
    }

    /// A database on PostgreSQL as it was before a migration, and a connection for the test.
    async fn before_on_postgres(name: &str) -> (DatabaseConnection, PgConnection) {
        let url = postgres_database().await;
        let pool = PgPoolOptions::new().max_connections(1).connect(&url).await;
        let former = SqlxPostgresConnector::from_sqlx_postgres_pool(pool.expect("the test server answers"));
        Migrator::up(&former, Some(before(name))).await.expect("they apply");
        (former, PgConnection::connect(&url).await.expect("the test server answers"))
    }

    /// Jobs of every state, with a payload that is so long.
    async fn insert_jobs(on: &mut PgConnection, count: i32, length: i32) {
        let text = "INSERT INTO job (id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at,
                created_at, timeout_ms, lease_until, reap_at, worker_id, tier, tags, execution_id, error, data)
            SELECT md5(n::text)::uuid, n % 4, 1, (ARRAY['scheduled', 'queued', 'blocked', 'processing', 'waiting',
                'retry_wait'])[1 + n % 6], n, 1, 2, 3, n + 4, n + 5, n + 6, NULLIF(n % 7, 0), n, n, 'w', 1, NULL,
                CASE WHEN n % 2 = 0 THEN md5(n::text)::uuid END, 'e', repeat('d', $2)
            FROM generate_series(1, $1) n";
        let query = sqlx::query(text).bind(count).bind(length);
        query.execute(on).await.expect("the table takes them");
    }

    async fn text_of(on: &mut PgConnection, query: &'static str) -> String {
        sqlx::query_scalar(query).fetch_one(on).await.expect("the test server answers")
    }

    const COLUMNS: &str = "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = 'job'::regclass AND attnum > 0 AND NOT attisdropped";

    /// What claims do not change comes to lie behind what they do. Nothing else is another than before.
    #[tokio::test]
    async fn the_columns_of_jobs_are_moved_with_what_they_hold() {
        const ROWS: &str = "SELECT jsonb_agg(to_jsonb(j) ORDER BY position)::text FROM job j";
        const INDEXES: &str =
            "SELECT string_agg(indexdef, E'\n' ORDER BY indexname) FROM pg_indexes WHERE tablename = 'job'";
        const BOUNDS: &str = "SELECT string_agg(attname || ' ' || atttypid::regtype || ' ' || attnotnull, ', ' ORDER BY attname)
            FROM pg_attribute WHERE attrelid = 'job'::regclass AND attnum > 0 AND NOT attisdropped";
        let (former, mut on) = before_on_postgres("m0061_row").await;
        insert_jobs(&mut on, 60, 100).await;
        let mut was = Vec::new();
        for query in [ROWS, INDEXES, BOUNDS] {
            was.push(text_of(&mut on, query).await);
        }
        Migrator::up(&former, Some(1)).await.expect("it applies");
        for (query, was) in [ROWS, INDEXES, BOUNDS].into_iter().zip(was) {
            assert_eq!(text_of(&mut on, query).await, was);
        }
        let columns = text_of(&mut on, COLUMNS).await;
        assert!(
            columns.starts_with("position id queue lane state attempt started_at lease_until"),
            "{columns}"
        );
        assert!(columns.ends_with(" backoff tags traceparent data"), "{columns}");
        former.close().await.expect("it closes");
    }

    /// Nobody waits for a large table to be written anew, and nobody's view of it is lost.
    #[tokio::test]
    async fn the_columns_of_jobs_stay_where_they_are_many_or_somebody_depends_on_them() {
        let (large, mut on) = before_on_postgres("m0061_row").await;
        on.execute("ALTER TABLE job ALTER COLUMN data SET STORAGE PLAIN").await.expect("it can be set");
        insert_jobs(&mut on, 9_000, 7_500).await;
        let was = text_of(&mut on, COLUMNS).await;
        Migrator::up(&large, Some(1)).await.expect("it applies");
        assert_eq!(text_of(&mut on, COLUMNS).await, was);
        large.close().await.expect("it closes");
        let (viewed, mut on) = before_on_postgres("m0061_row").await;
        on.execute("CREATE VIEW report AS SELECT data FROM job").await.expect("it can be made");
        insert_jobs(&mut on, 3, 100).await;
        Migrator::up(&viewed, Some(1)).await.expect("it applies");
        assert_eq!(text_of(&mut on, COLUMNS).await, was);
        assert_eq!(text_of(&mut on, "SELECT count(*)::text FROM report").await, "3");
        viewed.close().await.expect("it closes");
    }

    /// One that fails between two of its statements stands for one whose process was killed there.
    #[tokio::test]
    async fn a_migration_of_a_file_that_is_cut_short_leaves_nothing_behind() {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let file = directory.path().join("t.db");
        let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
        let former = open(&options).await;
        Migrator::up(&former, Some(before("m0010_reap_at"))).await.expect("they apply");
        // Its second statement drops this index.
        former.execute_unprepared("DROP INDEX job_leased").await.expect("it was there");
        former.close().await.expect("it closes");
        sqlite(options.clone()).await.expect_err("the index is not there");
        let mended = open(&options).await;
        let again = "CREATE INDEX job_leased ON job (queue, lease_until) WHERE state = 'processing'";
        mended.execute_unprepared(again).await.expect("it can be made");
        let added: Result<_, DbErr> = mended.execute_unprepared("SELECT reap_at FROM job").await;
        added.expect_err("the first statement was undone");
        mended.close().await.expect("it closes");
        sqlite(options).await.expect("the migration is done again");
    }
}
