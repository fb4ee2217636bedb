//! Statements and transactions: a constant text, rendered once for each database, run on a connection; several of them
//! on one that is lent for them.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, Statement, Value};
use store::StoreResult;
use tokio::sync::Mutex;

use crate::dialect::Dialect;
use crate::errors::{classify, classify_sqlx, exec_error, query_error};
use crate::link::{Answer, Lent, Work, uninterrupted};

/// A statement, kept in a `static`: its text is the same for every call, so that the database prepares it once.
#[derive(Debug)]
pub(crate) struct Sql {
    name: &'static str,
    template: [&'static str; 3],
    postgres: OnceLock<String>,
    sqlite: OnceLock<String>,
}

impl Sql {
    /// A statement with the name that errors give it. `template` may hold fragments (see [`Dialect`]).
    pub(crate) const fn new(name: &'static str, template: &'static str) -> Self {
        Self::joined(name, [template, "", ""])
    }

    /// The same for statements that have parts in common.
    pub(crate) const fn joined(name: &'static str, template: [&'static str; 3]) -> Self {
        Self { name, template, postgres: OnceLock::new(), sqlite: OnceLock::new() }
    }

    /// What errors call it.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// The text for a database.
    pub(crate) fn text(&self, dialect: Dialect) -> &str {
        let rendered = match dialect {
            Dialect::Postgres => &self.postgres,
            Dialect::Sqlite => &self.sqlite,
        };
        rendered.get_or_init(|| dialect.render(&self.template.concat()))
    }

    /// Runs it and answers how many rows it changed.
    pub(crate) async fn run<C: ConnectionTrait>(&self, on: &C, values: Vec<Value>) -> StoreResult<u64> {
        let result = on.execute_raw(self.statement(on, values)).await;
        result.map(|done| done.rows_affected()).map_err(|error| classify(self.name, error))
    }

    /// Runs an insert on SQLite; answers how many rows it made and the key of the last one.
    pub(crate) async fn insert<C: ConnectionTrait>(
        &self,
        on: &C,
        values: Vec<Value>,
    ) -> StoreResult<(u64, u64)> {
        let result = on.execute_raw(self.statement(on, values)).await;
        let result = result.map_err(|error| classify(self.name, error))?;
        Ok((result.rows_affected(), result.last_insert_id()))
    }

    /// Runs it and answers its rows.
    pub(crate) async fn all<C: ConnectionTrait>(
        &self,
        on: &C,
        values: Vec<Value>,
    ) -> StoreResult<Vec<QueryResult>> {
        on.query_all_raw(self.statement(on, values)).await.map_err(|error| classify(self.name, error))
    }

    /// Runs it and answers its first row.
    pub(crate) async fn first<C: ConnectionTrait>(
        &self,
        on: &C,
        values: Vec<Value>,
    ) -> StoreResult<Option<QueryResult>> {
        on.query_one_raw(self.statement(on, values)).await.map_err(|error| classify(self.name, error))
    }

    /// It with its values, for a connection that is lent.
    pub(crate) fn work(&self, dialect: Dialect, values: Vec<Value>) -> Work {
        Work::All(Statement::from_sql_and_values(dialect.backend(), self.text(dialect), values))
    }

    fn statement<C: ConnectionTrait>(&self, on: &C, values: Vec<Value>) -> Statement {
        let backend = on.get_database_backend();
        Statement::from_sql_and_values(backend, self.text(Dialect::of(backend)), values)
    }
}

// Transactions: several statements on one connection that is lent for them.

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
