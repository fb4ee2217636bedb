//! Migrations on PostgreSQL, where several nodes may start at once.

use migrations::Migrator;
use sea_orm::{ConnectionTrait, SqlxPostgresConnector};
use sea_orm_migration::MigratorTrait;
use sqlx::postgres::PgPoolOptions;
use store::StoreResult;

use crate::connect::Database;
use crate::errors::{classify, classify_sqlx};

/// Any number, as long as it stays the same: nodes that migrate take this lock first.
const LOCK: &str = "SELECT pg_advisory_lock(7287154961)";
const UNLOCK: &str = "SELECT pg_advisory_unlock(7287154961)";

/// Applies pending migrations, one node after the other. Uses a connection of its own: the lock belongs to it and
/// goes with it.
pub(crate) async fn postgres(database: &Database) -> StoreResult<()> {
    let Database::Postgres(options) = database else {
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
        connection.execute_unprepared(LOCK).await?;
        Migrator::up(&connection, None).await?;
        connection.execute_unprepared(UNLOCK).await.map(|_| ())
    };
    let migrated = migrated.await.map_err(|error| classify("migrate", error));
    let _ = connection.close_by_ref().await;
    migrated
}
