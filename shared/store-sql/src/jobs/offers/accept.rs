//! Accepting offers.

use std::collections::HashMap;

use domain::dispatch::{AcceptOutcome, FoundLease, accept_outcome, accepted_token};
use domain::id::{JobId, LeaseToken};
use domain::job::JobStatus;
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use store::dispatch::{Acceptance, Accepted};
use store::jobs::LeaseRef;

use super::super::states;
use crate::bind::{self, Cell};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

static ACCEPT: Sql = Sql::new("accept_offers", include_str!("../../../sql/accept_offers.sql"));

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
        let (status, holder) = (states::status(row, "state")?, row.text_or_null("worker_id")?);
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
