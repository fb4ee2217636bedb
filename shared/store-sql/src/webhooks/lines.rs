//! Rows of deliveries and their bodies, set-based, within a transaction.

use domain::id::{DeliveryId, Id, JobId};
use domain::time::Timestamp;
use domain::webhook::DeliveryStatus;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::webhooks::{DeliveryOutcome, NewDelivery};
use uuid::Uuid;

use super::endpoints::stored_status;
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::pool::{Pool, commit};
use crate::sealing::plain_body_bytes;
use crate::sql::Sql;

static INSERT: Sql = Sql::new(
    "insert_deliveries",
    "INSERT INTO webhook_delivery (id, webhook_id, tenant, status, reason, event_type, provider_event_id, secret_id,
       job_id, duplicate_of, replay_of, remote_address, method, target, headers, body_bytes, traceparent, received_at,
       held_at)
     SELECT r.id, r.webhook_id, r.tenant, r.status, r.reason, r.event_type, r.provider_event_id, r.secret_id,
       r.job_id, r.duplicate_of, r.replay_of, r.remote_address, r.method, r.target, r.headers, r.body_bytes,
       r.traceparent, r.received_at, r.held_at
     FROM {rows $1: id uuid, webhook_id uuid, tenant text, status text, reason text?, event_type text?, provider_event_id text?, secret_id uuid?, job_id uuid?, duplicate_of uuid?, replay_of uuid?, remote_address text?, method text, target text, headers text, body_bytes int, traceparent text?, received_at bigint, held_at bigint?} r
     WHERE true ON CONFLICT (id) DO NOTHING",
);

// The bodies are bound as one value from which each takes its part: neither an array nor JSON text carries large
// binary values as cheaply. SQLite takes nothing from an empty value, so what is null there is empty.
// $1 the bodies one after the other; `start` counts from 1
static INSERT_BODIES: Sql = Sql::new(
    "insert_delivery_bodies",
    "INSERT INTO webhook_body (delivery_id, body)
     SELECT r.id, COALESCE(substr({postgres:$1::bytea}{sqlite:$1}, r.start, r.length), {postgres:''::bytea}{sqlite:x''})
     FROM {rows $2: id uuid, start int, length int} r
     WHERE true ON CONFLICT (delivery_id) DO NOTHING",
);

/// How many rows one statement inserts.
pub(super) const CHUNK: usize = 1_000;

/// How many bytes of bodies one statement carries, if the first of them does not have more.
pub(super) const BODY_BYTES_MAX: usize = 8 << 20;

/// A delivery with what only the store knows of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The delivery.
    pub(super) delivery: &'a NewDelivery,
    /// Where it is.
    pub(super) status: DeliveryStatus,
    /// Its job.
    pub(super) job_id: Option<JobId>,
    /// The delivery that it repeats.
    pub(super) duplicate_of: Option<DeliveryId>,
    /// Since when it is held.
    pub(super) held_at: Option<Timestamp>,
}

/// Inserts deliveries without their bodies; those whose id is there already are left out. Answers how many were new.
pub(super) async fn insert<C: ConnectionTrait>(on: &C, lines: &[Line<'_>]) -> StoreResult<u64> {
    let mut inserted = 0;
    for chunk in lines.chunks(CHUNK) {
        let cells = chunk.iter().map(cells_of);
        inserted += INSERT.run(on, bind::rows(Dialect::of(on.get_database_backend()), cells)).await?;
    }
    Ok(inserted)
}

fn cells_of<'a>(line: &Line<'a>) -> [Cell<'a>; 19] {
    let delivery = line.delivery;
    [
        Cell::Uuid(delivery.id.uuid()),
        Cell::Uuid(delivery.webhook_id.uuid()),
        Cell::Text(delivery.tenant.as_str()),
        Cell::Text(stored_status(line.status)),
        Cell::TextOrNull(delivery.reason.as_deref()),
        Cell::TextOrNull(delivery.event_type.as_deref()),
        Cell::TextOrNull(delivery.provider_event_id.as_deref()),
        Cell::UuidOrNull(delivery.secret_id.map(Id::uuid)),
        Cell::UuidOrNull(line.job_id.map(Id::uuid)),
        Cell::UuidOrNull(line.duplicate_of.map(Id::uuid)),
        Cell::UuidOrNull(delivery.replay_of.map(Id::uuid)),
        Cell::TextOrNull(delivery.remote_address.as_deref()),
        Cell::Text(&delivery.method),
        Cell::Text(&delivery.target),
        Cell::Text(&delivery.headers),
        Cell::Int(i32::try_from(plain_body_bytes(&delivery.body)).unwrap_or(i32::MAX)),
        Cell::TextOrNull(delivery.traceparent.as_deref()),
        Cell::Long(delivery.received_at.0),
        Cell::LongOrNull(line.held_at.map(|at| at.0)),
    ]
}

/// Inserts the bodies of deliveries, the empty ones too; those that are there already stay.
pub(super) async fn insert_bodies<C: ConnectionTrait>(
    on: &C,
    deliveries: &[&NewDelivery],
) -> StoreResult<()> {
    let mut rest = deliveries;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(fitting(rest));
        rest = after;
        let mut bodies = Vec::with_capacity(chunk.iter().map(|delivery| delivery.body.len()).sum());
        let mut parts: Vec<(Uuid, i32, i32)> = Vec::with_capacity(chunk.len());
        for delivery in chunk {
            let (start, length) = (bodies.len() + 1, delivery.body.len());
            parts.push((delivery.id.uuid(), start as i32, length as i32));
            bodies.extend_from_slice(&delivery.body);
        }
        let cells = parts
            .into_iter()
            .map(|(id, start, length)| [Cell::Uuid(id), Cell::Int(start), Cell::Int(length)]);
        let mut values = vec![bodies.into()];
        values.extend(bind::rows(Dialect::of(on.get_database_backend()), cells));
        INSERT_BODIES.run(on, values).await?;
    }
    Ok(())
}

/// How many of these, at least one, go into one statement.
fn fitting(deliveries: &[&NewDelivery]) -> usize {
    let mut bytes = 0;
    let fits = deliveries.iter().take(CHUNK).take_while(|delivery| {
        bytes += delivery.body.len();
        bytes <= BODY_BYTES_MAX
    });
    fits.count().max(1)
}

// Noting what matching a delivery came to.

// A node that it woke is a match, whoever has noticed. Its job may run again after it recorded an outcome: the last one counts. What never had a job stays what it is.
static FINISH: Sql = Sql::new(
    "finish_delivery",
    "UPDATE webhook_delivery
     SET status = CASE WHEN $2 = 'unmatched' AND woke IS NOT NULL THEN 'matched' ELSE $2 END, reason = $3, outcome = $4, executions = $5, processed_at = $6
     WHERE id = $1 AND job_id IS NOT NULL",
);

/// Records the outcome of a delivery, if it is there.
pub(super) async fn finish(pool: &Pool, outcome: &DeliveryOutcome, now: Timestamp) -> StoreResult<()> {
    let executions = (!outcome.executions.is_empty())
        .then(|| serde_json::to_string(&outcome.executions).expect("ids are strings"));
    let values = vec![
        outcome.id.uuid().into(),
        outcome.status.as_str().into(),
        outcome.reason.as_deref().into(),
        outcome.outcome.as_str().into(),
        executions.into(),
        now.0.into(),
    ];
    FINISH.run(pool.write(), values).await.map(|_| ())
}

// Keeping deliveries that ended at once.

/// Stores deliveries with their bodies; those that are there already stay as they are.
pub(super) async fn record(pool: &Pool, deliveries: &[NewDelivery]) -> StoreResult<()> {
    if deliveries.is_empty() {
        return Ok(());
    }
    let line = |delivery| Line {
        delivery,
        status: delivery.status,
        job_id: None,
        duplicate_of: None,
        held_at: None,
    };
    let lines: Vec<Line<'_>> = deliveries.iter().map(line).collect();
    let all: Vec<&NewDelivery> = deliveries.iter().collect();
    let transaction = pool.begin().await?;
    insert(&transaction, &lines).await?;
    insert_bodies(&transaction, &all).await?;
    commit(transaction).await
}

#[cfg(test)]
mod tests {
    use domain::id::WebhookId;
    use domain::names::TenantName;

    use super::*;

    fn delivery(bytes: usize) -> NewDelivery {
        NewDelivery {
            id: DeliveryId::from_uuid(Uuid::nil()),
            webhook_id: WebhookId::from_uuid(Uuid::nil()),
            tenant: TenantName::trusted("a"),
            status: DeliveryStatus::Accepted,
            reason: None,
            event_type: None,
            provider_event_id: None,
            secret_id: None,
            replay_of: None,
            remote_address: None,
            method: "POST".to_owned(),
            target: "/".to_owned(),
            headers: "[]".to_owned(),
            body: vec![0; bytes],
            traceparent: None,
            received_at: Timestamp(0),
        }
    }

    #[test]
    fn a_statement_carries_a_bounded_number_of_bytes() {
        let (small, half, large) = (delivery(0), delivery(BODY_BYTES_MAX / 2), delivery(BODY_BYTES_MAX + 1));
        assert_eq!(fitting(&[&half, &half, &small, &half]), 3);
        assert_eq!(fitting(&[&large, &small]), 1, "one that is too large goes alone");
        assert_eq!(fitting(&[&small, &large]), 1);
        assert_eq!(fitting(&vec![&small; CHUNK + 1]), CHUNK);
    }
}
