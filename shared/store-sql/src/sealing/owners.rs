//! Whose jobs are reported on: reports name a lease and no tenant. Asked only while anything is sealed.

use std::collections::HashMap;

use domain::id::JobId;
use store::StoreResult;
use uuid::Uuid;

use crate::bind;
use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::Sql;

// Index: job(id).
static TENANTS: Sql = Sql::new(
    "tenants_of_jobs",
    "SELECT j.id, l.tenant FROM job j JOIN lane l ON l.id = j.lane WHERE j.id {any $1 uuid}",
);

/// The tenants of unfinished jobs.
pub(super) async fn of_jobs(
    pool: &Pool,
    jobs: impl ExactSizeIterator<Item = JobId>,
) -> StoreResult<HashMap<Uuid, String>> {
    let ids = bind::uuids(pool.dialect(), jobs.map(JobId::uuid));
    let rows = TENANTS.all(pool.read(), vec![ids]).await?;
    let tenants = rows.iter().map(|row| {
        let row = Row::new("job", row);
        Ok((row.uuid("id")?, row.text("tenant")?))
    });
    tenants.collect()
}
