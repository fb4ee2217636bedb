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
use crate::transaction_pooling;

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
            transaction.execute_unprepared(transaction_pooling::FORGET).await?;
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
    let migrated = async {
        let transaction = connection.begin().await?;
        Migrator::up(&transaction, None).await?;
        transaction.commit().await
    };
    migrated.await.map_err(|error| classify("migrate", error))?;
    let lent = pool.acquire().await.map_err(|error| classify_sqlx("connect", error))?;
    Ok(lent.detach())
}

#[cfg(test)]
mod tests {
    use sea_orm::DbErr;

    use super::*;

    async fn open(options: &SqliteConnectOptions) -> sea_orm::DatabaseConnection {
        let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options.clone());
        SqlxSqliteConnector::from_sqlx_sqlite_pool(pool.await.expect("the file can be opened"))
    }

    /// One that fails between two of its statements stands for one whose process was killed there.
    #[tokio::test]
    async fn a_migration_of_a_file_that_is_cut_short_leaves_nothing_behind() {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let file = directory.path().join("t.db");
        let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
        let before = Migrator::migrations().iter().take_while(|one| one.name() != "m0010_reap_at").count();
        let former = open(&options).await;
        Migrator::up(&former, Some(u32::try_from(before).expect("a few"))).await.expect("they apply");
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
