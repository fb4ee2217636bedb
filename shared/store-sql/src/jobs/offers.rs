//! Offers: leases of relays, which workers accept.
//!
//! Whatever asks for offers compares the holder's name with `trunkline-relay/`
//! ([`HOLDER_PREFIX`](domain::dispatch::HOLDER_PREFIX)).

use std::collections::HashMap;

use domain::dispatch::{AcceptOutcome, FoundLease, accept_outcome, accepted_token, shard_of_holder};
use domain::id::{ExecutionId, JobId, LeaseToken};
use domain::job::JobStatus;
use domain::names::{JobType, NodeId, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use store::dispatch::{Acceptance, Accepted, OfferFigures, StandingOffer};
use store::jobs::{ClaimedJob, LeaseAnswer, LeaseRef};
use uuid::Uuid;

use super::claim::{NONEMPTY, facts};
use super::status;
use crate::bind::{self, Cell};
use crate::payloads;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

// Accepting offers.

pub(super) static ACCEPT: Sql = Sql::new("accept_offers", include_str!("../../sql/accept_offers.sql"));

// What has become of jobs whose leases were not started. One that ends between the two reads is in both.
// Indexes: job(id), job_done's primary key.
static FOUND: Sql = Sql::new(
    "found_leases",
    "SELECT r.ord, j.state, j.lease_token, j.worker_id, j.lease_until, j.progress
     FROM {rows $1: ord int, id uuid} r JOIN job j ON j.id = r.id
     UNION ALL
     SELECT r.ord, d.status AS state, d.lease_token, d.worker_id, CAST(NULL AS bigint) AS lease_until,
       NULL AS progress
     FROM {rows $1: ord int, id uuid} r JOIN job_done d ON d.id = r.id",
);

/// `DispatchStore::accept_offers`.
pub(crate) async fn accept(
    store: &SqlStore,
    items: &[Acceptance<'_>],
    lease: DurationMs,
    now: Timestamp,
) -> StoreResult<Vec<Accepted>> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    // In the order in which everybody locks jobs.
    let mut sorted: Vec<&Acceptance<'_>> = items.iter().collect();
    sorted.sort_unstable_by_key(|item| item.offer.id);
    let cells = sorted.iter().map(|item| {
        let worker = item.worker_id.as_str();
        [
            Cell::Uuid(item.offer.id.uuid()),
            Cell::Uuid(item.offer.token.0),
            Cell::Uuid(accepted_token(item.offer.token, worker).0),
            Cell::Text(worker),
        ]
    });
    let mut values = vec![store.lease_now(now).into(), lease.0.into()];
    values.extend(bind::rows(store.dialect(), cells));
    let rows =
        with_retry(RetryBudget::repeatable(), || ACCEPT.all(store.pool().write(), values.clone())).await?;
    // By the new leases: a message of an offer before may name the same job.
    let mut started: HashMap<LeaseRef, Accepted> = HashMap::with_capacity(items.len());
    for row in &rows {
        let row = Row::new("job", row);
        let id = JobId::from_uuid(row.uuid("id")?);
        let token = LeaseToken(row.uuid("lease_token")?);
        started.insert(LeaseRef { id, token }, accepted(row, id, token)?);
    }
    let open: Vec<usize> =
        (0..items.len()).filter(|&place| !started.contains_key(&lease_of(&items[place]))).collect();
    let mut others = find(store, items, &open).await?;
    let answer = |(place, item): (usize, &Acceptance<'_>)| {
        let found = started.remove(&lease_of(item)).or_else(|| others.remove(&place));
        found.unwrap_or_else(|| without_lease(AcceptOutcome::LeaseLost))
    };
    Ok(items.iter().enumerate().map(answer).collect())
}

/// The lease that accepting starts.
fn lease_of(item: &Acceptance<'_>) -> LeaseRef {
    let token = accepted_token(item.offer.token, item.worker_id.as_str());
    LeaseRef { id: item.offer.id, token }
}

/// What is answered of jobs whose leases this call did not start, by their places among the items.
async fn find(
    store: &SqlStore,
    items: &[Acceptance<'_>],
    open: &[usize],
) -> StoreResult<HashMap<usize, Accepted>> {
    let mut answers = HashMap::new();
    if open.is_empty() {
        return Ok(answers);
    }
    let cells = open.iter().map(|&place| [Cell::Int(place as i32), Cell::Uuid(items[place].offer.id.uuid())]);
    // Where the leases are written: another node may have started one a moment ago.
    for row in &FOUND.all(store.pool().write(), bind::rows(store.dialect(), cells)).await? {
        let row = Row::new("job", row);
        let place = row.int("ord")? as usize;
        let (status, holder) = (status::status(row, "state")?, row.text_or_null("worker_id")?);
        let token = row.uuid_or_null("lease_token")?.map(LeaseToken);
        let found = FoundLease { status, token, holder: holder.as_deref() };
        let item = &items[place];
        let outcome = accept_outcome(item.offer.token, item.worker_id.as_str(), Some(found));
        let answer = match (outcome, token) {
            (AcceptOutcome::Ok, Some(token)) => accepted(row, item.offer.id, token)?,
            _ => without_lease(outcome),
        };
        if status != JobStatus::Processing || !answers.contains_key(&place) {
            answers.insert(place, answer);
        }
    }
    Ok(answers)
}

fn accepted(row: Row<'_>, id: JobId, token: LeaseToken) -> StoreResult<Accepted> {
    Ok(Accepted {
        outcome: AcceptOutcome::Ok,
        lease: Some((LeaseRef { id, token }, row.instant("lease_until")?)),
        progress: row.text_or_null("progress")?,
    })
}

fn without_lease(outcome: AcceptOutcome) -> Accepted {
    Accepted { outcome, lease: None, progress: None }
}

// What relays look at: the types of jobs that wait, and the offers that stand.

// Index: lane(id)
static TYPES: Sql =
    Sql::new("claimable_types", "SELECT DISTINCT job_type FROM lane WHERE id {any $1 bigint}");

// Index: job_leased. $2 the queue
static STANDING: Sql = Sql::new(
    "standing_offers",
    "SELECT j.id, j.lease_token, j.lease_until, j.worker_id, l.job_type
     FROM job j JOIN lane l ON l.id = j.lane
     WHERE j.queue = $2 AND j.state = 'processing' AND j.worker_id {any $1 text}
     ORDER BY j.started_at, j.position",
);

// The state is written so that no partial index fits: see extend_leases.
// Index: job(id).
pub(super) static AMONG: Sql = Sql::new(
    "standing_among_offers",
    "SELECT r.ord FROM {rows $1: ord int, id uuid, token uuid} r
     JOIN job j ON j.id = r.id AND j.lease_token = r.token AND j.state || '' = 'processing'
       AND j.worker_id LIKE 'trunkline-relay/%'",
);

// Index: job_leased. $1 the queue
static FIGURES: Sql = Sql::new(
    "offer_figures",
    "SELECT l.job_type, count(*) AS standing, min(j.started_at) AS oldest
     FROM job j JOIN lane l ON l.id = j.lane
     WHERE j.queue = $1 AND j.state = 'processing' AND j.worker_id LIKE 'trunkline-relay/%'
     GROUP BY l.job_type ORDER BY l.job_type",
);

// The state is written so that no partial index fits: see extend_leases.
// Index: job(id).
pub(super) static JOBS: Sql = Sql::new(
    "offered_jobs",
    "SELECT j.id, j.queue, j.position, j.data, j.attempt, j.attempt_base, j.retries_max, j.crashes, j.timeout_ms,
       j.backoff, j.lease_token, j.lease_until, j.started_at, j.created_at, j.queued_at, j.traceparent,
       j.execution_id, j.node_id, l.job_type, l.tenant, l.workflow_owner, l.workflow, l.tier
     FROM {rows $1: id uuid, token uuid} r
     JOIN job j ON j.id = r.id AND j.lease_token = r.token AND j.state || '' = 'processing'
       AND j.worker_id LIKE 'trunkline-relay/%'
     JOIN lane l ON l.id = j.lane
     ORDER BY j.started_at, l.tier, j.position",
);

// The attempt has not begun: its own time is none of the offer's.
// Index: job(id).
// $1 now or null, $2 how long
pub(super) static KEEP: Sql = Sql::new(
    "keep_offers",
    "UPDATE job SET lease_until = t.at + $2, deadline_at = NULL
     FROM {rows $3: id uuid, token uuid} r CROSS JOIN (SELECT {now $1} AS at) t
     WHERE job.id = r.id AND job.lease_token = r.token AND job.state || '' = 'processing'
       AND job.worker_id LIKE 'trunkline-relay/%'
     RETURNING job.id, job.lease_until",
);

/// `DispatchStore::claimable_types`.
pub(crate) async fn claimable_types(
    store: &SqlStore,
    queue: QueueName,
    lanes_max: u32,
) -> StoreResult<Vec<JobType>> {
    let on = store.pool().read();
    let rows = NONEMPTY.all(on, vec![queue.code().into(), 0.into(), i64::from(lanes_max).into()]).await?;
    let lanes = rows.iter().map(|row| Row::new("job", row).int("lane").map(i64::from));
    let lanes: Vec<i64> = lanes.collect::<StoreResult<_>>()?;
    if lanes.is_empty() {
        return Ok(Vec::new());
    }
    let rows = TYPES.all(on, vec![bind::longs(store.dialect(), lanes.into_iter())]).await?;
    rows.iter().map(|row| Row::new("lane", row).name("job_type", JobType::trusted)).collect()
}

/// `DispatchStore::standing_offers`.
pub(crate) async fn standing(store: &SqlStore, holders: &[WorkerId]) -> StoreResult<Vec<StandingOffer>> {
    if holders.is_empty() {
        return Ok(Vec::new());
    }
    let names = bind::texts(store.dialect(), holders.iter().map(WorkerId::as_str));
    let rows = STANDING.all(store.pool().read(), vec![names, QueueName::Node.code().into()]).await?;
    let offers = rows.iter().map(|row| {
        let row = Row::new("job", row);
        let id = JobId::from_uuid(row.uuid("id")?);
        Ok(StandingOffer {
            lease: LeaseRef { id, token: LeaseToken(row.uuid("lease_token")?) },
            job_type: row.name("job_type", JobType::trusted)?,
            shard: shard_of_holder(&row.text("worker_id")?).unwrap_or_default(),
            until: row.instant("lease_until")?,
        })
    });
    offers.collect()
}

/// `DispatchStore::standing_among`.
pub(crate) async fn among(store: &SqlStore, offers: &[LeaseRef]) -> StoreResult<Vec<bool>> {
    let mut stand = vec![false; offers.len()];
    if offers.is_empty() {
        return Ok(stand);
    }
    let cells = offers.iter().enumerate().map(|(place, offer)| {
        [Cell::Int(place as i32), Cell::Uuid(offer.id.uuid()), Cell::Uuid(offer.token.0)]
    });
    for row in &AMONG.all(store.pool().read(), bind::rows(store.dialect(), cells)).await? {
        if let Some(stands) = stand.get_mut(Row::new("job", row).int("ord")? as usize) {
            *stands = true;
        }
    }
    Ok(stand)
}

/// The offers of all holders, by type.
pub(crate) async fn figures(store: &SqlStore) -> StoreResult<Vec<OfferFigures>> {
    let rows = FIGURES.all(store.pool().read(), vec![QueueName::Node.code().into()]).await?;
    let figures = rows.iter().map(|row| {
        let row = Row::new("job", row);
        Ok(OfferFigures {
            job_type: row.name("job_type", JobType::trusted)?,
            standing: u64::try_from(row.long("standing")?).unwrap_or_default(),
            oldest: row.instant("oldest")?,
        })
    });
    figures.collect()
}

/// `DispatchStore::offered_jobs`.
pub(crate) async fn jobs(store: &SqlStore, offers: &[LeaseRef]) -> StoreResult<Vec<ClaimedJob>> {
    if offers.is_empty() {
        return Ok(Vec::new());
    }
    let on = store.pool().read();
    let cells = offers.iter().map(|offer| [Cell::Uuid(offer.id.uuid()), Cell::Uuid(offer.token.0)]);
    let rows = JOBS.all(on, bind::rows(store.dialect(), cells)).await?;
    let jobs = rows.iter().map(|row| offered_job(Row::new("job", row)));
    let mut jobs: Vec<ClaimedJob> = jobs.collect::<StoreResult<_>>()?;
    jobs.truncate(payloads::fitting(jobs.iter().map(|job| job.data.as_str())));
    let large: Vec<Uuid> =
        jobs.iter().filter(|job| payloads::length_of(&job.data).is_some()).map(|job| job.id.uuid()).collect();
    let mut loaded = payloads::load(on, &large).await?;
    jobs.retain_mut(|job| {
        if payloads::length_of(&job.data).is_none() {
            return true;
        }
        // It was cancelled and removed since, where its payload is gone.
        loaded.remove(&job.id.uuid()).map(|data| job.data = data).is_some()
    });
    Ok(jobs)
}

fn offered_job(row: Row<'_>) -> StoreResult<ClaimedJob> {
    Ok(ClaimedJob {
        id: JobId::from_uuid(row.uuid("id")?),
        queue: row.queue("queue")?,
        job_type: row.name("job_type", JobType::trusted)?,
        tenant: row.name("tenant", TenantName::trusted)?,
        workflow: row.workflow()?,
        tier: row.tier("tier")?,
        position: row.long("position")?,
        data: row.text("data")?,
        attempt: row.count("attempt")?,
        facts: facts(row)?,
        timeout: row.duration_or_null("timeout_ms")?,
        token: LeaseToken(row.uuid("lease_token")?),
        lease_until: row.instant("lease_until")?,
        started_at: row.instant("started_at")?,
        created_at: row.instant("created_at")?,
        queued_at: row.instant("queued_at")?,
        traceparent: row.text_or_null("traceparent")?,
        execution_id: row.uuid_or_null("execution_id")?.map(ExecutionId::from_uuid),
        node_id: row.name_or_null("node_id", NodeId::trusted)?,
    })
}

/// `DispatchStore::keep_offers`.
pub(crate) async fn keep(
    store: &SqlStore,
    offers: &[LeaseRef],
    span: DurationMs,
    now: Timestamp,
) -> StoreResult<Vec<LeaseAnswer<Timestamp>>> {
    if offers.is_empty() {
        return Ok(Vec::new());
    }
    // In the order in which everybody locks jobs.
    let mut sorted = offers.to_vec();
    sorted.sort_unstable_by_key(|offer| offer.id);
    let cells = sorted.iter().map(|offer| [Cell::Uuid(offer.id.uuid()), Cell::Uuid(offer.token.0)]);
    let mut values = vec![store.lease_now(now).into(), span.0.into()];
    values.extend(bind::rows(store.dialect(), cells));
    let rows =
        with_retry(RetryBudget::repeatable(), || KEEP.all(store.pool().write(), values.clone())).await?;
    let mut ends: HashMap<JobId, Timestamp> = HashMap::with_capacity(rows.len());
    for row in &rows {
        let row = Row::new("job", row);
        ends.insert(JobId::from_uuid(row.uuid("id")?), row.instant("lease_until")?);
    }
    let answer = |offer: &LeaseRef| match ends.get(&offer.id) {
        Some(&end) => LeaseAnswer::Ok(end),
        None => LeaseAnswer::LeaseLost,
    };
    Ok(offers.iter().map(answer).collect())
}

#[cfg(test)]
mod tests {
    use domain::dispatch::HOLDER_PREFIX;

    use crate::dialect::Dialect;

    /// The statement has the prefix as text.
    #[test]
    fn accepting_names_the_holders_of_offers() {
        let text = super::ACCEPT.text(Dialect::Postgres);
        assert!(text.contains(&format!("LIKE '{HOLDER_PREFIX}%'")), "{text}");
    }
}
