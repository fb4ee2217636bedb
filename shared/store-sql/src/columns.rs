//! Reading rows by place: the hot path's way. Names are looked up and widths asked for once, when it is written.

use sea_orm::QueryResult;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Postgres, Row as _, Sqlite};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use crate::errors::corrupt;

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
