//! Admitting jobs whose concurrency key has room: from 'blocked' to 'queued', in order.
//!
//! A key has one place, or as many as an operator declared for it (`maxConcurrent` of `/v1/rates/{key}`). Each admitted job holds
//! a place of its own, and a unique index on key and place keeps two transactions that do not see each other from admitting one
//! too many: one of them fails and is tried again.

use std::collections::{BTreeMap, HashSet};

use domain::id::JobId;
use domain::names::{CallerKey, TenantName};
use domain::queue::{LaneId, QueueName, Tier};
use domain::rate::KeyRates;
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use uuid::Uuid;

use super::enqueue_fast::parts_of_concurrency_key;
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::limits::key_rates_of;
use crate::rows::Row;
use crate::sql::Sql;

static ADMIT: Sql = Sql::new("admit", include_str!("../../sql/admit.sql"));

static ADMIT_TO_PLACES: Sql = Sql::new("admit_to_places", include_str!("../../sql/admit_to_places.sql"));

// Index: job_key_place.
static HELD: Sql = Sql::new(
    "held_key_places",
    "SELECT COALESCE(key_place, 0) AS place FROM job WHERE concurrency_key = $1 AND state IN ('queued', 'processing')",
);

// Index: job_blocked.
static WAITING: Sql = Sql::new(
    "waiting_for_key",
    "SELECT id FROM job WHERE concurrency_key = $1 AND state = 'blocked' ORDER BY position LIMIT $2 {for_update_skip}",
);

/// How many jobs of one key are admitted at once. The rest follows when these end, or with the next look at blocked keys.
const AT_ONCE: usize = 1_000;

/// A job that can be claimed now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Admitted {
    /// The job.
    pub(crate) id: JobId,
    /// Its queue.
    pub(crate) queue: QueueName,
    /// Its lane.
    pub(crate) lane: LaneId,
    /// Its place in the lane.
    pub(crate) position: i64,
    /// The tier that it was enqueued at.
    pub(crate) tier: Tier,
}

/// Admits the next jobs of each of these (stored) concurrency keys as far as it has room. To be called in the transaction
/// that freed the keys or brought the jobs.
pub(crate) async fn admit<C: ConnectionTrait>(
    on: &C,
    concurrency_keys: &[String],
    now: Timestamp,
) -> StoreResult<Vec<Admitted>> {
    if concurrency_keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut keys: Vec<&str> = concurrency_keys.iter().map(String::as_str).collect();
    keys.sort_unstable();
    keys.dedup();
    let declared = declared(on, &keys).await?;
    keys.retain(|key| !declared.contains_key(key));
    let mut admitted = admit_alone(on, &keys, now).await?;
    for (key, places) in declared {
        admitted.extend(admit_to_places(on, key, places, now).await?);
    }
    Ok(admitted)
}

/// How many jobs with a (stored) concurrency key may be leased at once.
pub(super) async fn places_of<C: ConnectionTrait>(on: &C, key: &str) -> StoreResult<u32> {
    Ok(declared(on, &[key]).await?.get(key).copied().unwrap_or(1))
}

/// Those of these keys for which a number of places is declared, with it.
async fn declared<'a, C: ConnectionTrait>(on: &C, keys: &[&'a str]) -> StoreResult<BTreeMap<&'a str, u32>> {
    // Keys are declared for jobs that workers run.
    let parts = keys.iter().filter_map(|key| {
        let (tenant, queue, caller) = parts_of_concurrency_key(key)?;
        (queue == QueueName::Node).then(|| (*key, TenantName::trusted(tenant), CallerKey::trusted(caller)))
    });
    let parts: Vec<(&str, TenantName, CallerKey)> = parts.collect();
    let tenants: HashSet<&str> = parts.iter().map(|(_, tenant, _)| tenant.as_str()).collect();
    if tenants.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rates = KeyRates::resolve(&key_rates_of(on, &tenants).await?);
    let places = |(key, tenant, caller): (&'a str, TenantName, CallerKey)| {
        rates.max_concurrent(&tenant, &caller).map(|places| (key, places))
    };
    Ok(parts.into_iter().filter_map(places).collect())
}

/// Admits the next job of each key that nobody holds.
async fn admit_alone<C: ConnectionTrait>(
    on: &C,
    keys: &[&str],
    now: Timestamp,
) -> StoreResult<Vec<Admitted>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = vec![now.0.into()];
    let dialect = Dialect::of(on.get_database_backend());
    values.extend(bind::rows(dialect, keys.iter().map(|key| [Cell::Text(key)])));
    ADMIT.all(on, values).await?.iter().map(admitted).collect()
}

/// Admits the next jobs of a key to its free places.
async fn admit_to_places<C: ConnectionTrait>(
    on: &C,
    key: &str,
    places: u32,
    now: Timestamp,
) -> StoreResult<Vec<Admitted>> {
    let held = HELD.all(on, vec![key.into()]).await?;
    let held = held.iter().map(|row| Row::new("job", row).int("place"));
    let held: HashSet<i32> = held.collect::<StoreResult<_>>()?;
    let free = free_places(places, &held);
    if free.is_empty() {
        return Ok(Vec::new());
    }
    let waiting = WAITING.all(on, vec![key.into(), (free.len() as i64).into()]).await?;
    if waiting.is_empty() {
        return Ok(Vec::new());
    }
    let ids = waiting.iter().map(|row| Row::new("job", row).uuid("id"));
    let ids: Vec<Uuid> = ids.collect::<StoreResult<_>>()?;
    // From a place that differs from transaction to transaction, so that those at the same time seldom meet.
    let first = (ids[0].as_u128() % free.len() as u128) as usize;
    let to = free.iter().cycle().skip(first);
    let cells: Vec<_> = ids.iter().zip(to).map(|(id, place)| [Cell::Uuid(*id), Cell::Int(*place)]).collect();
    let mut values = vec![now.0.into()];
    values.extend(bind::rows(Dialect::of(on.get_database_backend()), cells.into_iter()));
    ADMIT_TO_PLACES.all(on, values).await?.iter().map(admitted).collect()
}

/// The places that the next jobs of a key may take. After the number was lowered none is free until the jobs beyond it have
/// ended: the index cannot count them.
fn free_places(places: u32, held: &HashSet<i32>) -> Vec<i32> {
    let places = i32::try_from(places).unwrap_or(i32::MAX);
    if held.iter().any(|place| *place >= places) {
        return Vec::new();
    }
    (0..places).filter(|place| !held.contains(place)).take(AT_ONCE).collect()
}

fn admitted(row: &sea_orm::QueryResult) -> StoreResult<Admitted> {
    let row = Row::new("job", row);
    let id = JobId::from_uuid(row.uuid("id")?);
    let (queue, lane) = (row.queue("queue")?, LaneId(row.int("lane")?));
    Ok(Admitted { id, queue, lane, position: row.long("position")?, tier: row.tier("tier")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_beyond_a_lowered_number_are_waited_for() {
        let held = |places: &[i32]| places.iter().copied().collect::<HashSet<i32>>();
        assert_eq!(free_places(4, &held(&[1, 2])), [0, 3]);
        assert!(free_places(2, &held(&[0, 1])).is_empty());
        assert!(free_places(2, &held(&[0, 7])).is_empty());
        assert!(free_places(0, &held(&[])).is_empty());
        assert_eq!(free_places(u32::MAX, &held(&[])).len(), AT_ONCE);
    }
}
