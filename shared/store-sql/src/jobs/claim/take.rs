//! Taking the granted jobs.

use std::collections::HashMap;

use domain::claim::{Grant, Plan};
use domain::id::LeaseToken;
use domain::lane::LaneId;
use sea_orm::{ConnectionTrait, QueryResult, Value};
use store::StoreResult;
use store::jobs::ClaimRequest;

use super::jobs::Taken;
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::sql::Sql;

pub(super) static TAKE_POSTGRES: Sql =
    Sql::new("claim_take", include_str!("../../../sql/claim_take_postgres.sql"));
pub(super) static PICK_SQLITE: Sql =
    Sql::new("claim_pick", include_str!("../../../sql/claim_pick_sqlite.sql"));
pub(super) static TAKE_SQLITE: Sql =
    Sql::new("claim_take", include_str!("../../../sql/claim_take_sqlite.sql"));

/// Takes what was granted, with one of `tokens` for each. Rows come in no order.
pub(super) async fn take<C: ConnectionTrait>(
    on: &C,
    request: &ClaimRequest,
    grants: &[Grant],
    tokens: &[LeaseToken],
) -> StoreResult<Vec<QueryResult>> {
    match Dialect::of(on.get_database_backend()) {
        Dialect::Postgres => {
            let mut values: Vec<Value> = vec![
                request.queue.code().into(),
                request.now.0.into(),
                request.now.plus(request.lease).0.into(),
                request.lease.0.into(),
                request.worker_id.as_str().into(),
                bind::uuids(Dialect::Postgres, tokens.iter().map(|token| token.0)),
            ];
            values.extend(grant_rows(Dialect::Postgres, grants));
            TAKE_POSTGRES.all(on, values).await
        }
        Dialect::Sqlite => {
            let positions = pick(on, request, grants).await?;
            if positions.is_empty() {
                return Ok(Vec::new());
            }
            let mut values: Vec<Value> = vec![
                request.now.0.into(),
                request.now.plus(request.lease).0.into(),
                request.lease.0.into(),
                request.worker_id.as_str().into(),
            ];
            let cells = positions
                .iter()
                .zip(tokens)
                .map(|(&position, token)| [Cell::Long(position), Cell::Uuid(token.0)]);
            values.extend(bind::rows(Dialect::Sqlite, cells));
            TAKE_SQLITE.all(on, values).await
        }
    }
}

/// The positions of the jobs that the grants name: of each grant's lanes together the first.
async fn pick<C: ConnectionTrait>(on: &C, request: &ClaimRequest, grants: &[Grant]) -> StoreResult<Vec<i64>> {
    let mut values: Vec<Value> = vec![request.queue.code().into()];
    values.extend(grant_rows(Dialect::Sqlite, grants));
    let mut by_grant: Vec<Vec<i64>> = vec![Vec::new(); grants.len()];
    for row in &PICK_SQLITE.all(on, values).await? {
        let row = Row::new("job", row);
        by_grant[row.int("nth")? as usize].push(row.long("position")?);
    }
    let firsts = by_grant.into_iter().zip(grants).flat_map(|(mut positions, grant)| {
        positions.sort_unstable();
        positions.truncate(grant.take as usize);
        positions
    });
    Ok(firsts.collect())
}

pub(super) fn grant_rows(dialect: Dialect, grants: &[Grant]) -> Vec<Value> {
    let mut cells: Vec<[Cell<'_>; 3]> = Vec::with_capacity(grants.len());
    for (nth, grant) in grants.iter().enumerate() {
        let take = i32::try_from(grant.take).unwrap_or(i32::MAX);
        cells.extend(
            grant.lanes.iter().map(|lane| [Cell::Int(nth as i32), Cell::Int(lane.0), Cell::Int(take)]),
        );
    }
    bind::rows(dialect, cells.into_iter())
}

/// Sorts taken jobs by grant and, within a grant, by position.
pub(super) fn by_grant(plan: &Plan, taken: Vec<Taken>) -> Vec<Vec<Taken>> {
    let mut grant_of: HashMap<LaneId, usize> = HashMap::new();
    for (nth, grant) in plan.grants.iter().enumerate() {
        grant_of.extend(grant.lanes.iter().map(|&lane| (lane, nth)));
    }
    let mut sorted: Vec<Vec<Taken>> = plan.grants.iter().map(|_| Vec::new()).collect();
    for job in taken {
        if let Some(&nth) = grant_of.get(&job.lane) {
            sorted[nth].push(job);
        }
    }
    for jobs in &mut sorted {
        jobs.sort_unstable_by_key(|taken| taken.job.position);
    }
    sorted
}
