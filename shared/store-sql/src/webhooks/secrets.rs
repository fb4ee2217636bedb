//! Sealed secrets within a transaction: inserting and reading them.

use domain::id::WebhookId;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::webhooks::SealedSecret;

use super::rows::{purpose_text, secret_of};
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::sql::Sql;

// $1 the endpoint
static INSERT: Sql = Sql::new(
    "insert_webhook_secrets",
    "INSERT INTO webhook_secret (id, webhook_id, purpose, key_id, sealed, created_at, expires_at)
     SELECT r.id, $1, r.purpose, r.key_id, r.sealed, r.created_at, r.expires_at
     FROM {rows $2: id uuid, purpose text, key_id text, sealed bytes, created_at bigint, expires_at bigint?} r
     WHERE true ON CONFLICT (id) DO NOTHING",
);

static OF_WEBHOOK: Sql = Sql::new(
    "webhook_secrets",
    "SELECT * FROM webhook_secret WHERE webhook_id = $1 ORDER BY created_at DESC, id DESC",
);

/// Stores the secrets of an endpoint; those that are there already stay as they are.
pub(super) async fn insert<C: ConnectionTrait>(
    on: &C,
    webhook_id: WebhookId,
    secrets: &[SealedSecret],
) -> StoreResult<()> {
    if secrets.is_empty() {
        return Ok(());
    }
    let cells = secrets.iter().map(|secret| {
        [
            Cell::Uuid(secret.id.uuid()),
            Cell::Text(purpose_text(secret.purpose)),
            Cell::Text(&secret.key_id),
            Cell::Bytes(&secret.sealed),
            Cell::Long(secret.created_at.0),
            Cell::LongOrNull(secret.expires_at.map(|instant| instant.0)),
        ]
    });
    let mut values = vec![webhook_id.uuid().into()];
    values.extend(bind::rows(Dialect::of(on.get_database_backend()), cells));
    INSERT.run(on, values).await.map(|_| ())
}

/// All secrets of an endpoint, the latest first.
pub(super) async fn of_webhook<C: ConnectionTrait>(on: &C, id: WebhookId) -> StoreResult<Vec<SealedSecret>> {
    OF_WEBHOOK.all(on, vec![id.uuid().into()]).await?.iter().map(secret_of).collect()
}
