//! The schema of PostgreSQL in which the tables are.
//!
//! It is a setting that every session gets. Left to itself, the server looks first for a schema that is named like the
//! user, so that one `CREATE SCHEMA` would hide a store and let the next start make another one.

use std::fmt;
use std::path::PathBuf;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};
use store::{StoreError, StoreResult};

use crate::errors::classify_sqlx;

/// As long as names of PostgreSQL are.
const LENGTH_MAX: usize = 63;

/// The name of a schema. Displays quoted, as it stands in statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaName(String);

impl SchemaName {
    /// Reads a name.
    pub(crate) fn parse(name: &str) -> StoreResult<Self> {
        let is_usable = |c: char| !c.is_control() && c != '"' && c != '$';
        if name.is_empty() || name.len() > LENGTH_MAX || !name.chars().all(is_usable) {
            return Err(StoreError::Url {
                reason: "database.schema must be the name of a schema: 1 to 63 bytes without quotes, dollar signs \
                         and control characters"
                    .to_owned(),
            });
        }
        Ok(Self(name.to_owned()))
    }

    /// The name without quotes.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SchemaName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }
}

/// Refuses to go on where the configured schema has no store and another one has: it would be hidden by a new one.
pub(crate) async fn check(database: &Database) -> StoreResult<()> {
    let Database::Postgres { options, schema, .. } = database else {
        return Ok(());
    };
    let looked = async {
        let mut connection = PgConnection::connect_with(options).await?;
        let found = stores(&mut connection).await?;
        connection.close().await?;
        Ok(found)
    };
    refuse_elsewhere(schema, &looked.await.map_err(|error| classify_sqlx("connect", error))?)
}

/// The schemas of the database in which there is a store.
async fn stores(connection: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
    let text = "SELECT n.nspname::text FROM pg_namespace n
        WHERE (SELECT count(*) FROM pg_class c
               WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p')
                 AND c.relname IN ('queue_claim', 'seaql_migrations')) = 2
        ORDER BY n.nspname";
    let rows = connection.fetch_all(sqlx::raw_sql(text)).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

fn refuse_elsewhere(schema: &SchemaName, stores: &[String]) -> StoreResult<()> {
    match stores.first() {
        Some(found) if !stores.iter().any(|found| found == schema.as_str()) => {
            Err(StoreError::Elsewhere { wanted: schema.as_str().to_owned(), found: found.clone() })
        }
        _ => Ok(()),
    }
}

/// What a URL stands for. Not `Debug`: the options of PostgreSQL hold the password in clear text.
#[derive(Clone)]
pub(crate) enum Database {
    /// A PostgreSQL database.
    Postgres {
        /// How to connect.
        options: Box<PgConnectOptions>,
        /// Whether a pooler lends the connections out by transaction.
        is_shared: bool,
        /// Where the tables are.
        schema: SchemaName,
    },
    /// A SQLite file.
    SqliteFile(PathBuf),
    /// A SQLite database that is gone when the store is.
    SqliteMemory,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_never_expand() {
        assert_eq!(SchemaName::parse("My jobs").expect("a name").to_string(), "\"My jobs\"");
        for name in ["", "$user", "a\"b", "a\nb", &"x".repeat(64)] {
            assert!(SchemaName::parse(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_store_elsewhere_is_named() {
        let public = SchemaName::parse("public").expect("a name");
        let both = ["public".to_owned(), "trunkline".to_owned()];
        assert!(refuse_elsewhere(&public, &[]).is_ok());
        assert!(refuse_elsewhere(&public, &both).is_ok());
        let refused = refuse_elsewhere(&public, &both[1..]).expect_err("there is one elsewhere");
        assert!(refused.to_string().contains("trunkline"), "{refused}");
    }
}
