//! Transactions: several statements on one connection that is lent for them.

use std::sync::Arc;

use async_trait::async_trait;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, Statement};
use store::StoreResult;
use tokio::sync::Mutex;

use crate::dialect::Dialect;
use crate::errors::{classify_sqlx, exec_error, query_error};
use crate::link::{Answer, Lent, Work, uninterrupted};

/// A transaction under way. It is undone when it is dropped.
///
/// A statement whose caller goes away is run to its end, and the transaction is undone afterwards; so is a commit. After
/// a statement that failed on PostgreSQL nothing can be committed.
#[derive(Debug)]
pub(crate) struct DatabaseTransaction {
    lent: Arc<Mutex<Lent>>,
    dialect: Dialect,
}

impl DatabaseTransaction {
    /// Begins one on a connection.
    pub(crate) async fn begin(mut lent: Lent, dialect: Dialect, text: Arc<str>) -> Result<Self, sqlx::Error> {
        let begun = uninterrupted(async move { lent.begin(&text).await.map(|()| lent) }).await;
        begun.map(|lent| Self { lent: Arc::new(Mutex::new(lent)), dialect })
    }

    /// Commits it.
    pub(crate) async fn commit(self) -> StoreResult<()> {
        // Free, but for a statement whose caller has gone away.
        let mut lent = self.lent.lock_owned().await;
        let committed = uninterrupted(async move { lent.commit().await }).await;
        committed.map_err(|error| classify_sqlx("commit", error))
    }

    /// Undoes it.
    pub(crate) async fn rollback(self) {
        let mut lent = self.lent.lock_owned().await;
        uninterrupted(async move { lent.rollback().await }).await;
    }

    async fn ask(&self, work: Work) -> Result<Answer, sqlx::Error> {
        let mut lent = Arc::clone(&self.lent).lock_owned().await;
        uninterrupted(async move { lent.ask(work).await }).await
    }
}

#[async_trait]
impl ConnectionTrait for DatabaseTransaction {
    fn get_database_backend(&self) -> DbBackend {
        self.dialect.backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.ask(Work::Run(statement)).await.map_err(exec_error).and_then(Answer::done)
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.ask(Work::Plain(sql.into())).await.map_err(exec_error).and_then(Answer::done)
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let answer = self.ask(Work::First(statement)).await.map_err(query_error)?;
        Ok(answer.rows().into_iter().next())
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.ask(Work::All(statement)).await.map(Answer::rows).map_err(query_error)
    }
}
