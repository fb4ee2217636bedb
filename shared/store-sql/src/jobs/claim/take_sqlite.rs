//! Taking the granted jobs on SQLite: they are read first, with all that is handed out, and then taken. To answer each
//! row of the update costs more than to read it before.

use domain::id::LeaseToken;
use sea_orm::{DatabaseTransaction, QueryResult, Value};
use store::StoreResult;
use store::jobs::ClaimRequest;

use super::jobs::{self, PICKED, Taken};
use super::take::Grants;
use crate::columns::Columns;
use crate::dialect::Dialect;
use crate::packed;
use crate::sql::Sql;
use crate::store::SqlStore;

pub(super) static JOBS: Sql = Sql::new("claim_jobs", include_str!("../../../sql/claim_jobs_sqlite.sql"));
pub(super) static PICK: Sql = Sql::new("claim_pick", include_str!("../../../sql/claim_pick_sqlite.sql"));
pub(super) static TAKE: Sql = Sql::new("claim_take", include_str!("../../../sql/claim_take_sqlite.sql"));

/// Takes what was granted, in a transaction that has the write lock.
pub(super) async fn take(
    store: &SqlStore,
    on: &DatabaseTransaction,
    request: &ClaimRequest,
    grants: &Grants,
    tokens: &[LeaseToken],
) -> StoreResult<Vec<Taken>> {
    let rows = pick(on, request, grants).await?;
    let chosen = chosen(&rows, grants)?;
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let values: Vec<Value> = vec![
        request.now.0.into(),
        request.now.plus(request.lease).0.into(),
        request.lease.0.into(),
        request.worker_id.as_str().into(),
        packed::uuids(chosen.iter().zip(tokens).map(|(_, token)| token.0)),
        packed::longs(chosen.iter().map(|(position, _)| *position)),
    ];
    // The rows are read while the thread of the database is at work: nobody else can use the connection meanwhile.
    let (ran, taken) = tokio::join!(TAKE.run(on, values), async {
        let memory = store.memory().queue(request.queue).lanes();
        let taken = chosen.iter().zip(tokens);
        taken.map(|((_, row), &token)| jobs::picked(request, &memory, *row, token)).collect()
    });
    ran?;
    taken
}

/// The first jobs of each lane of the grants.
async fn pick(
    on: &DatabaseTransaction,
    request: &ClaimRequest,
    grants: &Grants,
) -> StoreResult<Vec<QueryResult>> {
    let queue = request.queue.code();
    if let [only] = grants.rows.as_slice() {
        let values = vec![queue.into(), only.lane.0.into(), only.floor.into(), only.take.into()];
        return JOBS.all(on, values).await;
    }
    let mut values: Vec<Value> = vec![queue.into()];
    values.extend(grants.bind(Dialect::Sqlite));
    PICK.all(on, values).await
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
