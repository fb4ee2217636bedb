//! Statements that are a transaction each, on whichever connection is free.

use async_trait::async_trait;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult, Statement};

use crate::errors::is_broken_connection;
use crate::quiet::Writes;
use crate::sharing;

/// Connections for single statements.
#[derive(Debug, Clone)]
pub(crate) struct Single {
    connection: DatabaseConnection,
    /// Whether a pooler lends the connections out by transaction.
    is_shared: bool,
    /// Counts what writes; `None` where statements only read. They are repeated on another connection when theirs breaks.
    writes: Option<Writes>,
}

impl Single {
    /// For statements that write.
    pub(crate) fn writing(connection: DatabaseConnection, is_shared: bool, writes: Writes) -> Self {
        Self { connection, is_shared, writes: Some(writes) }
    }

    /// For statements that only read.
    pub(crate) fn reading(connection: DatabaseConnection, is_shared: bool) -> Self {
        Self { connection, is_shared, writes: None }
    }

    /// The connections themselves, for whoever minds that they may be shared.
    pub(crate) fn connection(&self) -> &DatabaseConnection {
        &self.connection
    }

    async fn one(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        if !self.is_shared {
            return self.connection.query_one_raw(statement).await;
        }
        let transaction = sharing::begin(&self.connection).await?;
        let row = transaction.query_one_raw(statement).await?;
        transaction.commit().await?;
        Ok(row)
    }

    async fn all(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        if !self.is_shared {
            return self.connection.query_all_raw(statement).await;
        }
        let transaction = sharing::begin(&self.connection).await?;
        let rows = transaction.query_all_raw(statement).await?;
        transaction.commit().await?;
        Ok(rows)
    }
}

#[async_trait]
impl ConnectionTrait for Single {
    fn get_database_backend(&self) -> DbBackend {
        self.connection.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let _write = self.writes.as_ref().map(Writes::enter);
        if !self.is_shared {
            return self.connection.execute_raw(statement).await;
        }
        let transaction = sharing::begin(&self.connection).await?;
        let done = transaction.execute_raw(statement).await?;
        transaction.commit().await?;
        Ok(done)
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let _write = self.writes.as_ref().map(Writes::enter);
        self.connection.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        if let Some(writes) = &self.writes {
            let _write = writes.enter();
            return self.one(statement).await;
        }
        match self.one(statement.clone()).await {
            Err(error) if is_broken_connection(&error) => self.one(statement).await,
            answer => answer,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        if let Some(writes) = &self.writes {
            let _write = writes.enter();
            return self.all(statement).await;
        }
        match self.all(statement.clone()).await {
            Err(error) if is_broken_connection(&error) => self.all(statement).await,
            answer => answer,
        }
    }
}
