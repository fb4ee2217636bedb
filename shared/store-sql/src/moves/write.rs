//! Writing rows to the target.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use store::StoreResult;

use super::end::{End, answered, failed, refused};
use super::plan::{Table, quoted};
use super::value::{Kind, Row, Value};

/// What a copy in PostgreSQL's binary format begins with: its signature, no flags, no extension.
const COPY_HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// What it ends with.
const COPY_END: [u8; 2] = (-1_i16).to_be_bytes();

impl End {
    /// Inserts rows, all or none of them.
    pub(super) async fn insert(&mut self, table: &Table, rows: &[Row]) -> StoreResult<()> {
        match self {
            Self::Postgres(connection) => copy_in(connection, table, rows).await,
            Self::Sqlite(connection) => insert_sqlite(connection, table, rows).await,
        }
    }

    /// Lets rows that come be numbered after all that were ever there.
    pub(super) async fn advance_identity(&mut self, table: &Table, last: i64) -> StoreResult<()> {
        let Some(column) = table.identity() else {
            return Ok(());
        };
        let name = table.name;
        let text = if self.is_postgres() {
            format!("SELECT setval(pg_get_serial_sequence('{name}', '{column}'), {last})")
        } else {
            format!(
                "UPDATE sqlite_sequence SET seq = {last} WHERE name = '{name}';
                 INSERT INTO sqlite_sequence (name, seq)
                 SELECT '{name}', {last} WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '{name}')"
            )
        };
        self.run(&text).await
    }

    /// The largest number that a row of the table ever had; nothing where there never was one.
    pub(super) async fn last_identity(&mut self, table: &Table) -> StoreResult<Option<i64>> {
        let Some(column) = table.identity() else {
            return Ok(None);
        };
        let name = table.name;
        if !self.is_postgres() {
            return self.number(&format!("SELECT seq FROM sqlite_sequence WHERE name = '{name}'")).await;
        }
        let sequence = format!("SELECT pg_get_serial_sequence('{name}', '{column}')");
        let Some(sequence) = self.texts(&sequence).await?.into_iter().next() else {
            return Ok(None);
        };
        self.number(&format!("SELECT CASE WHEN is_called THEN last_value END FROM {sequence}")).await
    }
}

async fn copy_in(connection: &mut PgConnection, table: &Table, rows: &[Row]) -> StoreResult<()> {
    let text = format!("COPY {} ({}) FROM STDIN (FORMAT binary)", table.name, table.column_list());
    let mut bytes = COPY_HEADER.to_vec();
    for row in rows {
        encode(&mut bytes, table, row)?;
    }
    bytes.extend(COPY_END);
    answered(async {
        let mut copy = connection.copy_in_raw(&text).await?;
        copy.send(bytes).await?;
        copy.finish().await.map(drop)
    })
    .await
}

/// A row as PostgreSQL takes it: the number of its fields, then each with its length, which is -1 for null.
fn encode(into: &mut Vec<u8>, table: &Table, row: &[Value]) -> StoreResult<()> {
    let count = i16::try_from(row.len()).map_err(|_| refused("a table has too many columns"))?;
    into.extend(count.to_be_bytes());
    for (value, column) in row.iter().zip(&table.target) {
        let misfit =
            || refused(format!("a value of {}.{} does not fit into the target", table.name, column.name));
        let field: Vec<u8> = match (value, column.kind) {
            (Value::Null, _) => {
                into.extend((-1_i32).to_be_bytes());
                continue;
            }
            (Value::Int(number), Kind::Int2) => {
                i16::try_from(*number).map_err(|_| misfit())?.to_be_bytes().to_vec()
            }
            (Value::Int(number), Kind::Int4) => {
                i32::try_from(*number).map_err(|_| misfit())?.to_be_bytes().to_vec()
            }
            (Value::Int(number), Kind::Int8) => number.to_be_bytes().to_vec(),
            (Value::Real(number), Kind::Real) => number.to_be_bytes().to_vec(),
            // PostgreSQL keeps no text with the character 0.
            (Value::Text(text), Kind::Text) if !text.contains('\0') => text.as_bytes().to_vec(),
            (Value::Bytes(bytes), Kind::Bytes) => bytes.clone(),
            (Value::Bytes(bytes), Kind::Uuid) if bytes.len() == 16 => bytes.clone(),
            _ => return Err(misfit()),
        };
        let length = i32::try_from(field.len()).map_err(|_| misfit())?;
        into.extend(length.to_be_bytes());
        into.extend(field);
    }
    Ok(())
}

async fn insert_sqlite(connection: &mut SqliteConnection, table: &Table, rows: &[Row]) -> StoreResult<()> {
    let marks: Vec<String> = (1..=table.target.len()).map(|number| format!("?{number}")).collect();
    let text =
        format!("INSERT INTO {} ({}) VALUES ({})", quoted(table.name), table.column_list(), marks.join(", "));
    let mut transaction = connection.begin().await.map_err(failed)?;
    for row in rows {
        let mut query = sqlx::query(AssertSqlSafe(text.as_str()));
        for value in row {
            query = match value {
                Value::Null => query.bind(None::<i64>),
                Value::Int(number) => query.bind(*number),
                Value::Real(number) => query.bind(*number),
                Value::Text(text) => query.bind(text.as_str()),
                Value::Bytes(bytes) => query.bind(bytes.as_slice()),
            };
        }
        query.execute(&mut *transaction).await.map_err(failed)?;
    }
    transaction.commit().await.map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::super::plan::Column;
    use super::*;

    fn table(kinds: &[Kind]) -> Table {
        let column = |&kind: &Kind| Column { name: "c".to_owned(), kind, is_identity: false };
        let columns: Vec<Column> = kinds.iter().map(column).collect();
        Table { name: "t", source: columns.clone(), target: columns }
    }

    #[test]
    fn rows_are_encoded_as_postgres_takes_them() {
        let mut bytes = Vec::new();
        let row = [Value::Int(-1), Value::Null, Value::Text("é".into())];
        encode(&mut bytes, &table(&[Kind::Int2, Kind::Int8, Kind::Text]), &row).unwrap();
        let expected: &[u8] = &[0, 3, 0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 2, 0xc3, 0xa9];
        assert_eq!(bytes, expected);
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        for (value, kind) in [
            (Value::Int(1 << 40), Kind::Int4),
            (Value::Text("a\0".into()), Kind::Text),
            (Value::Bytes(vec![1]), Kind::Uuid),
            (Value::Text("1".into()), Kind::Int8),
        ] {
            let refused = encode(&mut Vec::new(), &table(&[kind]), &[value]).expect_err("it does not fit");
            assert!(refused.to_string().contains("t.c"), "{refused}");
        }
    }
}
