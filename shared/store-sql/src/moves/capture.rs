//! What changes in a SQLite file while it is copied: triggers write down the key of each row that is written or removed.
//!
//! Keys are kept as the values they are, in columns without a type. A server that starts on a file on which a move broke off
//! removes the triggers and what they wrote.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use futures::TryStreamExt as _;
use sqlx::{AssertSqlSafe, Row as _, SqliteConnection};
use store::StoreResult;

use super::end::{End, answered, failed, refused};
use super::plan::{Column, Table, quoted};
use super::read::PIECE_BYTES;
use super::value::{Kind, Row, Value, bytes_of, of_sqlite};

/// The most columns that a key has.
const KEY_MAX: usize = 6;

/// How many changes are looked at together. Positions have no gaps.
const PAGE: usize = 4_000;

/// Keys of rows that have changed, by the number of their table.
pub(super) type Changed = BTreeMap<usize, Vec<Row>>;

/// The columns by which a row of a table is found at both ends, as numbers of its columns.
pub(super) async fn key_of(source: &mut End, table: &Table) -> StoreResult<Vec<usize>> {
    // PostgreSQL has no index on the positions of jobs alone.
    let names = match table.name {
        "job" => vec!["id".to_owned()],
        name => {
            source
                .texts(&format!("SELECT name FROM pragma_table_info('{name}') WHERE pk > 0 ORDER BY pk"))
                .await?
        }
    };
    let key: Vec<usize> =
        names.iter().filter_map(|name| table.source.iter().position(|column| column.name == *name)).collect();
    if key.is_empty() || key.len() > KEY_MAX || key.len() != names.len() {
        return Err(refused(format!("rows of {} cannot be found by a key", table.name)));
    }
    Ok(key)
}

fn key_columns<'a>(table: &'a Table, key: &'a [usize]) -> impl Iterator<Item = &'a Column> {
    key.iter().filter_map(|&at| table.target.get(at))
}

/// Writes down from now on what changes in these tables.
pub(super) async fn begin(source: &mut End, tables: &[(Table, Vec<usize>)]) -> StoreResult<()> {
    source.run("BEGIN IMMEDIATE").await?;
    remove(source).await?;
    let columns: Vec<String> = (1..=KEY_MAX).map(|number| format!("k{number}")).collect();
    let mut text = format!(
        "CREATE TABLE changed_row (position integer PRIMARY KEY, source_table integer NOT NULL, {});",
        columns.join(", ")
    );
    for (number, (table, key)) in tables.iter().enumerate() {
        let names: Vec<String> = key_columns(table, key).map(|column| quoted(&column.name)).collect();
        let into = format!("INSERT INTO changed_row (source_table, {})", columns[..names.len()].join(", "));
        let of = |row: &str| names.iter().map(|name| format!("{row}.{name}")).collect::<Vec<_>>().join(", ");
        let (old, new) = (of("OLD"), of("NEW"));
        let name = table.name;
        // Text takes whatever is written to it.
        let _ = write!(
            text,
            "CREATE TRIGGER changed_row_insert_{name} AFTER INSERT ON {name}
             BEGIN {into} VALUES ({number}, {new}); END;
             CREATE TRIGGER changed_row_delete_{name} AFTER DELETE ON {name}
             BEGIN {into} VALUES ({number}, {old}); END;
             CREATE TRIGGER changed_row_update_{name} AFTER UPDATE ON {name}
             BEGIN {into} VALUES ({number}, {old});
             {into} SELECT {number}, {new} WHERE ({new}) IS NOT ({old}); END;"
        );
    }
    source.run(&text).await?;
    source.run("COMMIT").await
}

/// Removes the triggers and what they wrote, within a transaction.
pub(super) async fn remove(source: &mut End) -> StoreResult<()> {
    let triggers =
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'changed@_row@_%' ESCAPE '@'";
    let triggers = source.texts(triggers).await?;
    let mut drops: Vec<String> =
        triggers.iter().map(|name| format!("DROP TRIGGER {}", quoted(name))).collect();
    drops.push("DROP TABLE IF EXISTS changed_row".to_owned());
    source.run(&drops.join("; ")).await
}

/// What was written down after one position and not after another, in pages: where each begins and ends.
pub(super) fn pages(after: i64, until: i64) -> impl Iterator<Item = (i64, i64)> {
    let page = i64::try_from(PAGE).unwrap_or(i64::MAX);
    (after..until).step_by(PAGE).map(move |from| (from, until.min(from.saturating_add(page))))
}

/// The last of what was written down.
pub(super) async fn last(source: &mut End) -> StoreResult<i64> {
    Ok(source.number("SELECT max(position) FROM changed_row").await?.unwrap_or_default())
}

/// The keys of a page, each once.
pub(super) async fn changed(
    source: &mut End,
    tables: &[(Table, Vec<usize>)],
    (after, until): (i64, i64),
) -> StoreResult<Changed> {
    let mut changed = Changed::new();
    let connection = sqlite(source)?;
    let columns: Vec<String> = (1..=KEY_MAX).map(|number| format!("k{number}")).collect();
    let text = format!(
        "SELECT DISTINCT source_table, {} FROM changed_row WHERE position > ?1 AND position <= ?2",
        columns.join(", ")
    );
    let query = sqlx::query(AssertSqlSafe(text)).bind(after).bind(until);
    let rows = query.fetch_all(connection).await.map_err(failed)?;
    for row in &rows {
        let number: i64 = row.try_get(0).map_err(failed)?;
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let (_, key) =
            tables.get(number).ok_or_else(|| refused("a change of an unknown table was written down"))?;
        let values = (1..=key.len()).map(|at| of_sqlite(row, at)).collect::<Result<Row, _>>();
        changed.entry(number).or_default().push(values.map_err(failed)?);
    }
    Ok(changed)
}

/// Copies the rows of a table whose keys were written down on a page, as they are now. What is there of them was removed from the
/// target. Neither their number nor their size is kept in memory.
pub(super) async fn copy(
    source: &mut End,
    target: &mut End,
    tables: &[(Table, Vec<usize>)],
    number: usize,
    (after, until): (i64, i64),
) -> StoreResult<()> {
    let (table, key) = &tables[number];
    let number = i64::try_from(number).map_err(|_| refused("there are too many tables"))?;
    let mut rows = sqlx::query(AssertSqlSafe(changed_rows(table, key)))
        .bind(after)
        .bind(until)
        .bind(number)
        .fetch(sqlite(source)?);
    let (mut read, mut bytes) = (Vec::<Row>::new(), 0);
    while let Some(row) = rows.try_next().await.map_err(failed)? {
        let row = (0..table.source.len()).map(|at| of_sqlite(&row, at)).collect::<Result<Row, _>>();
        let row = row.map_err(failed)?;
        bytes += bytes_of(&row);
        read.push(row);
        if bytes >= PIECE_BYTES {
            target.insert(table, &read).await?;
            read.clear();
            bytes = 0;
        }
    }
    if read.is_empty() { Ok(()) } else { target.insert(table, &read).await }
}

/// Rows by the keys of a page, each once. Their order is forced: the page is small, and the table has an index on its key.
fn changed_rows(table: &Table, key: &[usize]) -> String {
    let names: Vec<String> =
        table.source.iter().map(|column| format!("t.{}", quoted(&column.name))).collect();
    let columns: Vec<String> = (1..=key.len()).map(|number| format!("k{number}")).collect();
    let same: Vec<String> = key_columns(table, key)
        .zip(&columns)
        .map(|(column, changed)| format!("t.{} = c.{changed}", quoted(&column.name)))
        .collect();
    format!(
        "SELECT {} FROM (
           SELECT DISTINCT {} FROM changed_row WHERE position > ?1 AND position <= ?2 AND source_table = ?3
         ) c CROSS JOIN {} t WHERE {}",
        names.join(", "),
        columns.join(", "),
        quoted(table.name),
        same.join(" AND ")
    )
}

/// Removes the rows with these keys from the target, which is PostgreSQL.
pub(super) async fn delete(target: &mut End, table: &Table, key: &[usize], keys: &[Row]) -> StoreResult<()> {
    let End::Postgres(connection) = target else {
        return Err(refused("a store that is in use is moved to PostgreSQL only"));
    };
    let columns: Vec<&Column> = key_columns(table, key).collect();
    let names: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
    let lists = columns.iter().enumerate();
    let lists: Vec<String> =
        lists.map(|(number, column)| format!("${}::{}[]", number + 1, column.kind.postgres())).collect();
    let text = format!(
        "DELETE FROM {} WHERE ({names}) IN (SELECT * FROM UNNEST({}) AS changed ({names}))",
        table.name,
        lists.join(", "),
        names = names.join(", ")
    );
    let mut query = sqlx::query(AssertSqlSafe(text));
    for (at, column) in columns.iter().enumerate() {
        let of_column = keys.iter().filter_map(|key| key.get(at));
        query = match column.kind {
            Kind::Int2 => query.bind(numbers(of_column, |number| i16::try_from(number).ok())),
            Kind::Int4 => query.bind(numbers(of_column, |number| i32::try_from(number).ok())),
            Kind::Int8 => query.bind(numbers(of_column, Some)),
            Kind::Text => query.bind(
                of_column
                    .map(|value| if let Value::Text(text) = value { Some(text.clone()) } else { None })
                    .collect::<Vec<_>>(),
            ),
            Kind::Uuid => query.bind(
                of_column
                    .map(|value| {
                        if let Value::Bytes(bytes) = value {
                            uuid::Uuid::from_slice(bytes).ok()
                        } else {
                            None
                        }
                    })
                    .collect::<Vec<_>>(),
            ),
            Kind::Bytes => query.bind(
                of_column
                    .map(|value| if let Value::Bytes(bytes) = value { Some(bytes.clone()) } else { None })
                    .collect::<Vec<_>>(),
            ),
            Kind::Real => return Err(refused("a key with a fraction")),
        };
    }
    answered(query.execute(connection.as_mut())).await.map(drop)
}

fn numbers<'a, T>(
    values: impl Iterator<Item = &'a Value>,
    number: impl Fn(i64) -> Option<T>,
) -> Vec<Option<T>> {
    values.map(|value| if let Value::Int(int) = value { number(*int) } else { None }).collect()
}

fn sqlite(source: &mut End) -> StoreResult<&mut SqliteConnection> {
    match source {
        End::Sqlite(connection) => Ok(connection),
        End::Postgres(_) => Err(refused("a PostgreSQL store is moved without servers only")),
    }
}
