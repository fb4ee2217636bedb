//! Statements of the hot path on PostgreSQL, by the driver alone: arrays are bound as they are, and rows come back as
//! they are. Each is a transaction of its own.

use std::sync::Arc;

use sea_orm::{DbErr, RuntimeErr};
use sqlx::postgres::{PgArguments, PgPool, PgRow};
use sqlx::query::Query;
use sqlx::{Arguments as _, Encode, Postgres, Type};
use store::StoreResult;
use uuid::Uuid;

use crate::bind::{List, Parameters, Scalar};
use crate::dialect::Dialect;
use crate::errors::classify;
use crate::sharing::SHARED_BEGIN;
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
    let failed = |error| classify(sql.name(), DbErr::Query(RuntimeErr::SqlxError(Arc::new(error))));
    if let Some(fault) = arguments.fault {
        return Err(failed(fault));
    }
    let pool = store.pool().write().connection().get_postgres_connection_pool();
    let query = sqlx::query_with(sql.text(Dialect::Postgres), arguments.values);
    if store.pool().is_shared() {
        return all_on_shared(pool, query).await.map_err(failed);
    }
    query.fetch_all(pool).await.map_err(failed)
}

/// The same on connections that a pooler lends out by transaction.
async fn all_on_shared(
    pool: &PgPool,
    query: Query<'_, Postgres, PgArguments>,
) -> Result<Vec<PgRow>, sqlx::Error> {
    let mut transaction = pool.begin_with(SHARED_BEGIN).await?;
    let rows = query.persistent(false).fetch_all(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(rows)
}
