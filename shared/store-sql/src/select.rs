//! Lists and counts whose conditions depend on the call.
//!
//! Each condition that is asked for becomes part of the text, and the others do not: a statement that covers all
//! cases (`$1 IS NULL OR …`) can use no index. There are few combinations in use, so they are prepared all the same.

use sea_orm::{ConnectionTrait, QueryResult, Statement, Value};
use store::StoreResult;

use crate::dialect::Dialect;
use crate::errors::classify;

/// A select that is being put together.
#[derive(Debug)]
pub(crate) struct Select {
    name: &'static str,
    text: String,
    values: Vec<Value>,
}

impl Select {
    /// Begins with everything up to a first condition (`… WHERE true`). `name` is what errors call it. The text may
    /// hold fragments (see [`Dialect`]), but no row sources.
    pub(crate) fn new(name: &'static str, text: &str) -> Self {
        Self { name, text: text.to_owned(), values: Vec::new() }
    }

    /// Appends text in which `$?` stands for the value, wherever it occurs.
    pub(crate) fn with(&mut self, text: &str, value: impl Into<Value>) {
        self.values.push(value.into());
        self.push(&text.replace("$?", &format!("${}", self.values.len())));
    }

    /// Appends text in which `$?` stands for the value, if there is one.
    pub(crate) fn with_some(&mut self, text: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.with(text, value);
        }
    }

    /// Appends text.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push(' ');
        self.text.push_str(text);
    }

    /// Runs it and answers its rows.
    pub(crate) async fn all<C: ConnectionTrait>(self, on: &C) -> StoreResult<Vec<QueryResult>> {
        let (name, statement) = self.statement(on);
        on.query_all_raw(statement).await.map_err(|error| classify(name, error))
    }

    /// Runs it and answers its first row.
    pub(crate) async fn first<C: ConnectionTrait>(self, on: &C) -> StoreResult<Option<QueryResult>> {
        let (name, statement) = self.statement(on);
        on.query_one_raw(statement).await.map_err(|error| classify(name, error))
    }

    /// Its text and its values.
    #[cfg(test)]
    pub(crate) fn into_parts(self, dialect: Dialect) -> (String, Vec<Value>) {
        (dialect.render(&self.text), self.values)
    }

    fn statement<C: ConnectionTrait>(self, on: &C) -> (&'static str, Statement) {
        let backend = on.get_database_backend();
        let text = Dialect::of(backend).render(&self.text);
        (self.name, Statement::from_sql_and_values(backend, text, self.values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_conditions_that_are_asked_for_are_in_the_text() {
        let mut select = Select::new("list", "SELECT id FROM job WHERE true");
        select.with_some("AND tenant = $?", Some("a"));
        select.with_some("AND queue = $?", None::<i16>);
        select.with("AND (run_at > $? OR created_at > $?)", 5_i64);
        select.push("ORDER BY id");
        assert_eq!(
            select.text,
            "SELECT id FROM job WHERE true AND tenant = $1 AND (run_at > $2 OR created_at > $2) ORDER BY id"
        );
        assert_eq!(select.values, [Value::from("a"), Value::from(5_i64)]);
    }
}
