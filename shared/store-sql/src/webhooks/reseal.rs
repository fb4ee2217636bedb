//! Moving secrets to another encryption key: which are left, and their new form.

use store::StoreResult;
use store::webhooks::SealedSecret;

use super::rows::secret_of;
use crate::bind::{self, Cell};
use crate::pool::Pool;
use crate::sql::Sql;

static OTHERWISE: Sql = Sql::new(
    "webhook_secrets_sealed_otherwise",
    "SELECT * FROM webhook_secret WHERE key_id <> $1 ORDER BY id LIMIT $2",
);

static RESEAL: Sql = Sql::new(
    "reseal_webhook_secrets",
    "UPDATE webhook_secret AS s SET key_id = r.key_id, sealed = r.sealed
     FROM {rows $1: id uuid, key_id text, sealed bytes} r WHERE s.id = r.id",
);

/// Secrets under another key than this one.
pub(super) async fn sealed_otherwise(
    pool: &Pool,
    key_id: &str,
    limit: u32,
) -> StoreResult<Vec<SealedSecret>> {
    let values = vec![key_id.into(), i64::from(limit).into()];
    OTHERWISE.all(pool.read(), values).await?.iter().map(secret_of).collect()
}

/// Replaces the sealed form of secrets.
pub(super) async fn reseal(pool: &Pool, secrets: &[SealedSecret]) -> StoreResult<()> {
    if secrets.is_empty() {
        return Ok(());
    }
    let cells = secrets.iter().map(|secret| {
        [Cell::Uuid(secret.id.uuid()), Cell::Text(&secret.key_id), Cell::Bytes(&secret.sealed)]
    });
    RESEAL.run(pool.write(), bind::rows(pool.dialect(), cells)).await.map(|_| ())
}
