//! Statements: a constant text, rendered once for each database, run on a connection or in a transaction.

use std::sync::OnceLock;

use sea_orm::{ConnectionTrait, QueryResult, Statement, Value};
use store::StoreResult;

use crate::dialect::Dialect;
use crate::errors::classify;

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

    fn statement<C: ConnectionTrait>(&self, on: &C, values: Vec<Value>) -> Statement {
        let backend = on.get_database_backend();
        Statement::from_sql_and_values(backend, self.text(Dialect::of(backend)), values)
    }
}
