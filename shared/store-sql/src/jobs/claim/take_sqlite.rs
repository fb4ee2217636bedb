//! Taking the granted jobs on SQLite: they are read first, with all that claims answer, and then taken. To answer each
//! row of the update costs more than to read it before.

use domain::id::LeaseToken;
use domain::queue::QueueName;
use domain::time::Timestamp;
use sea_orm::{QueryResult, Value};
use store::StoreResult;
use store::jobs::ClaimRequest;
use uuid::Uuid;

use super::grants::{Grants, Part};
use super::jobs::{self, PICKED, Taken};
use crate::columns::Columns;
use crate::dialect::Dialect;
use crate::memory_leases::RowPosition;
use crate::packed;
use crate::sql::{DatabaseTransaction, Sql};
use crate::store::SqlStore;

pub(super) static JOBS: Sql = Sql::new("claim_jobs", include_str!("../../../sql/claim_jobs_sqlite.sql"));
pub(super) static PICK: Sql = Sql::new("claim_pick", include_str!("../../../sql/claim_pick_sqlite.sql"));
const COUNTED_COLUMNS: &str =
    "SELECT $6 AS nth, id, lane, position, data, attempt, attempt_base, retries_max, crashes,
    timeout_ms, backoff, created_at, queued_at, traceparent, execution_id, node_id, (SELECT {now $5}) AS now_ms FROM job";
const COUNTED_END: &str = " AND {startable job at $5} ORDER BY position LIMIT $4";
pub(super) static COUNTED_ALL: Sql = Sql::joined(
    "claim_counted",
    [COUNTED_COLUMNS, " WHERE queue = $1 AND lane = $2 AND state = 'queued' AND position > $3", COUNTED_END],
);
pub(super) static COUNTED_FIRST: Sql = Sql::joined(
    "claim_counted_first",
    [
        COUNTED_COLUMNS,
        " WHERE queue = $1 AND lane = $2 AND state = 'queued' AND position > $3 AND attempt = 0 AND is_resumed = 0",
        COUNTED_END,
    ],
);
// The planner would take the index of all jobs that wait, and read past those that were never claimed.
pub(super) static COUNTED_RESUMED: Sql = Sql::joined(
    "claim_counted_resumed",
    [
        COUNTED_COLUMNS,
        " INDEXED BY job_resumed WHERE queue = $1 AND lane = $2 AND state = 'queued' AND position > $3
        AND queue = {queue workflow-execution} AND (attempt > 0 OR is_resumed = 1)",
        COUNTED_END,
    ],
);
pub(super) static TAKE_RUN: Sql =
    Sql::new("claim_take_run", include_str!("../../../sql/claim_take_run_sqlite.sql"));
pub(super) static TAKE: Sql = Sql::new("claim_take", include_str!("../../../sql/claim_take_sqlite.sql"));

/// How far apart jobs may lie that are taken as a run: so many places for each of them.
const GAPS_MAX: usize = 4;

/// Takes what was granted, in a transaction that has the write lock.
pub(super) async fn take(
    store: &SqlStore,
    on: &DatabaseTransaction,
    (request, now): (&ClaimRequest, Option<i64>),
    grants: &Grants,
    tokens: &[LeaseToken],
) -> StoreResult<Vec<Taken>> {
    let rows = if grants.is_counted {
        pick_counted(on, request, grants, now).await?
    } else {
        pick(on, request, grants, now).await?
    };
    let chosen = chosen(&rows, grants)?;
    let Some(&(_, first)) = chosen.first() else {
        return Ok(Vec::new());
    };
    let now = jobs::now_of(first)?;
    // The rows are read while the thread of the database is at work: nobody else can use the connection meanwhile.
    let (ran, taken) = tokio::join!(run(on, (request, now), grants, &chosen, tokens), async {
        let memory = store.memory().queue(request.queue).lanes();
        let taken = chosen.iter().zip(tokens);
        taken
            .map(|((_, row), &token)| jobs::picked(request, &memory, *row, (token, now)))
            .collect::<StoreResult<Vec<Taken>>>()
    });
    ran?;
    let taken = taken?;
    record_places(store, &taken);
    Ok(taken)
}

/// Takes chosen jobs, those of each claimer by a statement.
async fn run(
    on: &DatabaseTransaction,
    (request, now): (&ClaimRequest, Timestamp),
    grants: &Grants,
    chosen: &[(i64, Columns<'_>)],
    tokens: &[LeaseToken],
) -> StoreResult<()> {
    let used = request.tokens.len() - tokens.len();
    let mut done = 0;
    while done < chosen.len() {
        let next = request.others.iter().map(|other| other.first_token).find(|first| *first > used + done);
        let end = next.map_or(chosen.len(), |next| (next - used).min(chosen.len()));
        let worker = request.worker_of(used + done).as_str();
        let (sql, values) = taking((request, worker, now), grants, &chosen[done..end], &tokens[done..end]);
        sql.run(on, values).await?;
        done = end;
    }
    Ok(())
}

/// The statement that takes chosen jobs for a worker, with its values.
fn taking(
    (request, worker, now): (&ClaimRequest, &str, Timestamp),
    grants: &Grants,
    chosen: &[(i64, Columns<'_>)],
    tokens: &[LeaseToken],
) -> (&'static Sql, Vec<Value>) {
    let mut values: Vec<Value> =
        vec![now.0.into(), now.plus(request.lease).0.into(), request.lease.0.into(), worker.into()];
    let positions = || chosen.iter().map(|(position, _)| *position);
    if let ([only], Some(first), Some(last)) =
        (grants.rows.as_slice(), positions().next(), positions().next_back())
        && !grants.is_counted
        && (last - first) as usize <= chosen.len() * GAPS_MAX
    {
        let mut spread = vec![Uuid::nil(); (last - first) as usize + 1];
        for (position, token) in positions().zip(tokens) {
            spread[(position - first) as usize] = token.0;
        }
        values.push(packed::uuids(spread.into_iter()));
        values.extend([first.into(), last.into(), request.queue.code().into(), only.lane.0.into()]);
        return (&TAKE_RUN, values);
    }
    values.push(packed::uuids(chosen.iter().zip(tokens).map(|(_, token)| token.0)));
    values.push(packed::longs(positions()));
    (&TAKE, values)
}

/// Keeps where jobs lie whose completion entails nothing else. The transaction may still be undone; then nobody has
/// these tokens.
fn record_places(store: &SqlStore, taken: &[Taken]) {
    let entails_nothing =
        |taken: &&Taken| taken.job.queue != QueueName::Node || taken.job.execution_id.is_none();
    let place = |taken: &Taken| {
        let job = &taken.job;
        let place = RowPosition {
            position: job.position,
            queue: job.queue,
            lane: taken.lane,
            tier: job.tier,
            created_at: job.created_at,
            started_at: job.started_at,
            traceparent: job.traceparent.clone(),
        };
        (job.lease(), place)
    };
    store.memory().leases.record(taken.iter().filter(entails_nothing).map(place));
}

/// The first jobs of each lane of the grants.
async fn pick(
    on: &DatabaseTransaction,
    request: &ClaimRequest,
    grants: &Grants,
    now: Option<i64>,
) -> StoreResult<Vec<QueryResult>> {
    let queue = request.queue.code();
    if let [only] = grants.rows.as_slice() {
        let values = vec![queue.into(), only.lane.0.into(), only.floor.into(), only.take.into(), now.into()];
        return JOBS.all(on, values).await;
    }
    let mut values: Vec<Value> = vec![queue.into(), now.into()];
    grants.add_to(&mut values, Dialect::Sqlite);
    PICK.all(on, values).await
}

/// The first jobs of each lane of the grants where rates or limits of job types keep something back. Of those of a grant
/// that were never claimed come as many as it says.
async fn pick_counted(
    on: &DatabaseTransaction,
    request: &ClaimRequest,
    grants: &Grants,
    now: Option<i64>,
) -> StoreResult<Vec<QueryResult>> {
    let queue = request.queue.code();
    let (mut rows, mut firsts): (Vec<QueryResult>, Vec<(i32, QueryResult)>) = (Vec::new(), Vec::new());
    for row in &grants.rows {
        let sql = match row.part {
            Part::All => &COUNTED_ALL,
            Part::First => &COUNTED_FIRST,
            Part::Resumed => &COUNTED_RESUMED,
        };
        let values = vec![
            queue.into(),
            row.lane.0.into(),
            row.floor.into(),
            row.take.into(),
            now.into(),
            row.nth.into(),
        ];
        let found = sql.all(on, values).await?;
        match row.part {
            Part::First => firsts.extend(found.into_iter().map(|found| (row.nth, found))),
            Part::All | Part::Resumed => rows.extend(found),
        }
    }
    let mut positioned: Vec<(i64, i32, QueryResult)> = Vec::with_capacity(firsts.len());
    for (nth, row) in firsts {
        positioned.push((Columns::of("job", PICKED, &row)?.get(3)?, nth, row));
    }
    positioned.sort_unstable_by_key(|(position, ..)| *position);
    let mut left = grants.firsts.clone();
    for (_, nth, row) in positioned {
        if let Some(left) = left.get_mut(nth as usize).filter(|left| **left > 0) {
            *left -= 1;
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Of each grant's lanes together the first, with their positions.
fn chosen<'a>(rows: &'a [QueryResult], grants: &Grants) -> StoreResult<Vec<(i64, Columns<'a>)>> {
    let mut by_grant: Vec<Vec<(i64, Columns<'a>)>> = grants.takes.iter().map(|_| Vec::new()).collect();
    for row in rows {
        let row = Columns::of("job", PICKED, row)?;
        let nth: i32 = row.get(0)?;
        by_grant[nth as usize].push((row.get(3)?, row));
    }
    let firsts = by_grant.into_iter().zip(&grants.takes).flat_map(|(mut jobs, &take)| {
        jobs.sort_unstable_by_key(|(position, _)| *position);
        jobs.truncate(take as usize);
        jobs
    });
    Ok(firsts.collect())
}
