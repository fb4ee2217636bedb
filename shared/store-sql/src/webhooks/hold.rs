//! Deliveries that are held, released or removed, and what upkeep removes by content rather than by age.

use std::collections::{HashMap, HashSet};

use domain::id::{DeliveryId, WebhookId};
use domain::names::TenantName;
use domain::time::Timestamp;
use domain::webhook::DeliveryStatus;
use sea_orm::ConnectionTrait;
use store::jobs::NewJob;
use store::webhooks::{Accepted, HELD_BYTES_EXTRA, HeldDelivery, Hold, NewDelivery, Releasable, Release};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::accept::known;
use super::guards;
use super::lines::{self, Line};
use crate::SqlStore;
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
use crate::dialect::Dialect;
use crate::jobs::enqueue::{insert, prepare};
use crate::pool::{Pool, commit, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sealing::plain_body_bytes;
use crate::sql::Sql;
use crate::starts::REMOVE_EVENTS;

// What an endpoint holds is added up by one node after the other.
static LOCK: Sql =
    Sql::new("lock_webhooks", "SELECT id FROM webhook WHERE id {any $1 uuid} ORDER BY id {for_update}");

// Index: webhook_delivery_held, which has the sizes. $1 the endpoints, $2 what each delivery counts beside its body
static HELD_BYTES: Sql = Sql::new(
    "held_bytes",
    "SELECT webhook_id, CAST(sum(body_bytes + $2) AS bigint) AS bytes
     FROM webhook_delivery {sqlite:INDEXED BY webhook_delivery_held}
     WHERE held_at IS NOT NULL AND webhook_id {any $1 uuid} GROUP BY webhook_id",
);

/// `WebhookStore::hold_deliveries`.
pub(super) async fn hold(store: &SqlStore, held: &[HeldDelivery], now: Timestamp) -> StoreResult<Vec<Hold>> {
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let mut answers = HashMap::with_capacity(held.len());
    answers.extend(known(store, held).await?.into_iter().map(|(id, accepted)| (id, hold_of(accepted))));
    let mut seen = HashSet::with_capacity(held.len());
    let is_open =
        |held: &&HeldDelivery| !answers.contains_key(&held.delivery.id) && seen.insert(held.delivery.id);
    let open: Vec<&HeldDelivery> = held.iter().filter(is_open).collect();
    if !open.is_empty() {
        let holds = hold_new(store, &open, now).await?;
        answers.extend(open.iter().map(|held| held.delivery.id).zip(holds));
    }
    Ok(held.iter().filter_map(|held| answers.get(&held.delivery.id).copied()).collect())
}

/// Holds those that are not there yet.
async fn hold_new(store: &SqlStore, open: &[&HeldDelivery], now: Timestamp) -> StoreResult<Vec<Hold>> {
    let transaction = store.pool().begin().await?;
    let fits = room(&transaction, open).await?;
    let taken: Vec<&HeldDelivery> =
        open.iter().zip(&fits).filter(|(_, fits)| **fits).map(|(held, _)| *held).collect();
    let accepted =
        if taken.is_empty() { Vec::new() } else { guards::take(&transaction, &taken, now).await? };
    let lines: Vec<Line<'_>> =
        taken.iter().zip(&accepted).map(|(held, answer)| line(&held.delivery, *answer, now)).collect();
    if lines::insert(&transaction, &lines).await? < lines.len() as u64 {
        rollback(transaction).await;
        return Err(StoreError::Contended { source: "a delivery is being held elsewhere".into() });
    }
    let is_new = |(_, answer): &(&&HeldDelivery, &Accepted)| matches!(answer, Accepted::New(_));
    let with_body: Vec<&NewDelivery> =
        taken.iter().zip(&accepted).filter(is_new).map(|(held, _)| &held.delivery).collect();
    lines::insert_bodies(&transaction, &with_body).await?;
    commit(transaction).await?;
    let mut accepted = accepted.into_iter();
    let answer = |fits: bool| fits.then(|| accepted.next()).flatten().map_or(Hold::Full, hold_of);
    Ok(fits.into_iter().map(answer).collect())
}

/// Which of these fit into what their endpoints may hold, one after the other. Repetitions count here like others.
async fn room<C: ConnectionTrait>(on: &C, open: &[&HeldDelivery]) -> StoreResult<Vec<bool>> {
    let endpoints: HashSet<WebhookId> = open.iter().map(|held| held.delivery.webhook_id).collect();
    let dialect = Dialect::of(on.get_database_backend());
    let list = || bind::uuids(dialect, endpoints.iter().map(|id| id.uuid()));
    LOCK.all(on, vec![list()]).await?;
    let extra = i64::try_from(HELD_BYTES_EXTRA).unwrap_or(i64::MAX);
    let mut bytes: HashMap<WebhookId, u64> = HashMap::with_capacity(endpoints.len());
    for row in &HELD_BYTES.all(on, vec![list(), extra.into()]).await? {
        let row = Row::new("webhook_delivery", row);
        let held = u64::try_from(row.long("bytes")?).unwrap_or(0);
        bytes.insert(WebhookId::from_uuid(row.uuid("webhook_id")?), held);
    }
    let fits = open.iter().map(|held| {
        let before = bytes.entry(held.delivery.webhook_id).or_default();
        let after = before.saturating_add(plain_body_bytes(&held.delivery.body) as u64 + HELD_BYTES_EXTRA);
        let fits = after <= held.bytes_max;
        if fits {
            *before = after;
        }
        fits
    });
    Ok(fits.collect())
}

fn line(delivery: &NewDelivery, answer: Accepted, now: Timestamp) -> Line<'_> {
    let (status, duplicate_of, held_at) = match answer {
        Accepted::New(_) => (DeliveryStatus::Held, None, Some(now)),
        Accepted::Duplicate(first) => (DeliveryStatus::Duplicate, Some(first), None),
    };
    Line { delivery, status, job_id: None, duplicate_of, held_at }
}

fn hold_of(accepted: Accepted) -> Hold {
    match accepted {
        Accepted::New(id) => Hold::Held(id),
        Accepted::Duplicate(first) => Hold::Duplicate(first),
    }
}

// Releasing held deliveries: they get their jobs, oldest first.

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

// Upkeep by content rather than by age: guards that have expired, and rejected deliveries beyond the newest.

static GUARDS: Sql = Sql::new(
    "prune_guards",
    "DELETE FROM webhook_guard WHERE (webhook_id, digest) IN (
       SELECT webhook_id, digest FROM webhook_guard WHERE expires_at <= $1
       ORDER BY expires_at LIMIT $2 {for_update_skip})",
);

// Index: webhook_delivery_rejected. From the newest that is one too many on; an endpoint that has fewer has none.
// Looked for outside a transaction: what is one too many stays so. CROSS JOIN keeps SQLite from looking for the newest
// of every single row. $1 how many stay, $2 how many go
static REJECTED: Sql = Sql::new(
    "prune_rejected_pick",
    "SELECT d.id FROM webhook w
     CROSS JOIN webhook_delivery d
     WHERE d.webhook_id = w.id AND d.status = 'rejected'
       AND d.id <= (SELECT n.id FROM webhook_delivery n WHERE n.webhook_id = w.id AND n.status = 'rejected'
                    ORDER BY n.id DESC LIMIT 1 OFFSET $1)
     LIMIT $2",
);

/// Removes both kinds; answers how many rows went, bodies not counted.
pub(super) async fn prune(
    store: &SqlStore,
    rejected_max: u64,
    limit: u32,
    now: Timestamp,
) -> StoreResult<u64> {
    let guards = GUARDS.run(store.pool().write(), vec![now.0.into(), i64::from(limit).into()]).await?;
    let kept = i64::try_from(rejected_max).unwrap_or(i64::MAX);
    let rows = REJECTED.all(store.pool().read(), vec![kept.into(), i64::from(limit).into()]).await?;
    let ids = rows.iter().map(|row| Row::new("webhook_delivery", row).uuid("id"));
    let ids: Vec<Uuid> = ids.collect::<StoreResult<_>>()?;
    Ok(guards + remove(store, &ids).await?)
}

// Removing deliveries with their bodies, in one transaction.

static BODIES: Sql =
    Sql::new("remove_delivery_bodies", "DELETE FROM webhook_body WHERE delivery_id {any $1 uuid}");

static DELIVERIES: Sql = Sql::new("remove_deliveries", "DELETE FROM webhook_delivery WHERE id {any $1 uuid}");

/// Removes these deliveries; answers how many were there.
pub(crate) async fn remove(store: &SqlStore, ids: &[Uuid]) -> StoreResult<u64> {
    if ids.is_empty() {
        return Ok(0);
    }
    let list = || vec![bind::uuids(store.dialect(), ids.iter().copied())];
    let transaction = store.pool().begin().await?;
    // Deliveries before bodies, as every node does it: whoever is later waits here and finds nothing left.
    let gone = DELIVERIES.run(&transaction, list()).await?;
    BODIES.run(&transaction, list()).await?;
    REMOVE_EVENTS.run(&transaction, list()).await?;
    commit(transaction).await?;
    Ok(gone)
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
