//! Holding verified deliveries that their endpoints do not take now: guards, line and body in one transaction, no job.

use std::collections::{HashMap, HashSet};

use domain::id::WebhookId;
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::webhooks::{Accepted, DeliveryStatus, HELD_BYTES_EXTRA, HeldDelivery, Hold, NewDelivery};
use store::{StoreError, StoreResult};

use super::accept::known;
use super::guards;
use super::lines::{self, Line};
use crate::SqlStore;
use crate::bind;
use crate::dialect::Dialect;
use crate::pool::{commit, rollback};
use crate::rows::Row;
use crate::sealing::plain_body_bytes;
use crate::sql::Sql;

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
