//! Rotating secrets: new ones are added, those before them hold for a while longer.

use domain::access::TenantScope;
use domain::id::WebhookId;
use domain::names::TenantName;
use domain::time::Timestamp;
use store::StoreResult;
use store::webhooks::{SealedSecret, WebhookChange};

use super::endpoints::webhook_of;
use super::secrets::{insert, purpose_text, secret_of};
use crate::bind::{self, Cell};
use crate::pool::{Pool, commit_change, rollback};
use crate::sql::Sql;

// First, so that rotations of one endpoint wait for each other.
static TOUCH: Sql = Sql::new(
    "touch_webhook",
    "UPDATE webhook SET version = version + 1, updated_at = $2
     WHERE id = $1 AND ($3 IS NULL OR tenant = $3)
     RETURNING *",
);

static DROP_ENDED: Sql = Sql::new(
    "drop_ended_webhook_secrets",
    "DELETE FROM webhook_secret WHERE webhook_id = $1 AND expires_at < $2",
);

// $3 purposes, $4 the new ones, which do not end by being stored again. What ends sooner already still does.
static END: Sql = Sql::new(
    "end_webhook_secrets",
    "UPDATE webhook_secret SET expires_at = $2
     WHERE webhook_id = $1 AND (expires_at IS NULL OR expires_at > $2)
         AND purpose {any $3 text} AND NOT (id {any $4 uuid})",
);

/// Adds secrets to an endpoint and gives those of the same purpose an end.
pub(super) async fn rotate(
    pool: &Pool,
    scope: &TenantScope,
    id: WebhookId,
    secrets: &[SealedSecret],
    old_expires_at: Timestamp,
    now: Timestamp,
) -> StoreResult<WebhookChange> {
    let dialect = pool.dialect();
    let transaction = pool.begin().await?;
    let tenant = scope.tenant().map(TenantName::as_str);
    let touched = TOUCH.first(&transaction, vec![id.uuid().into(), now.0.into(), tenant.into()]).await?;
    let Some(row) = touched else {
        rollback(transaction).await;
        return Ok(WebhookChange::NotFound);
    };
    let webhook = webhook_of(&row)?;
    DROP_ENDED.run(&transaction, vec![id.uuid().into(), now.0.into()]).await?;
    let purposes = secrets.iter().map(|secret| purpose_text(secret.purpose));
    let ending = vec![
        id.uuid().into(),
        old_expires_at.0.into(),
        bind::texts(dialect, purposes),
        bind::uuids(dialect, secrets.iter().map(|secret| secret.id.uuid())),
    ];
    END.run(&transaction, ending).await?;
    insert(&transaction, id, secrets).await?;
    commit_change(transaction).await?;
    Ok(WebhookChange::Done(webhook))
}

// Moving secrets to another encryption key: which are left, and their new form.

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
