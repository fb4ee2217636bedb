//! Accepting deliveries of the common kind on PostgreSQL: none came before, and their jobs are alike. One statement that
//! is its own transaction. The key of `webhook_guard` finds repetitions: they fail the statement, and nothing happened.

use domain::id::Id;
use domain::queue::LaneId;
use domain::time::Timestamp;
use store::StoreResult;
use store::audit::{lines_taken, riding_lines};
use store::jobs::NewJob;
use store::webhooks::{Acceptance, Accepted};

use super::guards::{self, Wanted};
use super::lines::{BODY_BYTES_MAX, CHUNK};
use crate::audit::recorded;
use crate::columns::{Arguments, Columns};
use crate::dialect::Dialect;
use crate::errors::is_unique_violation;
use crate::fast_paths::FastPath;
use crate::jobs::enqueue_fast::{backoff_text, tags_text};
use crate::sealing::plain_body_bytes;
use crate::sql::Sql;
use crate::{SqlStore, audit, columns, payloads};

const FAST: &str = include_str!("../../sql/accept_fast_postgres.sql");
const ACCEPTED: &str = ") SELECT lane, MIN(position) AS position FROM made GROUP BY lane";

static ACCEPT: Sql = Sql::joined("accept_fast", [FAST, ACCEPTED, ""]);
// The same, with lines of the audit log.
static ACCEPT_RECORDED: Sql = Sql::joined("accept_recorded", [FAST, recorded!("33"), ACCEPTED]);

const COLUMNS: &[&str] = &["lane", "position"];

/// Accepts all of them. Nothing happens, and the answer is `None`, where they are not of this kind or one of them came
/// before.
pub(super) async fn accept(
    store: &SqlStore,
    acceptances: &[Acceptance],
    lanes: &[LaneId],
    now: Timestamp,
) -> StoreResult<Option<Vec<Accepted>>> {
    let Some(wanted) = guards_of(store.dialect(), acceptances, now) else {
        return Ok(None);
    };
    let memory = store.memory();
    // Repetitions come in crowds, and each costs the work of the statement that it fails.
    if memory.left_out.has(FastPath::Deliveries) || !memory.fast_acceptances.should_try() {
        return Ok(None);
    }
    let lines = riding_lines();
    let mut arguments = arguments(acceptances, &wanted, lanes, now);
    let statement = if lines.is_empty() {
        &ACCEPT
    } else {
        audit::add_lines(&mut arguments, Dialect::Postgres, &lines);
        &ACCEPT_RECORDED
    };
    let rows = match columns::all(store, statement, arguments).await {
        Err(error) if is_unique_violation(&error) => {
            memory.fast_acceptances.record(0, acceptances.len());
            return Ok(None);
        }
        rows => rows?,
    };
    lines_taken();
    let queue = acceptances[0].job.queue;
    for row in &rows {
        let row = Columns::of_postgres("job", COLUMNS, row);
        memory.record_claimable_from(queue, LaneId(row.get(0)?), row.get(1)?);
    }
    Ok(Some(acceptances.iter().map(|acceptance| Accepted::New(acceptance.delivery.id)).collect()))
}

/// The guards of deliveries that are of this kind.
fn guards_of(dialect: Dialect, acceptances: &[Acceptance], now: Timestamp) -> Option<Vec<Wanted>> {
    let (first, rest) = acceptances.split_first()?;
    let bytes: usize = acceptances.iter().map(|acceptance| acceptance.delivery.body.len()).sum();
    let is_plain = |acceptance: &Acceptance| {
        let job = &acceptance.job;
        job.run_at <= now
            && job.unique_key.is_none()
            && job.concurrency_key.is_none()
            && job.execution_id.is_none()
            && job.node_id.is_none()
            && !payloads::is_large(&job.data)
    };
    let fits = dialect == Dialect::Postgres
        && acceptances.len() <= CHUNK
        && bytes <= BODY_BYTES_MAX
        && acceptances.iter().all(is_plain)
        && rest.iter().all(|acceptance| are_alike(&first.job, &acceptance.job));
    if !fits {
        return None;
    }
    let count: usize = acceptances.iter().map(|acceptance| acceptance.guards.len()).sum();
    // Where two of them share a guard, one repeats the other.
    let wanted = guards::wanted(acceptances.iter());
    (wanted.len() == count).then_some(wanted)
}

fn are_alike(one: &NewJob, other: &NewJob) -> bool {
    one.queue == other.queue
        && one.tier == other.tier
        && one.retries_max == other.retries_max
        && one.timeout == other.timeout
        && one.backoff == other.backoff
        && one.tags == other.tags
}

fn arguments(acceptances: &[Acceptance], wanted: &[Wanted], lanes: &[LaneId], now: Timestamp) -> Arguments {
    let deliveries = || acceptances.iter().map(|acceptance| &acceptance.delivery);
    let jobs = || acceptances.iter().map(|acceptance| &acceptance.job);
    let alike = &acceptances[0].job;
    Arguments::new()
        .with_uuids(wanted.iter().map(|wanted| wanted.key.0.uuid()))
        .with(wanted.iter().map(|wanted| wanted.key.1.as_slice()).collect::<Vec<&[u8]>>())
        .with_uuids(wanted.iter().map(|wanted| wanted.delivery.uuid()))
        .with(wanted.iter().map(|wanted| wanted.expires_at.0).collect::<Vec<i64>>())
        .with_uuids(deliveries().map(|delivery| delivery.id.uuid()))
        .with_uuids(deliveries().map(|delivery| delivery.webhook_id.uuid()))
        .with_texts(deliveries().map(|delivery| delivery.tenant.as_str()))
        .with(deliveries().map(|delivery| some(delivery.reason.as_ref())).collect::<Vec<_>>())
        .with(deliveries().map(|delivery| some(delivery.event_type.as_ref())).collect::<Vec<_>>())
        .with(deliveries().map(|delivery| some(delivery.provider_event_id.as_ref())).collect::<Vec<_>>())
        .with(deliveries().map(|delivery| delivery.secret_id.map(Id::uuid)).collect::<Vec<_>>())
        .with_uuids(jobs().map(|job| job.id.uuid()))
        .with(deliveries().map(|delivery| delivery.replay_of.map(Id::uuid)).collect::<Vec<_>>())
        .with(deliveries().map(|delivery| some(delivery.remote_address.as_ref())).collect::<Vec<_>>())
        .with_texts(deliveries().map(|delivery| delivery.method.as_str()))
        .with_texts(deliveries().map(|delivery| delivery.target.as_str()))
        .with_texts(deliveries().map(|delivery| delivery.headers.as_str()))
        .with(deliveries().map(|delivery| delivery.body.as_slice()).collect::<Vec<&[u8]>>())
        .with(deliveries().map(|delivery| some(delivery.traceparent.as_ref())).collect::<Vec<_>>())
        .with(deliveries().map(|delivery| delivery.received_at.0).collect::<Vec<i64>>())
        .with(now.0)
        .with(alike.queue.code())
        .with(i32::try_from(alike.retries_max).unwrap_or(i32::MAX))
        .with(alike.tier.code())
        .with(alike.timeout.map(|timeout| timeout.0))
        .with(backoff_text(&alike.backoff))
        .with(tags_text(&alike.tags))
        .with(lanes.iter().map(|lane| lane.0).collect::<Vec<i32>>())
        .with(jobs().map(|job| job.run_at.0).collect::<Vec<i64>>())
        .with_texts(jobs().map(|job| job.data.as_str()))
        .with(jobs().map(|job| some(job.traceparent.as_ref())).collect::<Vec<_>>())
        .with(deliveries().map(|delivery| body_bytes(&delivery.body)).collect::<Vec<i32>>())
}

/// As everywhere, empty text is none.
fn some(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.is_empty())
}

fn body_bytes(body: &[u8]) -> i32 {
    i32::try_from(plain_body_bytes(body)).unwrap_or(i32::MAX)
}
