//! Statements of the hot path on PostgreSQL, by the driver alone: arrays are bound as they are, and rows come back as
//! they are. Each is a transaction of its own.

use sqlx::postgres::{PgArguments, PgRow};
use sqlx::{Arguments as _, Encode, Postgres, Type};
use store::StoreResult;
use uuid::Uuid;

use crate::bind::{List, Parameters, Scalar};
use crate::dialect::Dialect;
use crate::errors::{classify, query_error};
use crate::sql::Sql;
use crate::store::SqlStore;

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
