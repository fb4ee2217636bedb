//! The connections of a store: where to read, where to write, and how a transaction begins.

use async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
};
use store::StoreResult;

use crate::dialect::Dialect;
use crate::errors::{classify, is_broken_connection};

/// Connections of one store.
///
/// PostgreSQL has one pool for both uses. A SQLite file has one writing connection and several that only read; a
/// database in memory has one connection for everything, so nobody may ask for a connection while holding a
/// transaction.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    dialect: Dialect,
    write: DatabaseConnection,
    read: Reader,
}

/// Connections for reading. A read whose connection breaks is repeated on another one.
#[derive(Debug, Clone)]
pub(crate) struct Reader {
    connection: DatabaseConnection,
}

impl Pool {
    /// A pool from its connections.
    pub(crate) fn new(dialect: Dialect, write: DatabaseConnection, read: DatabaseConnection) -> Self {
        Self { dialect, write, read: Reader { connection: read } }
    }

    /// The database's dialect.
    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// For reads outside a transaction.
    pub(crate) fn read(&self) -> &Reader {
        &self.read
    }

    /// For single writing statements outside a transaction.
    pub(crate) fn write(&self) -> &DatabaseConnection {
        &self.write
    }

    /// Begins a transaction that writes. On SQLite it takes the write lock at once: one that starts by reading
    /// could not be upgraded when another has written meanwhile.
    pub(crate) async fn begin(&self) -> StoreResult<DatabaseTransaction> {
        let mode = (self.dialect == Dialect::Sqlite).then_some(SqliteTransactionMode::Immediate);
        let options = TransactionOptions { sqlite_transaction_mode: mode, ..TransactionOptions::default() };
        self.write.begin_with_options(options).await.map_err(|error| classify("begin", error))
    }

    /// Closes all connections.
    pub(crate) async fn close(&self) {
        // A pool that is closed already has nothing to say.
        let _ = self.read.connection.close_by_ref().await;
        let _ = self.write.close_by_ref().await;
    }
}

#[async_trait]
impl ConnectionTrait for Reader {
    fn get_database_backend(&self) -> DbBackend {
        self.connection.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.connection.execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.connection.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match self.connection.query_one_raw(statement.clone()).await {
            Err(error) if is_broken_connection(&error) => self.connection.query_one_raw(statement).await,
            answer => answer,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self.connection.query_all_raw(statement.clone()).await {
            Err(error) if is_broken_connection(&error) => self.connection.query_all_raw(statement).await,
            answer => answer,
        }
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
