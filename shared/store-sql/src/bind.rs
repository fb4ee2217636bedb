//! Binding values: scalars by `Into<Value>`, lists and row sources as arrays (PostgreSQL) or JSON text (SQLite).
//!
//! The text of a statement never depends on how many values are bound.

use sea_orm::Value;
use sea_orm::sea_query::ArrayType;
use uuid::Uuid;

use crate::dialect::{Dialect, NULL_BIGINT};

/// One value of a row source.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cell<'a> {
    /// `uuid`
    Uuid(Uuid),
    /// `uuid?`
    UuidOrNull(Option<Uuid>),
    /// `int`
    Int(i32),
    /// `bigint`
    Long(i64),
    /// `bigint?`
    LongOrNull(Option<i64>),
    /// `text`
    Text(&'a str),
    /// `text?`; empty text becomes null.
    TextOrNull(Option<&'a str>),
    /// `bytes`
    Bytes(&'a [u8]),
}

/// The parameters of a row source, to be appended to those before it. There must be at least one row.
pub(crate) fn rows<'a, const N: usize>(
    dialect: Dialect,
    rows: impl ExactSizeIterator<Item = [Cell<'a>; N]>,
) -> Vec<Value> {
    debug_assert!(rows.len() > 0, "a row source without rows has no types");
    match dialect {
        Dialect::Postgres => arrays(rows),
        Dialect::Sqlite => vec![Value::from(json_rows(rows))],
    }
}

/// The parameters of a row source that may have no rows; `shape` is a row of the right types.
pub(crate) fn rows_or_none<'a, const N: usize>(
    dialect: Dialect,
    shape: [Cell<'static>; N],
    some: impl ExactSizeIterator<Item = [Cell<'a>; N]>,
) -> Vec<Value> {
    match dialect {
        Dialect::Postgres if some.len() == 0 => {
            shape.into_iter().map(|cell| array(element(cell).0, Vec::new())).collect()
        }
        Dialect::Postgres => arrays(some),
        Dialect::Sqlite => vec![Value::from(json_rows(some))],
    }
}

/// The parameters of a list of UUIDs.
pub(crate) fn uuids(dialect: Dialect, uuids: impl ExactSizeIterator<Item = Uuid>) -> Value {
    match dialect {
        Dialect::Postgres => array(ArrayType::Uuid, uuids.map(Value::from).collect()),
        Dialect::Sqlite => list_text(uuids.map(Cell::Uuid)),
    }
}

/// The parameter of a list of numbers.
pub(crate) fn longs(dialect: Dialect, longs: impl ExactSizeIterator<Item = i64>) -> Value {
    match dialect {
        Dialect::Postgres => array(ArrayType::BigInt, longs.map(Value::from).collect()),
        Dialect::Sqlite => list_text(longs.map(Cell::Long)),
    }
}

/// The parameter of a list of small numbers. PostgreSQL only.
pub(crate) fn ints(ints: impl ExactSizeIterator<Item = i32>) -> Value {
    array(ArrayType::Int, ints.map(Value::from).collect())
}

/// The parameter of a list of texts.
pub(crate) fn texts<'a>(dialect: Dialect, texts: impl ExactSizeIterator<Item = &'a str>) -> Value {
    match dialect {
        Dialect::Postgres => array(ArrayType::String, texts.map(Value::from).collect()),
        Dialect::Sqlite => list_text(texts.map(Cell::Text)),
    }
}

fn array(kind: ArrayType, values: Vec<Value>) -> Value {
    Value::Array(kind, Some(Box::new(values)))
}

fn arrays<'a, const N: usize>(rows: impl ExactSizeIterator<Item = [Cell<'a>; N]>) -> Vec<Value> {
    let mut kinds: [Option<ArrayType>; N] = [const { None }; N];
    let mut columns: [Vec<Value>; N] = std::array::from_fn(|_| Vec::with_capacity(rows.len()));
    for row in rows {
        for (index, cell) in row.into_iter().enumerate() {
            let (kind, value) = element(cell);
            kinds[index].get_or_insert(kind);
            columns[index].push(value);
        }
    }
    let kinds = kinds.into_iter().map(|kind| kind.unwrap_or(ArrayType::String));
    kinds.zip(columns).map(|(kind, values)| array(kind, values)).collect()
}

/// Arrays with null elements cannot be bound, so null is spelled as empty text or as [`NULL_BIGINT`].
fn element(cell: Cell<'_>) -> (ArrayType, Value) {
    match cell {
        Cell::Uuid(uuid) => (ArrayType::Uuid, uuid.into()),
        Cell::UuidOrNull(uuid) => {
            (ArrayType::String, uuid.map(|uuid| uuid.to_string()).unwrap_or_default().into())
        }
        Cell::Int(int) => (ArrayType::Int, int.into()),
        Cell::Long(long) => (ArrayType::BigInt, long.into()),
        Cell::LongOrNull(long) => (ArrayType::BigInt, long.unwrap_or(NULL_BIGINT).into()),
        Cell::Text(text) => (ArrayType::String, text.into()),
        Cell::TextOrNull(text) => (ArrayType::String, text.unwrap_or_default().into()),
        Cell::Bytes(bytes) => (ArrayType::Bytes, bytes.to_vec().into()),
    }
}

fn json_rows<'a, const N: usize>(rows: impl ExactSizeIterator<Item = [Cell<'a>; N]>) -> String {
    let mut json = String::with_capacity(rows.len() * N * 16);
    json.push('[');
    for (index, row) in rows.enumerate() {
        json.push_str(if index == 0 { "[" } else { ",[" });
        for (index, cell) in row.into_iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            push_json(&mut json, cell);
        }
        json.push(']');
    }
    json.push(']');
    json
}

fn list_text<'a>(cells: impl Iterator<Item = Cell<'a>>) -> Value {
    let mut json = String::from("[");
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            json.push(',');
        }
        push_json(&mut json, cell);
    }
    json.push(']');
    json.into()
}

fn push_json(json: &mut String, cell: Cell<'_>) {
    match cell {
        Cell::Uuid(uuid) | Cell::UuidOrNull(Some(uuid)) => {
            json.push('"');
            json.push_str(uuid.simple().encode_lower(&mut [0; 32]));
            json.push('"');
        }
        Cell::Int(int) => json.push_str(&int.to_string()),
        Cell::Long(long) | Cell::LongOrNull(Some(long)) => json.push_str(&long.to_string()),
        Cell::TextOrNull(Some("") | None) | Cell::UuidOrNull(None) | Cell::LongOrNull(None) => {
            json.push_str("null");
        }
        Cell::Text(text) | Cell::TextOrNull(Some(text)) => {
            json.push_str(&serde_json::Value::from(text).to_string());
        }
        Cell::Bytes(bytes) => push_hex(json, bytes),
    }
}

fn push_hex(json: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    json.reserve(bytes.len() * 2 + 2);
    json.push('"');
    for byte in bytes {
        json.push(char::from(DIGITS[usize::from(byte >> 4)]));
        json.push(char::from(DIGITS[usize::from(byte & 0xf)]));
    }
    json.push('"');
}
