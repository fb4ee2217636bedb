//! Reading tables piece by piece, so that neither their length nor the size of their rows is kept in memory.

use sqlx::AssertSqlSafe;
use store::StoreResult;

use super::end::{End, answered, failed};
use super::plan::{Column, Table, quoted};
use super::value::{Row, bytes_of, of_postgres, of_sqlite};

/// About how many bytes of rows are read at once.
pub(super) const PIECE_BYTES: usize = 4 << 20;

/// The most rows that are read at once.
const PIECE_ROWS: usize = 4_000;

/// The rows of the first piece, before it is known how large they are.
const FIRST_ROWS: usize = 64;

/// Where the reading of a table stands.
#[derive(Debug)]
pub(super) struct Reading {
    /// Of SQLite: the row that was read last.
    after: i64,
    rows: usize,
    is_open: bool,
    /// Which rows are read.
    condition: String,
}

impl Reading {
    /// Of the rows for which this holds.
    pub(super) fn of(condition: String) -> Self {
        Self { condition, ..Self::default() }
    }
}

impl Default for Reading {
    fn default() -> Self {
        Self { after: i64::MIN, rows: FIRST_ROWS, is_open: false, condition: "true".to_owned() }
    }
}

impl End {
    /// The next rows of a table; none at its end. To be called within one transaction.
    pub(super) async fn piece(
        &mut self,
        table: &Table,
        columns: &[Column],
        reading: &mut Reading,
    ) -> StoreResult<Vec<Row>> {
        let list = table.column_list();
        let rows = match self {
            Self::Postgres(connection) => {
                if !reading.is_open {
                    let text = format!(
                        "DECLARE moved_rows NO SCROLL CURSOR FOR SELECT {list} FROM {} WHERE {}",
                        table.name, reading.condition
                    );
                    answered(sqlx::query(AssertSqlSafe(text)).execute(connection.as_mut())).await?;
                    reading.is_open = true;
                }
                let text = format!("FETCH {} FROM moved_rows", reading.rows);
                let query = sqlx::query(AssertSqlSafe(text)).persistent(false);
                let rows = answered(query.fetch_all(connection.as_mut())).await?;
                let read = rows.iter().map(|row| {
                    let values = columns.iter().enumerate();
                    values.map(|(at, column)| of_postgres(row, at, column.kind)).collect()
                });
                let read: Vec<Row> = read.collect::<Result<_, sqlx::Error>>().map_err(failed)?;
                if read.is_empty() {
                    answered(sqlx::query("CLOSE moved_rows").execute(connection.as_mut())).await?;
                }
                read
            }
            Self::Sqlite(connection) => {
                let text = format!(
                    "SELECT {list}, rowid FROM {} WHERE rowid > ?1 AND {} ORDER BY rowid LIMIT ?2",
                    quoted(table.name),
                    reading.condition
                );
                let query = sqlx::query(AssertSqlSafe(text)).bind(reading.after);
                let query = query.bind(i64::try_from(reading.rows).unwrap_or(i64::MAX));
                let rows = query.fetch_all(connection.as_mut()).await.map_err(failed)?;
                if let Some(last) = rows.last() {
                    reading.after = sqlx::Row::try_get(last, columns.len()).map_err(failed)?;
                }
                let read = rows.iter().map(|row| (0..columns.len()).map(|at| of_sqlite(row, at)).collect());
                read.collect::<Result<Vec<Row>, sqlx::Error>>().map_err(failed)?
            }
        };
        reading.rows = next_rows(&rows, reading.rows);
        Ok(rows)
    }

    /// Begins a transaction that sees one state of the database.
    pub(super) async fn begin_reading(&mut self) -> StoreResult<()> {
        let text =
            if self.is_postgres() { "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" } else { "BEGIN" };
        self.run(text).await
    }
}

/// As many rows as have about the wanted size, if they are like the last ones.
fn next_rows(read: &[Row], before: usize) -> usize {
    if read.is_empty() {
        return before;
    }
    let bytes: usize = read.iter().map(|row| bytes_of(row)).sum();
    let each = (bytes / read.len()).max(1);
    // Never many more than before: the rows that come may be larger.
    (PIECE_BYTES / each).clamp(1, PIECE_ROWS).min(before.saturating_mul(4))
}

#[cfg(test)]
mod tests {
    use super::super::value::Value;
    use super::*;

    #[test]
    fn large_rows_are_read_in_small_pieces() {
        let row = |bytes: usize| vec![Value::Bytes(vec![0; bytes])];
        assert_eq!(next_rows(&[row(1 << 20), row(1 << 20)], 64), 4);
        assert_eq!(next_rows(&[row(10)], 64), 256);
        assert_eq!(next_rows(&[row(10)], 4_000), PIECE_ROWS);
        assert_eq!(next_rows(&[row(100 << 20)], 64), 1);
        assert_eq!(next_rows(&[], 64), 64);
    }
}
