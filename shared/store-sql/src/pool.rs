//! The connections of a store: where to read, where to write, and how a transaction begins.

use sea_orm::{
    DatabaseConnection, DatabaseTransaction, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use store::StoreResult;

use crate::dialect::Dialect;
use crate::errors::classify;
use crate::quiet::{Mark, Writes};
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
    writes: Writes,
}

impl Pool {
    /// A pool from its connections.
    pub(crate) fn new(dialect: Dialect, write: DatabaseConnection, read: DatabaseConnection) -> Self {
        let writes = Writes::default();
        Self {
            dialect,
            is_shared: false,
            write: Single::writing(write, false, writes.clone()),
            read: Single::reading(read, false),
            writes,
        }
    }

    /// A pool of connections to PostgreSQL that a pooler lends out by transaction.
    pub(crate) fn shared(connection: DatabaseConnection) -> Self {
        let writes = Writes::default();
        Self {
            dialect: Dialect::Postgres,
            is_shared: true,
            write: Single::writing(connection.clone(), true, writes.clone()),
            read: Single::reading(connection, true),
            writes,
        }
    }

    /// The same connections, whose writes are counted together with those of another pool on the same database.
    pub(crate) fn counted_with(self, other: &Self) -> Self {
        let writes = other.writes.clone();
        let write = Single::writing(self.write.connection().clone(), self.is_shared, writes.clone());
        Self { write, writes, ..self }
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
        let _write = self.writes.enter();
        if self.is_shared {
            let begun = sharing::begin(self.write.connection()).await;
            return begun.map_err(|error| classify("begin", error));
        }
        let mode = (self.dialect == Dialect::Sqlite).then_some(SqliteTransactionMode::Immediate);
        let options = TransactionOptions { sqlite_transaction_mode: mode, ..TransactionOptions::default() };
        self.write.connection().begin_with_options(options).await.map_err(|error| classify("begin", error))
    }

    /// Where the database stands, to be taken before a read whose answer is to be remembered. `None` while somebody
    /// writes, and on PostgreSQL, where others write, too.
    pub(crate) fn mark(&self) -> Option<Mark> {
        if self.dialect != Dialect::Sqlite {
            return None;
        }
        let mark = self.writes.mark();
        // Whoever took the only writing connection since the mark is counted once more when he has it.
        let is_free = self.write.connection().get_sqlite_connection_pool().num_idle() > 0;
        is_free.then_some(mark)
    }

    /// Whether nothing was written through these connections since then.
    pub(crate) fn is_unchanged_since(&self, mark: Mark) -> bool {
        self.writes.mark() == mark
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
