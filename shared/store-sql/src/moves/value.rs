//! Values as both databases hold them, and digests of rows.

use sha2::{Digest as _, Sha256};
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgRow, PgValueFormat};
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Row as _, Sqlite, TypeInfo as _, ValueRef as _};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Numbers of 16 bits.
    Int2,
    /// Numbers of 32 bits.
    Int4,
    /// Numbers of 64 bits.
    Int8,
    /// Numbers with fractions.
    Real,
    /// Text.
    Text,
    /// Bytes.
    Bytes,
    /// A UUID; its sixteen bytes on SQLite.
    Uuid,
}

impl Kind {
    /// By the name that the catalog of PostgreSQL gives a type.
    pub(super) fn of_postgres(name: &str) -> Option<Self> {
        Some(match name {
            "int2" => Self::Int2,
            "int4" => Self::Int4,
            "int8" => Self::Int8,
            "float8" => Self::Real,
            "text" => Self::Text,
            "bytea" => Self::Bytes,
            "uuid" => Self::Uuid,
            _ => return None,
        })
    }

    /// By the type that a column of SQLite was declared with. UUIDs and bytes look the same there.
    pub(super) fn of_sqlite(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "smallint" => Self::Int2,
            "integer" | "int" => Self::Int4,
            "bigint" => Self::Int8,
            "double precision" => Self::Real,
            "text" => Self::Text,
            "blob" => Self::Bytes,
            _ => return None,
        })
    }

    /// Its name in casts of PostgreSQL.
    pub(super) const fn postgres(self) -> &'static str {
        match self {
            Self::Int2 => "int2",
            Self::Int4 => "int4",
            Self::Int8 => "int8",
            Self::Real => "float8",
            Self::Text => "text",
            Self::Bytes => "bytea",
            Self::Uuid => "uuid",
        }
    }
}

/// One value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// Nothing.
    Null,
    /// A number.
    Int(i64),
    /// A number with a fraction.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes, or a UUID.
    Bytes(Vec<u8>),
}

impl Value {
    /// About how much memory it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Null | Self::Int(_) | Self::Real(_) => 8,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    fn feed(&self, hasher: &mut Sha256) {
        let mut tagged = |tag: u8, bytes: &[u8]| {
            hasher.update([tag]);
            hasher.update((bytes.len() as u64).to_be_bytes());
            hasher.update(bytes);
        };
        match self {
            Self::Null => tagged(0, &[]),
            Self::Int(number) => tagged(1, &number.to_be_bytes()),
            Self::Real(number) => tagged(2, &number.to_bits().to_be_bytes()),
            Self::Text(text) => tagged(3, text.as_bytes()),
            Self::Bytes(bytes) => tagged(4, bytes),
        }
    }
}

/// A row, in the order of the columns of its table.
pub(super) type Row = Vec<Value>;

/// About how much memory a row takes, in bytes.
pub(super) fn bytes_of(row: &[Value]) -> usize {
    row.iter().map(Value::bytes).sum()
}

/// The number of rows and a digest of them that does not depend on their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RowsDigest {
    /// How many.
    pub(super) rows: u64,
    /// The sum of the first 128 bits of the SHA-256 of each row.
    pub(super) sum: u128,
}

impl RowsDigest {
    /// Counts a row.
    pub(super) fn add(&mut self, row: &[Value]) {
        let mut hasher = Sha256::new();
        for value in row {
            value.feed(&mut hasher);
        }
        let hash: [u8; 32] = hasher.finalize().into();
        let (first, _) = hash.split_at(16);
        let first = first.iter().fold(0_u128, |number, &byte| (number << 8) | u128::from(byte));
        self.rows += 1;
        self.sum = self.sum.wrapping_add(first);
    }
}

/// Reads a value of a row of SQLite.
pub(super) fn of_sqlite(row: &SqliteRow, at: usize) -> Result<Value, sqlx::Error> {
    let raw = row.try_get_raw(at)?;
    if raw.is_null() {
        return Ok(Value::Null);
    }
    let kind = raw.type_info().name().to_owned();
    let read = match kind.as_str() {
        "INTEGER" => <i64 as Decode<Sqlite>>::decode(raw).map(Value::Int),
        "REAL" => <f64 as Decode<Sqlite>>::decode(raw).map(Value::Real),
        "TEXT" => <String as Decode<Sqlite>>::decode(raw).map(Value::Text),
        "BLOB" => <Vec<u8> as Decode<Sqlite>>::decode(raw).map(Value::Bytes),
        other => Err(format!("a value of the type {other}").into()),
    };
    read.map_err(sqlx::Error::Decode)
}

/// Reads a value of a row of PostgreSQL.
pub(super) fn of_postgres(row: &PgRow, at: usize, kind: Kind) -> Result<Value, sqlx::Error> {
    let raw = row.try_get_raw(at)?;
    if raw.is_null() {
        return Ok(Value::Null);
    }
    if raw.format() != PgValueFormat::Binary {
        return Err(sqlx::Error::Decode("a value that is not binary".into()));
    }
    let read = raw.as_bytes().and_then(|bytes| decode(bytes, kind));
    read.map_err(sqlx::Error::Decode)
}

fn decode(bytes: &[u8], kind: Kind) -> Result<Value, BoxDynError> {
    Ok(match kind {
        Kind::Int2 => Value::Int(i16::from_be_bytes(bytes.try_into()?).into()),
        Kind::Int4 => Value::Int(i32::from_be_bytes(bytes.try_into()?).into()),
        Kind::Int8 => Value::Int(i64::from_be_bytes(bytes.try_into()?)),
        Kind::Real => Value::Real(f64::from_be_bytes(bytes.try_into()?)),
        Kind::Text => Value::Text(str::from_utf8(bytes)?.to_owned()),
        Kind::Bytes | Kind::Uuid => Value::Bytes(bytes.to_vec()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(rows: &[Row]) -> RowsDigest {
        let mut digest = RowsDigest::default();
        for row in rows {
            digest.add(row);
        }
        digest
    }

    #[test]
    fn digests_depend_on_rows_and_not_on_their_order() {
        let one = vec![Value::Int(1), Value::Text("a".into())];
        let two = vec![Value::Int(2), Value::Null];
        assert_eq!(digest(&[one.clone(), two.clone()]), digest(&[two.clone(), one.clone()]));
        let empty = vec![Value::Int(2), Value::Text(String::new())];
        assert_ne!(digest(&[one.clone(), two]), digest(&[one, empty]), "nothing is not empty text");
        let (left, right) = (
            vec![Value::Text("ab".into()), Value::Text("c".into())],
            vec![Value::Text("a".into()), Value::Text("bc".into())],
        );
        assert_ne!(digest(&[left]), digest(&[right]), "where a value ends counts");
    }

    #[test]
    fn numbers_of_all_widths_are_read() {
        assert_eq!(decode(&[0xff, 0xfe], Kind::Int2).unwrap(), Value::Int(-2));
        assert_eq!(decode(&[0, 0, 1, 0], Kind::Int4).unwrap(), Value::Int(256));
        assert_eq!(decode(&i64::MIN.to_be_bytes(), Kind::Int8).unwrap(), Value::Int(i64::MIN));
        assert!(decode(&[1], Kind::Int8).is_err());
    }
}
