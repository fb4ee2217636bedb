//! Finding the job that an operator means, in his scope.

use domain::access::TenantScope;
use domain::id::JobId;
use domain::job::JobStatus;
use domain::lane::{LaneId, LaneKey};
use sea_orm::ConnectionTrait;
use store::StoreResult;

use super::states;
use crate::lanes::key_of;
use crate::rows::Row;
use crate::sql::Sql;

static LOCATE: Sql = Sql::new(
    "locate_job",
    "SELECT j.id, j.lane, j.state, l.queue, l.tier, l.tenant, l.workflow_owner, l.workflow, l.job_type, l.rate_key
     FROM job j JOIN lane l ON l.id = j.lane WHERE j.id = $1
     UNION ALL
     SELECT d.id, d.lane, d.status AS state, l.queue, l.tier, l.tenant, l.workflow_owner, l.workflow, l.job_type,
       l.rate_key
     FROM job_done d JOIN lane l ON l.id = d.lane WHERE d.id = $1",
);

/// Where a job is.
#[derive(Debug, Clone)]
pub(super) struct Located {
    /// Its state.
    pub(super) status: JobStatus,
    /// Its lane.
    pub(super) lane: LaneId,
    /// The lane's key.
    pub(super) key: LaneKey,
}

/// Where a job is; `None` if there is no such job in the scope.
pub(super) async fn locate<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    id: JobId,
) -> StoreResult<Option<Located>> {
    let Some(row) = LOCATE.first(on, vec![id.uuid().into()]).await? else {
        return Ok(None);
    };
    let row = Row::new("job", &row);
    let located =
        Located { status: states::status(row, "state")?, lane: LaneId(row.int("lane")?), key: key_of(row)? };
    Ok(Some(located).filter(|located| scope.allows(&located.key.tenant)))
}
