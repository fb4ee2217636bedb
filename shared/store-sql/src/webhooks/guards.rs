//! Guards: which of several deliveries came before, decided by the key of `webhook_guard`.
//!
//! Whoever inserts a guard first has it until it expires. Two transactions take guards in the same order, so neither
//! waits for the other twice, and the one that waited sees what the other committed.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::id::{DeliveryId, WebhookId};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, QueryResult};
use store::webhooks::{Acceptance, Accepted, GuardKey, HeldDelivery, NewDelivery};
use store::{StoreError, StoreResult};

use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::sql::Sql;

// A guard that has not expired is locked and not changed: nobody removes it before the end of the transaction.
// $1 now
static TAKE: Sql = Sql::new(
    "take_guards",
    "INSERT INTO webhook_guard (webhook_id, digest, delivery_id, expires_at)
     SELECT r.webhook_id, r.digest, r.delivery_id, r.expires_at
     FROM {rows $2: webhook_id uuid, digest bytes, delivery_id uuid, expires_at bigint} r
     WHERE true ORDER BY r.webhook_id, r.digest
     ON CONFLICT (webhook_id, digest) DO UPDATE
       SET delivery_id = excluded.delivery_id, expires_at = excluded.expires_at
       WHERE webhook_guard.expires_at <= $1
     RETURNING webhook_id, digest, delivery_id",
);

static HOLDERS: Sql = Sql::new(
    "guard_holders",
    "SELECT g.webhook_id, g.digest, g.delivery_id
     FROM {rows $1: webhook_id uuid, digest bytes} r
     JOIN webhook_guard g ON g.webhook_id = r.webhook_id AND g.digest = r.digest",
);

// Those that a duplicate took stand for the delivery that it repeats.
static PASS_ON: Sql = Sql::new(
    "hand_over_guards",
    "UPDATE webhook_guard AS g SET delivery_id = r.delivery_id
     FROM {rows $1: webhook_id uuid, digest bytes, delivery_id uuid} r
     WHERE g.webhook_id = r.webhook_id AND g.digest = r.digest",
);

/// How many guards one statement takes.
const CHUNK: usize = 1_000;

/// A delivery with guards.
pub(super) trait Guarded {
    /// The delivery.
    fn delivery(&self) -> &NewDelivery;

    /// Its guards.
    fn guards(&self) -> &[GuardKey];
}

impl Guarded for Acceptance {
    fn delivery(&self) -> &NewDelivery {
        &self.delivery
    }

    fn guards(&self) -> &[GuardKey] {
        &self.guards
    }
}

impl Guarded for HeldDelivery {
    fn delivery(&self) -> &NewDelivery {
        &self.delivery
    }

    fn guards(&self) -> &[GuardKey] {
        &self.guards
    }
}

/// A guard: the endpoint's, and its digest.
pub(super) type Key = (WebhookId, [u8; 32]);

type Holders = HashMap<Key, DeliveryId>;

/// A guard that is to be taken, and for whom.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// The guard.
    pub(super) key: Key,
    /// The delivery that takes it.
    pub(super) delivery: DeliveryId,
    /// Until when it holds.
    pub(super) expires_at: Timestamp,
}

/// Takes the guards of deliveries, and answers in order which of them are new. The ids are all different.
pub(super) async fn take<C: ConnectionTrait, G: Guarded>(
    on: &C,
    acceptances: &[&G],
    now: Timestamp,
) -> StoreResult<Vec<Accepted>> {
    let wanted = wanted(acceptances.iter().copied());
    let mut known = Holders::new();
    let mut taken = HashSet::with_capacity(wanted.len());
    for chunk in wanted.chunks(CHUNK) {
        taken.extend(take_chunk(on, chunk, now).await?.into_keys());
        let lost: Vec<Key> =
            chunk.iter().map(|wanted| wanted.key).filter(|key| !taken.contains(key)).collect();
        known.extend(holders(on, &lost).await?);
    }
    if wanted.iter().any(|wanted| !taken.contains(&wanted.key) && !known.contains_key(&wanted.key)) {
        return Err(StoreError::Contended { source: "a guard was neither taken nor held".into() });
    }
    let (answers, after) = one_after_the_other(acceptances, known);
    let moved = wanted.iter().filter(|wanted| taken.contains(&wanted.key)).filter_map(|wanted| {
        let holder = *after.get(&wanted.key)?;
        (holder != wanted.delivery).then_some((wanted.key, holder))
    });
    let moved: Vec<(Key, DeliveryId)> = moved.collect();
    for chunk in moved.chunks(CHUNK) {
        let cells = chunk.iter().map(|((webhook_id, digest), holder)| {
            [Cell::Uuid(webhook_id.uuid()), Cell::Bytes(digest), Cell::Uuid(holder.uuid())]
        });
        PASS_ON.run(on, bind::rows(Dialect::of(on.get_database_backend()), cells)).await?;
    }
    Ok(answers)
}

/// Each guard once, for the first delivery that has it, in the order in which everybody takes them.
pub(super) fn wanted<'a, G: Guarded + 'a>(acceptances: impl Iterator<Item = &'a G>) -> Vec<Wanted> {
    let mut wanted: BTreeMap<Key, Wanted> = BTreeMap::new();
    for acceptance in acceptances {
        let delivery = acceptance.delivery();
        for guard in acceptance.guards() {
            let key = (delivery.webhook_id, guard.digest);
            let first = Wanted { key, delivery: delivery.id, expires_at: guard.expires_at };
            wanted.entry(key).or_insert(first);
        }
    }
    wanted.into_values().collect()
}

/// What deliveries come to one after the other, where these guards are held by others already; and who holds each
/// guard then.
fn one_after_the_other<G: Guarded>(acceptances: &[&G], mut held: Holders) -> (Vec<Accepted>, Holders) {
    let answers = acceptances.iter().map(|acceptance| {
        let (id, webhook_id) = (acceptance.delivery().id, acceptance.delivery().webhook_id);
        let key = |guard: &GuardKey| (webhook_id, guard.digest);
        let before = acceptance.guards().iter().filter_map(|guard| held.get(&key(guard)));
        let before = before.copied().find(|&holder| holder != id);
        for guard in acceptance.guards() {
            held.entry(key(guard)).or_insert(before.unwrap_or(id));
        }
        before.map_or(Accepted::New(id), Accepted::Duplicate)
    });
    (answers.collect(), held)
}

async fn take_chunk<C: ConnectionTrait>(on: &C, chunk: &[Wanted], now: Timestamp) -> StoreResult<Holders> {
    let cells = chunk.iter().map(|wanted| {
        [
            Cell::Uuid(wanted.key.0.uuid()),
            Cell::Bytes(&wanted.key.1),
            Cell::Uuid(wanted.delivery.uuid()),
            Cell::Long(wanted.expires_at.0),
        ]
    });
    let mut values = vec![now.0.into()];
    values.extend(bind::rows(Dialect::of(on.get_database_backend()), cells));
    TAKE.all(on, values).await?.iter().map(holder_of).collect()
}

async fn holders<C: ConnectionTrait>(on: &C, keys: &[Key]) -> StoreResult<Holders> {
    if keys.is_empty() {
        return Ok(Holders::new());
    }
    let cells = keys.iter().map(|(webhook_id, digest)| [Cell::Uuid(webhook_id.uuid()), Cell::Bytes(digest)]);
    let rows = HOLDERS.all(on, bind::rows(Dialect::of(on.get_database_backend()), cells)).await?;
    rows.iter().map(holder_of).collect()
}

fn holder_of(row: &QueryResult) -> StoreResult<(Key, DeliveryId)> {
    let row = Row::new("webhook_guard", row);
    let digest = row.bytes_or_null("digest")?.and_then(|bytes| bytes.try_into().ok());
    let digest = digest.ok_or_else(|| row.fault("digest"))?;
    let webhook_id = WebhookId::from_uuid(row.uuid("webhook_id")?);
    Ok(((webhook_id, digest), DeliveryId::from_uuid(row.uuid("delivery_id")?)))
}
