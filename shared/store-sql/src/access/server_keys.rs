//! Keys that the nodes of a cluster share: the first node that needs one makes it.

use domain::time::Timestamp;
use store::StoreResult;

use crate::errors::corrupt;
use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::Sql;

static INSERT: Sql = Sql::new(
    "insert_server_key",
    "INSERT INTO server_key (name, key, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING",
);

static SELECT: Sql = Sql::new("server_key", "SELECT name, key FROM server_key WHERE name = $1");

/// The stored key of this name; `candidate` where there was none.
pub(super) async fn shared(
    pool: &Pool,
    name: &str,
    candidate: [u8; 32],
    now: Timestamp,
) -> StoreResult<[u8; 32]> {
    if let Some(key) = stored(pool, name).await? {
        return Ok(key);
    }
    INSERT.run(pool.write(), vec![name.into(), candidate.to_vec().into(), now.0.into()]).await?;
    stored(pool, name).await?.ok_or_else(|| corrupt("server_key", "key", name))
}

async fn stored(pool: &Pool, name: &str) -> StoreResult<Option<[u8; 32]>> {
    let Some(row) = SELECT.first(pool.read(), vec![name.into()]).await? else {
        return Ok(None);
    };
    let row = Row::new("server_key", &row);
    let key = row.bytes_or_null("key")?.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    key.map(Some).ok_or_else(|| row.fault("key"))
}
