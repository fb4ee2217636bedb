//! Binding values: scalars by `Into<Value>`, lists and row sources as arrays (PostgreSQL) or JSON text (SQLite).
//!
//! The text of a statement never depends on how many values are bound.

use std::borrow::Cow;

use sea_orm::Value;
use sea_orm::sea_query::ArrayType;
use sqlx::{Encode, Postgres, Type};
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

/// The values of one column of a row source, as PostgreSQL takes them.
#[derive(Debug)]
pub(crate) enum List<'a> {
    Uuids(Vec<Uuid>),
    Ints(Vec<i32>),
    Longs(Vec<i64>),
    Texts(Vec<Cow<'a, str>>),
    Bytes(Vec<&'a [u8]>),
}

/// A parameter that is no list.
pub(crate) trait Scalar: Into<Value> + for<'q> Encode<'q, Postgres> + Type<Postgres> {}

impl<T: Into<Value> + for<'q> Encode<'q, Postgres> + Type<Postgres>> Scalar for T {}

/// Where parameters go, in order: values for any connection or transaction, or
/// [`Arguments`](crate::columns::Arguments), which cost a hot statement less.
pub(crate) trait Parameters {
    /// Adds one value.
    fn add(&mut self, value: impl Scalar);

    /// Adds a list. PostgreSQL only.
    fn add_list(&mut self, list: List<'_>);
}

impl Parameters for Vec<Value> {
    fn add(&mut self, value: impl Scalar) {
        self.push(value.into());
    }

    fn add_list(&mut self, list: List<'_>) {
        self.push(match list {
            List::Uuids(uuids) => array(ArrayType::Uuid, uuids.into_iter().map(Value::from).collect()),
            List::Ints(ints) => array(ArrayType::Int, ints.into_iter().map(Value::from).collect()),
            List::Longs(longs) => array(ArrayType::BigInt, longs.into_iter().map(Value::from).collect()),
            List::Texts(texts) => {
                let owned = texts.into_iter().map(|text| Value::from(text.into_owned()));
                array(ArrayType::String, owned.collect())
            }
            List::Bytes(all) => {
                array(ArrayType::Bytes, all.into_iter().map(|bytes| bytes.to_vec().into()).collect())
            }
        });
    }
}

/// The parameters of a row source, to be appended to those before it. There must be at least one row.
pub(crate) fn rows<'a, const N: usize>(
    dialect: Dialect,
    rows: impl ExactSizeIterator<Item = [Cell<'a>; N]>,
) -> Vec<Value> {
    let mut values = Vec::with_capacity(N);
    add_rows(&mut values, dialect, rows);
    values
}

/// Adds the parameters of a row source. There must be at least one row: without, nothing is added.
pub(crate) fn add_rows<'a, const N: usize>(
    to: &mut impl Parameters,
    dialect: Dialect,
    rows: impl ExactSizeIterator<Item = [Cell<'a>; N]>,
) {
    debug_assert!(rows.len() > 0, "a row source without rows has no types");
    let mut rows = rows.peekable();
    if let Some(shape) = rows.peek().copied() {
        add_rows_or_none(to, dialect, shape, rows);
    }
}

/// Adds the parameters of a row source that may have no rows; `shape` is a row of the right types.
pub(crate) fn add_rows_or_none<'a, const N: usize>(
    to: &mut impl Parameters,
    dialect: Dialect,
    shape: [Cell<'a>; N],
    rows: impl ExactSizeIterator<Item = [Cell<'a>; N]>,
) {
    match dialect {
        Dialect::Postgres => {
            let mut lists = shape.map(|cell| List::of_kind(cell, rows.len()));
            for row in rows {
                for (list, cell) in lists.iter_mut().zip(row) {
                    list.push(cell);
                }
            }
            for list in lists {
                to.add_list(list);
            }
        }
        Dialect::Sqlite => to.add(json_rows(rows)),
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

impl<'a> List<'a> {
    /// None yet, of a cell's type.
    fn of_kind(cell: Cell<'_>, capacity: usize) -> Self {
        match cell {
            Cell::Uuid(_) => Self::Uuids(Vec::with_capacity(capacity)),
            Cell::Int(_) => Self::Ints(Vec::with_capacity(capacity)),
            Cell::Long(_) | Cell::LongOrNull(_) => Self::Longs(Vec::with_capacity(capacity)),
            Cell::UuidOrNull(_) | Cell::Text(_) | Cell::TextOrNull(_) => {
                Self::Texts(Vec::with_capacity(capacity))
            }
            Cell::Bytes(_) => Self::Bytes(Vec::with_capacity(capacity)),
        }
    }

    /// Adds a cell of that type. Arrays with null elements cannot be bound through values, so null is spelled as empty
    /// text or as [`NULL_BIGINT`].
    fn push(&mut self, cell: Cell<'a>) {
        match (self, cell) {
            (Self::Uuids(uuids), Cell::Uuid(uuid)) => uuids.push(uuid),
            (Self::Ints(ints), Cell::Int(int)) => ints.push(int),
            (Self::Longs(longs), Cell::Long(long)) => longs.push(long),
            (Self::Longs(longs), Cell::LongOrNull(long)) => longs.push(long.unwrap_or(NULL_BIGINT)),
            (Self::Texts(texts), Cell::Text(text)) => texts.push(Cow::Borrowed(text)),
            (Self::Texts(texts), Cell::TextOrNull(text)) => {
                texts.push(Cow::Borrowed(text.unwrap_or_default()));
            }
            (Self::Texts(texts), Cell::UuidOrNull(uuid)) => {
                texts.push(uuid.map(|uuid| uuid.to_string()).unwrap_or_default().into());
            }
            (Self::Bytes(all), Cell::Bytes(bytes)) => all.push(bytes),
            (list, cell) => unreachable!("a row source has {cell:?} in a column of {list:?}"),
        }
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
