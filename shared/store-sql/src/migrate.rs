//! Migrations on PostgreSQL, where several nodes may start at once.

use migrations::Migrator;
use sea_orm::{ConnectionTrait, SqlxPostgresConnector, TransactionTrait};
use sea_orm_migration::MigratorTrait;
use sqlx::postgres::PgPoolOptions;
use store::StoreResult;

use crate::connect::Database;
use crate::errors::{classify, classify_sqlx};
use crate::sharing;

/// Any number, as long as it stays the same: nodes that migrate take this lock first. It goes with the transaction,
/// because nothing else is certain to go with us behind a pooler.
const LOCK: &str = "SELECT pg_advisory_xact_lock(7287154961)";

/// Applies pending migrations, one node after the other, all in one transaction.
pub(crate) async fn postgres(database: &Database) -> StoreResult<()> {
    let Database::Postgres { options, is_shared } = database else {
        return Ok(());
    };
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(std::time::Duration::from_secs(30))
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
        Migrator::up(&transaction, None).await?;
        transaction.commit().await
    };
    let migrated = migrated.await.map_err(|error| classify("migrate", error));
    let _ = connection.close_by_ref().await;
    migrated
}
