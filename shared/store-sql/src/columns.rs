//! The hot path's way to rows: read by place, names looked up and widths asked for once; on PostgreSQL statements by
//! the driver alone.

use sea_orm::QueryResult;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::sqlite::SqliteRow;
use sqlx::{Arguments as _, Decode, Encode, Postgres, Row as _, Sqlite, Type};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use crate::bind::{List, Parameters, Scalar};
use crate::dialect::Dialect;
use crate::errors::{classify, corrupt, query_error};
use crate::link::Work;
use crate::sql::Sql;
use crate::store::SqlStore;

/// A row whose columns are those of `names`, in this order.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    table: &'static str,
    names: &'static [&'static str],
    row: Driver<'a>,
}

#[derive(Clone, Copy)]
enum Driver<'a> {
    Postgres(&'a PgRow),
    Sqlite(&'a SqliteRow),
}

/// What both databases can give.
pub(crate) trait Value<'r>: Decode<'r, Postgres> + Decode<'r, Sqlite> {}

impl<'r, T: Decode<'r, Postgres> + Decode<'r, Sqlite>> Value<'r> for T {}

impl<'a> Columns<'a> {
    /// A row that was read from `table` by way of the pool or a transaction.
    pub(crate) fn of(
        table: &'static str,
        names: &'static [&'static str],
        row: &'a QueryResult,
    ) -> StoreResult<Self> {
        let row = match (row.try_as_pg_row(), row.try_as_sqlite_row()) {
            (Some(row), _) => Driver::Postgres(row),
            (_, Some(row)) => Driver::Sqlite(row),
            _ => return Err(corrupt(table, "driver", "")),
        };
        Ok(Self { table, names, row })
    }

    /// A row that the driver for PostgreSQL read from `table`.
    pub(crate) fn of_postgres(table: &'static str, names: &'static [&'static str], row: &'a PgRow) -> Self {
        Self { table, names, row: Driver::Postgres(row) }
    }

    /// The value at a place. Its type has to be that of the column exactly; nothing is converted.
    pub(crate) fn get<T: Value<'a>>(self, place: usize) -> StoreResult<T> {
        let value = match self.row {
            Driver::Postgres(row) => row.try_get_unchecked(place),
            Driver::Sqlite(row) => row.try_get_unchecked(place),
        };
        value.map_err(|_| self.fault(place))
    }

    /// The value at a place, or null.
    pub(crate) fn get_or_null<T: Value<'a>>(self, place: usize) -> StoreResult<Option<T>>
    where
        Option<T>: Value<'a>,
    {
        self.get::<Option<T>>(place)
    }

    /// A count, stored as an integer of 32 bits.
    pub(crate) fn count(self, place: usize) -> StoreResult<u32> {
        u32::try_from(self.get::<i32>(place)?).map_err(|_| self.fault(place))
    }

    /// The error of a column that holds something else than it should.
    pub(crate) fn fault(self, place: usize) -> StoreError {
        let id: Option<Uuid> =
            self.names.iter().position(|name| *name == "id").and_then(|place| match self.row {
                Driver::Postgres(row) => row.try_get_unchecked(place).ok(),
                Driver::Sqlite(row) => row.try_get_unchecked(place).ok(),
            });
        corrupt(self.table, self.names.get(place).copied().unwrap_or("?"), id.unwrap_or_default())
    }
}

// Statements of the hot path on PostgreSQL, by the driver alone: arrays are bound as they are, and rows come back as
// they are. Each is a transaction of its own.

/// Values for the parameters of a statement, in order.
#[derive(Default)]
pub(crate) struct Arguments {
    values: PgArguments,
    /// The first value that could not be encoded.
    fault: Option<sqlx::Error>,
}

impl Arguments {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a value.
    pub(crate) fn with<'q, T: Encode<'q, Postgres> + Type<Postgres>>(mut self, value: T) -> Self {
        self.encode(value);
        self
    }

    fn encode<'q, T: Encode<'q, Postgres> + Type<Postgres>>(&mut self, value: T) {
        if let Err(error) = self.values.add(value) {
            self.fault.get_or_insert(sqlx::Error::Encode(error));
        }
    }

    /// Adds a list of UUIDs.
    pub(crate) fn with_uuids(self, uuids: impl Iterator<Item = Uuid>) -> Self {
        self.with(uuids.collect::<Vec<Uuid>>())
    }

    /// Adds a list of texts.
    pub(crate) fn with_texts<'q>(self, texts: impl Iterator<Item = &'q str>) -> Self {
        self.with(texts.collect::<Vec<&str>>())
    }
}

impl Parameters for Arguments {
    fn add(&mut self, value: impl Scalar) {
        self.encode(value);
    }

    fn add_list(&mut self, list: List<'_>) {
        match list {
            List::Uuids(uuids) => self.encode(uuids),
            List::Ints(ints) => self.encode(ints),
            List::Longs(longs) => self.encode(longs),
            List::Texts(texts) => self.encode(texts),
            List::Bytes(all) => self.encode(all),
        }
    }
}

/// A statement with its values, for a connection that is lent.
pub(crate) fn work(sql: &'static Sql, arguments: Arguments) -> StoreResult<Work> {
    match arguments.fault {
        Some(fault) => Err(classify(sql.name(), query_error(fault))),
        None => Ok(Work::Encoded(sql.text(Dialect::Postgres), arguments.values, true)),
    }
}

/// Runs a statement and answers its rows.
pub(crate) async fn all(
    store: &SqlStore,
    sql: &'static Sql,
    arguments: Arguments,
) -> StoreResult<Vec<PgRow>> {
    if let Some(fault) = arguments.fault {
        return Err(classify(sql.name(), query_error(fault)));
    }
    let rows = store.pool().write().encoded(sql.text(Dialect::Postgres), arguments.values).await;
    rows.map_err(|error| classify(sql.name(), error))
}
