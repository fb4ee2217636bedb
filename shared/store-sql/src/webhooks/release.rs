//! Releasing held deliveries: they get their jobs, oldest first.

use std::collections::HashSet;

use domain::id::{DeliveryId, WebhookId};
use domain::names::TenantName;
use domain::time::Timestamp;
use store::StoreResult;
use store::jobs::NewJob;
use store::webhooks::{Releasable, Release};
use uuid::Uuid;

use crate::SqlStore;
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
use crate::jobs::enqueue::{insert, prepare};
use crate::pool::{Pool, commit, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;

// From one endpoint to the next in the index webhook_delivery_held: what each holds is not read. Only that index has
// the order that is asked for; for SQLite, which has no costs to compare, the index is named. $1 how many, $2 after
// which one
static ENDPOINTS: Sql = Sql::new(
    "webhooks_to_release",
    "WITH RECURSIVE holding(webhook_id) AS (
       SELECT (SELECT webhook_id FROM webhook_delivery {sqlite:INDEXED BY webhook_delivery_held}
               WHERE held_at IS NOT NULL AND webhook_id > $2 ORDER BY webhook_id, held_at LIMIT 1)
       UNION ALL
       SELECT (SELECT d.webhook_id FROM webhook_delivery d {sqlite:INDEXED BY webhook_delivery_held}
               WHERE d.held_at IS NOT NULL AND d.webhook_id > h.webhook_id
               ORDER BY d.webhook_id, d.held_at LIMIT 1)
       FROM holding h WHERE h.webhook_id IS NOT NULL
     )
     SELECT h.webhook_id FROM holding h LEFT JOIN webhook w ON w.id = h.webhook_id
     WHERE h.webhook_id IS NOT NULL AND COALESCE(w.is_paused, 0) = 0 LIMIT $1",
);

// Index: webhook_delivery_held.
static HELD: Sql = Sql::new(
    "held_deliveries",
    "SELECT id, tenant, traceparent FROM webhook_delivery {sqlite:INDEXED BY webhook_delivery_held}
     WHERE webhook_id = $1 AND held_at IS NOT NULL ORDER BY held_at, id LIMIT $2",
);

// Rows that another node releases are left to it.
static STILL_HELD: Sql = Sql::new(
    "still_held",
    "SELECT d.id FROM webhook_delivery d
     WHERE d.id {any $1 uuid} AND d.held_at IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM webhook w WHERE w.id = d.webhook_id AND w.is_paused <> 0)
     ORDER BY d.id {for_update_skip}",
);

static RELEASE: Sql = Sql::new(
    "release_deliveries",
    "UPDATE webhook_delivery AS d SET held_at = NULL, job_id = r.job_id
     FROM {rows $1: id uuid, job_id uuid} r WHERE d.id = r.id",
);

/// Endpoints that hold deliveries and may have them matched.
pub(super) async fn endpoints(
    pool: &Pool,
    after: Option<WebhookId>,
    limit: u32,
) -> StoreResult<Vec<WebhookId>> {
    let after = after.map_or(Uuid::nil(), WebhookId::uuid);
    let rows = ENDPOINTS.all(pool.read(), vec![i64::from(limit).into(), after.into()]).await?;
    let id = |row| Row::new("webhook_delivery", row).uuid("webhook_id").map(WebhookId::from_uuid);
    rows.iter().map(id).collect()
}

/// What an endpoint holds, oldest first.
pub(super) async fn held(pool: &Pool, id: WebhookId, limit: u32) -> StoreResult<Vec<Releasable>> {
    let rows = HELD.all(pool.read(), vec![id.uuid().into(), i64::from(limit).into()]).await?;
    let held = rows.iter().map(|row| {
        let row = Row::new("webhook_delivery", row);
        Ok(Releasable {
            id: DeliveryId::from_uuid(row.uuid("id")?),
            tenant: row.name("tenant", TenantName::trusted)?,
            traceparent: row.text_or_null("traceparent")?,
        })
    });
    held.collect()
}

/// `WebhookStore::release_deliveries`. May be repeated: what was released is held no more.
pub(super) async fn release(store: &SqlStore, releases: &[Release], now: Timestamp) -> StoreResult<u64> {
    if releases.is_empty() {
        return Ok(0);
    }
    with_retry(RetryBudget::repeatable(), || release_all(store, releases, now)).await
}

async fn release_all(store: &SqlStore, releases: &[Release], now: Timestamp) -> StoreResult<u64> {
    let lanes = prepare(store, releases.iter().map(job_of), now).await?;
    let transaction = store.pool().begin().await?;
    let ids = releases.iter().map(|release| release.id.uuid());
    let rows = STILL_HELD.all(&transaction, vec![bind::uuids(store.dialect(), ids)]).await?;
    let held = rows.iter().map(|row| Row::new("webhook_delivery", row).uuid("id"));
    let held: HashSet<Uuid> = held.collect::<StoreResult<_>>()?;
    let open = releases.iter().zip(lanes).filter(|(release, _)| held.contains(&release.id.uuid()));
    let (open, lanes): (Vec<&Release>, Vec<_>) = open.unzip();
    if open.is_empty() {
        rollback(transaction).await;
        return Ok(0);
    }
    let jobs: Vec<NewJob> = open.iter().map(|release| release.job.clone()).collect();
    let inserted = insert(&transaction, &jobs, &lanes, now).await?;
    let cells = open.iter().zip(&inserted.answers);
    let cells: Vec<[Cell<'_>; 2]> =
        cells.map(|(release, job)| [Cell::Uuid(release.id.uuid()), Cell::Uuid(job.id.uuid())]).collect();
    RELEASE.run(&transaction, bind::rows(store.dialect(), cells.into_iter())).await?;
    let bumps = bump_epoch(&transaction, inserted.older()).await?;
    commit(transaction).await?;
    inserted.record(store);
    bumps.record(store);
    Ok(open.len() as u64)
}

fn job_of(release: &Release) -> &NewJob {
    &release.job
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::plans::{assert_plan_uses, open_empty};
    use testkit::database::postgres_database;

    #[tokio::test]
    async fn i06_endpoints_that_hold_something_are_found_without_reading_what_they_hold() {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let file = format!("sqlite://{}", directory.path().join("plans.db").display());
        for url in [file, postgres_database().await] {
            let store = open_empty(url).await;
            let values = vec![10_i64.into(), Uuid::nil().into()];
            assert_plan_uses(&store, &ENDPOINTS, values, "webhook_delivery_held").await;
            let values = vec![Uuid::nil().into(), 10_i64.into()];
            assert_plan_uses(&store, &HELD, values, "webhook_delivery_held").await;
        }
    }
}
