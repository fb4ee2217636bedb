//! The secrets of a webhook, sealed, as their rows hold them.

use domain::id::{SecretId, WebhookId};
use sea_orm::{ConnectionTrait, QueryResult};
use store::StoreResult;
use store::webhooks::{SealedSecret, SecretPurpose};

use crate::bind;
use crate::bind::Cell;
use crate::dialect::Dialect;
use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::Sql;

/// The stored name of a purpose.
pub(super) fn purpose_text(purpose: SecretPurpose) -> &'static str {
    match purpose {
        SecretPurpose::Signature => "signature",
        SecretPurpose::VerifyToken => "verify_token",
    }
}

pub(super) fn purpose(text: &str) -> Option<SecretPurpose> {
    [SecretPurpose::Signature, SecretPurpose::VerifyToken]
        .into_iter()
        .find(|&purpose| purpose_text(purpose) == text)
}

/// Reads a row with the columns of `webhook_secret`.
pub(super) fn secret_of(row: &QueryResult) -> StoreResult<SealedSecret> {
    let row = Row::new("webhook_secret", row);
    Ok(SealedSecret {
        id: SecretId::from_uuid(row.uuid("id")?),
        purpose: row.parsed("purpose", purpose)?,
        key_id: row.text("key_id")?,
        sealed: row.bytes_or_null("sealed")?.ok_or_else(|| row.fault("sealed"))?,
        created_at: row.instant("created_at")?,
        expires_at: row.instant_or_null("expires_at")?,
    })
}

// $1 the endpoint
pub(super) static INSERT: Sql = Sql::new(
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

// Index: webhook_secret_webhook. $1 the endpoints
static OF_WEBHOOKS: Sql = Sql::new(
    "secrets_of_webhooks",
    "SELECT * FROM webhook_secret WHERE webhook_id {any $1 uuid} ORDER BY id",
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

/// All secrets of some endpoints, each with its endpoint.
pub(super) async fn of_webhooks(
    pool: &Pool,
    ids: &[WebhookId],
) -> StoreResult<Vec<(WebhookId, SealedSecret)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids = bind::uuids(pool.dialect(), ids.iter().map(|id| id.uuid()));
    let rows = OF_WEBHOOKS.all(pool.read(), vec![ids]).await?;
    let of_row = |row: &QueryResult| {
        let webhook = WebhookId::from_uuid(Row::new("webhook_secret", row).uuid("webhook_id")?);
        Ok((webhook, secret_of(row)?))
    };
    rows.iter().map(of_row).collect()
}
