//! Values of attributes, a row each.

use domain::attribute::{AttributeId, StoredAttribute};
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::jobs::LeaseRef;
use uuid::Uuid;

use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

static INSERT: Sql = Sql::new(
    "insert_attributes",
    "INSERT INTO attribute_value (attribute, value, object)
     SELECT r.attribute, r.value, r.object FROM {rows $1: attribute bigint, value text, object uuid} r
     WHERE true ON CONFLICT DO NOTHING",
);

// Index: attribute_value_object.
static OF: Sql = Sql::new(
    "attributes_of",
    "SELECT object, attribute, value FROM attribute_value WHERE object {any $1 uuid} ORDER BY object, attribute, value",
);

// The state is written so that no partial index fits: what is left is a probe by id.
// $3 now or null
static LOCK: Sql = Sql::new(
    "lock_attribute_lease",
    "SELECT id FROM job WHERE id = $1 AND lease_token = $2 AND state || '' = 'processing' AND lease_until > {now $3}
     {for_update}",
);

// Index: attribute_value_object.
static REPLACED: Sql = Sql::new(
    "replace_attributes",
    "DELETE FROM attribute_value WHERE object = $1 AND attribute {any $2 bigint}",
);

// Nothing is looked for where nobody has declared anything. Index: attribute_value_object.
static FORGET: Sql = Sql::new(
    "forget_attributes",
    "DELETE FROM attribute_value WHERE object {any $1 uuid} AND EXISTS (SELECT 1 FROM attribute_tenant)",
);

// The same for jobs of which nothing is left, be it their dead letter.
static FORGET_JOBS: Sql = Sql::new(
    "forget_job_attributes",
    "DELETE FROM attribute_value WHERE object {any $1 uuid} AND EXISTS (SELECT 1 FROM attribute_tenant)
       AND NOT EXISTS (SELECT 1 FROM dead_letter d WHERE d.job_id = attribute_value.object)
       AND NOT EXISTS (SELECT 1 FROM job_done j WHERE j.id = attribute_value.object)
       AND NOT EXISTS (SELECT 1 FROM job j WHERE j.id = attribute_value.object)",
);

/// Stores attributes of objects that are new in this transaction.
pub(crate) async fn insert<'a, C: ConnectionTrait>(
    on: &C,
    objects: impl Iterator<Item = (Uuid, &'a [StoredAttribute])>,
) -> StoreResult<()> {
    let cells: Vec<[Cell<'a>; 3]> = objects
        .flat_map(|(object, attributes)| attributes.iter().map(move |one| (object, one)))
        .map(|(object, one)| [Cell::Long(one.attribute.0), Cell::Text(&one.value), Cell::Uuid(object)])
        .collect();
    for chunk in cells.chunks(5_000) {
        INSERT.run(on, bind::rows(dialect_of(on), chunk.iter().copied())).await?;
    }
    Ok(())
}

/// `AttributeStore::attributes_of`.
pub(super) async fn of(pool: &Pool, objects: &[Uuid]) -> StoreResult<Vec<(Uuid, StoredAttribute)>> {
    if objects.is_empty() {
        return Ok(Vec::new());
    }
    let list = bind::uuids(pool.dialect(), objects.iter().copied());
    let rows = OF.all(pool.read(), vec![list]).await?;
    let read = |row| {
        let row = Row::new("attribute_value", row);
        let stored =
            StoredAttribute { attribute: AttributeId(row.long("attribute")?), value: row.text("value")? };
        Ok((row.uuid("object")?, stored))
    };
    rows.iter().map(read).collect()
}

/// `AttributeStore::set_attributes`.
pub(super) async fn set(
    store: &SqlStore,
    object: Uuid,
    lease: LeaseRef,
    attributes: &[StoredAttribute],
    now: Timestamp,
) -> StoreResult<bool> {
    let transaction = store.pool().begin().await?;
    let held = vec![lease.id.uuid().into(), lease.token.0.into(), store.lease_now(now).into()];
    if LOCK.first(&transaction, held).await?.is_none() {
        rollback(transaction).await;
        return Ok(false);
    }
    replace(&transaction, object, attributes).await?;
    commit(transaction).await?;
    Ok(true)
}

/// Sets attributes of an object: values of the same attributes go.
pub(crate) async fn replace<C: ConnectionTrait>(
    on: &C,
    object: Uuid,
    attributes: &[StoredAttribute],
) -> StoreResult<()> {
    let replaced: Vec<i64> = attributes.iter().map(|one| one.attribute.0).collect();
    let replaced = bind::longs(dialect_of(on), replaced.into_iter());
    REPLACED.run(on, vec![object.into(), replaced]).await?;
    insert(on, std::iter::once((object, attributes))).await
}

/// Removes the attributes of executions that go in this transaction.
pub(crate) async fn forget<C: ConnectionTrait>(on: &C, objects: &[Uuid]) -> StoreResult<()> {
    forget_by(&FORGET, on, objects).await
}

/// Removes the attributes of jobs whose last row went in this transaction: job, or dead letter.
pub(crate) async fn forget_jobs<C: ConnectionTrait>(on: &C, jobs: &[Uuid]) -> StoreResult<()> {
    forget_by(&FORGET_JOBS, on, jobs).await
}

async fn forget_by<C: ConnectionTrait>(sql: &Sql, on: &C, objects: &[Uuid]) -> StoreResult<()> {
    if objects.is_empty() {
        return Ok(());
    }
    sql.run(on, vec![bind::uuids(dialect_of(on), objects.iter().copied())]).await.map(|_| ())
}

fn dialect_of<C: ConnectionTrait>(on: &C) -> Dialect {
    Dialect::of(on.get_database_backend())
}
