//! Which tables are moved, and what both ends say of their columns.

use std::collections::BTreeSet;

use sqlx::Row as _;
use store::StoreResult;

use super::end::{End, failed, refused};
use super::value::Kind;
use crate::schema::TABLES;

/// Rows of these are about the processes on a database, or about the database itself; or triggers write them, those of the
/// target too.
pub(super) const NOT_MOVED: [&str; 7] = [
    "dead_letter_change",
    "dead_letter_count",
    "dead_letter_hour",
    "dispatch_node",
    "node",
    "server",
    "store_state",
];

/// Those that triggers write.
const DERIVED: [&str; 3] = ["dead_letter_change", "dead_letter_count", "dead_letter_hour"];

/// Tables in which migrations leave rows.
const SEEDED: [&str; 7] = [
    "alert_turn",
    "dispatch",
    "dispatch_shard",
    "intake_lease",
    "lane_removal",
    "queue_claim",
    "store_state",
];

/// A column, as one end has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    /// Its name.
    pub(super) name: String,
    /// What it holds.
    pub(super) kind: Kind,
    /// Whether the database numbers its rows by it.
    pub(super) is_identity: bool,
}

/// A table that is moved.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// Its name.
    pub(super) name: &'static str,
    /// Its columns at the source.
    pub(super) source: Vec<Column>,
    /// The same columns in the same order at the target.
    pub(super) target: Vec<Column>,
}

impl Table {
    /// The names of the columns, quoted, with commas between them.
    pub(super) fn column_list(&self) -> String {
        let names: Vec<String> = self.source.iter().map(|column| quoted(&column.name)).collect();
        names.join(", ")
    }

    /// The column by which rows are numbered, where there is one.
    pub(super) fn identity(&self) -> Option<&str> {
        self.target.iter().find(|column| column.is_identity).map(|column| column.name.as_str())
    }
}

/// A name as it stands in statements.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The names of the tables that are moved.
pub(super) fn moved() -> impl Iterator<Item = &'static str> {
    TABLES.into_iter().filter(|table| !NOT_MOVED.contains(table))
}

/// The tables that are moved between these ends. Refused where a table or a column is on one of them only.
pub(super) async fn tables(source: &mut End, target: &mut End) -> StoreResult<Vec<Table>> {
    let mut tables = Vec::with_capacity(TABLES.len());
    for name in moved() {
        let (at_source, at_target) = (columns(source, name).await?, columns(target, name).await?);
        let in_order = at_source.iter().map(|column| {
            let same = at_target.iter().find(|other| other.name == column.name).cloned();
            same.ok_or_else(|| refused(format!("the column {name}.{} is missing in the target", column.name)))
        });
        let target: Vec<Column> = in_order.collect::<StoreResult<_>>()?;
        if target.len() != at_target.len() || target.is_empty() {
            return Err(refused(format!(
                "the table {name} has other columns in the target than in the source"
            )));
        }
        tables.push(Table { name, source: at_source, target });
    }
    Ok(tables)
}

/// The columns of a table, in the order of their names: databases keep them in different orders, and a digest of the rows is to be
/// the same on both.
async fn columns(end: &mut End, table: &str) -> StoreResult<Vec<Column>> {
    let rows: Vec<(String, String, bool)> = match end {
        End::Postgres(connection) => {
            let text =
                "SELECT column_name::text, udt_name::text, is_identity::text FROM information_schema.columns
                        WHERE table_schema = current_schema() AND table_name = $1 ORDER BY column_name::text COLLATE \"C\"";
            let rows = sqlx::query(text).bind(table).fetch_all(connection.as_mut()).await.map_err(failed)?;
            let read = rows.iter().map(|row| -> Result<_, sqlx::Error> {
                Ok((row.try_get(0)?, row.try_get(1)?, row.try_get::<String, _>(2)? == "YES"))
            });
            read.collect::<Result<_, _>>().map_err(failed)?
        }
        End::Sqlite(connection) => {
            // An identity is what SQLite never reuses the numbers of.
            let text = "SELECT c.name, c.type, c.pk = 1 AND t.sql LIKE '%AUTOINCREMENT%' AND lower(c.type) = 'integer'
                        FROM pragma_table_info(?1) c, sqlite_master t
                        WHERE t.type = 'table' AND t.name = ?1 ORDER BY c.name";
            let rows = sqlx::query(text).bind(table).fetch_all(connection.as_mut()).await.map_err(failed)?;
            let read = rows.iter().map(|row| -> Result<_, sqlx::Error> {
                Ok((row.try_get(0)?, row.try_get(1)?, row.try_get::<i64, _>(2)? == 1))
            });
            read.collect::<Result<_, _>>().map_err(failed)?
        }
    };
    let is_postgres = end.is_postgres();
    let kinds = rows.into_iter().map(|(name, declared, is_identity)| {
        let kind = if is_postgres { Kind::of_postgres(&declared) } else { Kind::of_sqlite(&declared) };
        let kind = kind
            .ok_or_else(|| refused(format!("the column {table}.{name} has the unknown type {declared}")))?;
        Ok(Column { name, kind, is_identity })
    });
    kinds.collect()
}

/// Refused unless nothing was ever stored there. Older schemas do not have all tables.
pub(super) async fn require_empty(target: &mut End, place: &str) -> StoreResult<()> {
    let seeded = BTreeSet::from(SEEDED);
    for table in TABLES.into_iter().filter(|table| !seeded.contains(table)) {
        if !target.has_table(table).await? {
            continue;
        }
        let text = format!("SELECT CAST(1 AS bigint) FROM {table} LIMIT 1");
        if target.number(&text).await?.is_some() {
            return Err(refused(format!(
                "{place} is not empty (there are rows in {table}): a store is moved to a database without one"
            )));
        }
    }
    Ok(())
}

/// Removes all rows of the tables that are moved, and then what follows from them.
pub(super) async fn clear(target: &mut End) -> StoreResult<()> {
    let text = if target.is_postgres() {
        format!("TRUNCATE {}", moved().chain(DERIVED).collect::<Vec<_>>().join(", "))
    } else {
        moved().chain(DERIVED).map(|table| format!("DELETE FROM {table}")).collect::<Vec<_>>().join("; ")
    };
    target.run(&text).await
}
