//! The connections of a store: where to read, where to write, and how a transaction begins.

use sea_orm::{
    DatabaseConnection, DatabaseTransaction, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use store::StoreResult;

use crate::dialect::Dialect;
use crate::errors::classify;
use crate::sharing;
use crate::single::Single;

/// Connections of one store.
///
/// PostgreSQL has one pool for both uses. A SQLite file has one writing connection and several that only read; a
/// database in memory has one connection for everything, so nobody may ask for a connection while holding a
/// transaction.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    dialect: Dialect,
    /// Whether a pooler lends the connections out by transaction.
    is_shared: bool,
    write: Single,
    read: Single,
}

impl Pool {
    /// A pool from its connections.
    pub(crate) fn new(dialect: Dialect, write: DatabaseConnection, read: DatabaseConnection) -> Self {
        Self {
            dialect,
            is_shared: false,
            write: Single::writing(write, false),
            read: Single::reading(read, false),
        }
    }

    /// A pool of connections to PostgreSQL that a pooler lends out by transaction.
    pub(crate) fn shared(connection: DatabaseConnection) -> Self {
        let write = Single::writing(connection.clone(), true);
        Self { dialect: Dialect::Postgres, is_shared: true, write, read: Single::reading(connection, true) }
    }

    /// The database's dialect.
    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether a pooler lends the connections out by transaction, so that nothing outlives one.
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// For reads outside a transaction. A read whose connection breaks is repeated on another one.
    pub(crate) fn read(&self) -> &Single {
        &self.read
    }

    /// For single writing statements outside a transaction.
    pub(crate) fn write(&self) -> &Single {
        &self.write
    }

    /// Begins a transaction that writes. On SQLite it takes the write lock at once: one that starts by reading
    /// could not be upgraded when another has written meanwhile.
    pub(crate) async fn begin(&self) -> StoreResult<DatabaseTransaction> {
        if self.is_shared {
            let begun = sharing::begin(self.write.connection()).await;
            return begun.map_err(|error| classify("begin", error));
        }
        let mode = (self.dialect == Dialect::Sqlite).then_some(SqliteTransactionMode::Immediate);
        let options = TransactionOptions { sqlite_transaction_mode: mode, ..TransactionOptions::default() };
        self.write.connection().begin_with_options(options).await.map_err(|error| classify("begin", error))
    }

    /// Closes all connections.
    pub(crate) async fn close(&self) {
        // A pool that is closed already has nothing to say.
        let _ = self.read.connection().close_by_ref().await;
        let _ = self.write.connection().close_by_ref().await;
    }
}

/// Commits a transaction.
pub(crate) async fn commit(transaction: DatabaseTransaction) -> StoreResult<()> {
    transaction.commit().await.map_err(|error| classify("commit", error))
}

/// Undoes a transaction. A failure to do so is none: the database undoes it when the connection goes.
pub(crate) async fn rollback(transaction: DatabaseTransaction) {
    let _ = transaction.rollback().await;
}
