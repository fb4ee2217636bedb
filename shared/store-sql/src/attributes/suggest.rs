//! Values that attributes have, for completion: from one to the next in the order of the index, so that a value that many
//! objects have costs no more than another.

use std::collections::BTreeMap;

use domain::access::TenantScope;
use domain::attribute::AttributeId;
use domain::names::AttributeName;
use domain::time::Timestamp;
use store::StoreResult;
use store::attributes::CountedValue;
use uuid::Uuid;

use super::declare::ids;
use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::Sql;

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
pub(super) async fn values(
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
            first_id_since(since).into(),
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

/// Ids begin with the millisecond in which they were made.
fn first_id_since(since: Timestamp) -> Uuid {
    Uuid::from_u128(u128::try_from(since.0).unwrap_or(0).min((1 << 48) - 1) << 80)
}
