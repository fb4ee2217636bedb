//! Migrations: on PostgreSQL, where several nodes may start at once, and of a SQLite database, which is ours.

use std::time::Duration;

use migrations::Migrator;
use sea_orm::{ConnectionTrait, SqlxPostgresConnector, SqlxSqliteConnector, TransactionTrait};
use sea_orm_migration::MigratorTrait;
use sqlx::SqliteConnection;
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use store::StoreResult;

use crate::connect::Database;
use crate::errors::{classify, classify_sqlx};
use crate::sharing;

/// Any number, as long as it stays the same: nodes that migrate take this lock first. It goes with the transaction,
/// because nothing else is certain to go with us behind a pooler.
const LOCK: &str = "SELECT pg_advisory_xact_lock(7287154961)";

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
        .connect_with(options.as_ref().clone())
        .await
        .map_err(|error| classify_sqlx("connect", error))?;
    let connection = SqlxPostgresConnector::from_sqlx_postgres_pool(pool);
    let migrated = async {
        let transaction = connection.begin().await?;
        if *is_shared {
            transaction.execute_unprepared(sharing::FORGET).await?;
        }
        transaction.execute_unprepared(LOCK).await?;
        // Not IF NOT EXISTS, which asks for the right to make schemas even where it is there.
        let make = format!(
            "DO $do$ BEGIN IF to_regnamespace('{schema}') IS NULL THEN CREATE SCHEMA {schema}; END IF; END $do$; \
             SET LOCAL search_path TO {schema}",
        );
        transaction.execute_unprepared(&make).await?;
        Migrator::up(&transaction, None).await?;
        transaction.commit().await
    };
    let migrated = migrated.await.map_err(|error| classify("migrate", error));
    let _ = connection.close_by_ref().await;
    migrated
}

/// Applies pending migrations to a SQLite database; answers the connection on which that was done, which is the database
/// where it is one in memory.
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
    Migrator::up(&connection, None).await.map_err(|error| classify("migrate", error))?;
    let lent = pool.acquire().await.map_err(|error| classify_sqlx("connect", error))?;
    Ok(lent.detach())
}
