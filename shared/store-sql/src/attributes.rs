//! Searchable attributes: declarations, values beside jobs and executions, and their end with those.

mod declare;
mod values;

use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::attribute::{AttributeId, AttributeScope, StoredAttribute, TenantAttributes};
use domain::id::first_at;
use domain::names::{AttributeName, TenantName};
use domain::time::Timestamp;
use store::StoreResult;
use store::attributes::{AttributeChange, AttributeStore, CountedValue, DeclareAnswer};
use store::audit::AuditRecord;
use store::jobs::LeaseRef;
use uuid::Uuid;

use crate::SqlStore;
use crate::pool::Pool;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use declare::ids;

pub(crate) use declare::ids as ids_of_names;
pub(crate) use values::{forget, forget_jobs, insert, replace};

// Values that attributes have, for completion: from one to the next in the order of the index, so that a value that many
// objects have costs no more than another.

/// So many objects of a value are counted.
const COUNTED_MAX: i64 = 1_000;

/// So many attributes are looked at: the same name in as many tenants.
const ATTRIBUTES_MAX: usize = 8;

// $1 attribute, $2 the first value that may be suggested, $3 how many, $4 the first id of objects that count, $5 how far to
// count. Index: the key.
static VALUES: Sql = Sql::new(
    "suggest_attribute_values",
    "WITH RECURSIVE seen(value, number) AS (
       SELECT (SELECT min(a.value) FROM attribute_value a WHERE a.attribute = $1 AND a.value >= $2), CAST(1 AS bigint)
       UNION ALL
       SELECT (SELECT min(a.value) FROM attribute_value a WHERE a.attribute = $1 AND a.value > seen.value), seen.number + 1
       FROM seen WHERE seen.value IS NOT NULL AND seen.number < $3
     )
     SELECT seen.value, (SELECT count(*) FROM (
         SELECT 1 FROM attribute_value a WHERE a.attribute = $1 AND a.value = seen.value AND a.object >= $4 LIMIT $5) counted
       ) AS number
     FROM seen WHERE seen.value IS NOT NULL",
);

/// `AttributeStore::suggest_attribute_values`.
async fn values(
    pool: &Pool,
    scope: &TenantScope,
    names: &[AttributeName],
    begin: &str,
    since: Timestamp,
    limit: u32,
) -> StoreResult<Vec<CountedValue>> {
    let names: Vec<&str> = names.iter().map(AttributeName::as_str).collect();
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for AttributeId(id) in ids(pool.lists(), scope, &names).await?.into_iter().take(ATTRIBUTES_MAX) {
        let values = vec![
            id.into(),
            begin.into(),
            i64::from(limit).into(),
            first_at(since).into(),
            COUNTED_MAX.into(),
        ];
        for row in &VALUES.all(pool.lists(), values).await? {
            let row = Row::new("attribute_value", row);
            let (value, number) = (row.text("value")?, row.long("number")?);
            if value.starts_with(begin) && number > 0 {
                *found.entry(value).or_default() += u64::try_from(number).unwrap_or(0);
            }
        }
    }
    let counted = found.into_iter().map(|(value, count)| CountedValue { value, count });
    Ok(counted.take(limit as usize).collect())
}

// The port's operations on attributes, each retried where that is safe.

#[async_trait]
impl AttributeStore for SqlStore {
    async fn declared_attributes(&self, limit: u32) -> StoreResult<Vec<TenantAttributes>> {
        with_retry(RetryBudget::repeatable(), || declare::list(self.pool(), limit)).await
    }

    async fn declare_attributes(
        &self,
        tenant: &TenantName,
        scope: &AttributeScope,
        changes: &[AttributeChange],
        now: Timestamp,
        audit: &[AuditRecord],
    ) -> StoreResult<DeclareAnswer> {
        let once = || declare::declare(self.pool(), tenant, scope, changes, now, audit);
        with_retry(RetryBudget::repeatable(), once).await
    }

    async fn attributes_of(&self, objects: &[Uuid]) -> StoreResult<Vec<(Uuid, StoredAttribute)>> {
        with_retry(RetryBudget::repeatable(), || values::of(self.pool(), objects)).await
    }

    async fn set_attributes(
        &self,
        object: Uuid,
        lease: LeaseRef,
        attributes: &[StoredAttribute],
        now: Timestamp,
    ) -> StoreResult<bool> {
        let once = || values::set(self, object, lease, attributes, now);
        with_retry(RetryBudget::repeatable(), once).await
    }

    async fn suggest_attribute_values(
        &self,
        scope: &TenantScope,
        names: &[AttributeName],
        begin: &str,
        since: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<CountedValue>> {
        let once = || values(self.pool(), scope, names, begin, since, limit);
        with_retry(RetryBudget::repeatable(), once).await
    }
}
