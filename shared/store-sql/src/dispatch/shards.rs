//! Shards, leased to relays by terms.

use domain::dispatch::ShardView;
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use uuid::Uuid;

use crate::SqlStore;
use crate::bind;
use crate::rows::Row;
use crate::sql::Sql;

static ALL: Sql =
    Sql::new("dispatch_shards", "SELECT shard, owner, term, until FROM dispatch_shard ORDER BY shard");

// An owner whose term ended begins another one, so that what it knew of its offers is read again.
// $1 the relay, $2 until when, $3 now
static LEASE: Sql = Sql::new(
    "lease_dispatch_shards",
    "UPDATE dispatch_shard
     SET term = CASE WHEN owner = $1 AND until > $3 THEN term ELSE term + 1 END, owner = $1, until = $2
     WHERE shard {any $4 bigint} AND (owner IS NULL OR owner = $1 OR until <= $3)
     RETURNING shard, owner, term, until",
);

static RELEASE: Sql = Sql::new(
    "release_dispatch_shards",
    "UPDATE dispatch_shard SET owner = NULL, until = 0 WHERE owner = $1 AND shard {any $2 bigint}",
);

static RELEASE_ALL: Sql =
    Sql::new("free_dispatch_shards", "UPDATE dispatch_shard SET owner = NULL, until = 0 WHERE owner = $1");

pub(super) async fn all<C: ConnectionTrait>(on: &C) -> StoreResult<Vec<ShardView>> {
    ALL.all(on, vec![]).await?.iter().map(|row| shard(Row::new("dispatch_shard", row))).collect()
}

pub(super) async fn lease(
    store: &SqlStore,
    owner: Uuid,
    shards: &[u32],
    (until, now): (Timestamp, Timestamp),
) -> StoreResult<Vec<ShardView>> {
    if shards.is_empty() {
        return Ok(Vec::new());
    }
    let numbers = bind::longs(store.dialect(), shards.iter().map(|&shard| i64::from(shard)));
    let values = vec![owner.into(), until.0.into(), now.0.into(), numbers];
    let rows = LEASE.all(store.pool().write(), values).await?;
    rows.iter().map(|row| shard(Row::new("dispatch_shard", row))).collect()
}

pub(super) async fn release(store: &SqlStore, owner: Uuid, shards: &[u32]) -> StoreResult<()> {
    if shards.is_empty() {
        return Ok(());
    }
    let numbers = bind::longs(store.dialect(), shards.iter().map(|&shard| i64::from(shard)));
    RELEASE.run(store.pool().write(), vec![owner.into(), numbers]).await.map(|_| ())
}

pub(super) async fn release_all(store: &SqlStore, owner: Uuid) -> StoreResult<()> {
    RELEASE_ALL.run(store.pool().write(), vec![owner.into()]).await.map(|_| ())
}

fn shard(row: Row<'_>) -> StoreResult<ShardView> {
    Ok(ShardView {
        shard: row.count("shard")?,
        owner: row.uuid_or_null("owner")?,
        term: row.long("term")?,
        until: row.instant("until")?,
    })
}
