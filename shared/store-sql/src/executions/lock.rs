//! Locking an execution: the first thing that every change of one from outside its owner does. Rows of jobs are
//! locked after it, so that two changes never wait for each other.

use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::names::TenantName;
use domain::workflow::execution::ExecutionStatus;
use sea_orm::DatabaseTransaction;
use store::StoreResult;
use uuid::Uuid;

use crate::rows::Row;
use crate::select::Select;

/// What a change has to know of a locked execution.
#[derive(Debug)]
pub(crate) struct Locked {
    /// Its id.
    pub(crate) id: Uuid,
    /// Its job.
    pub(crate) job_id: Uuid,
    /// Where it is.
    pub(crate) status: ExecutionStatus,
    /// Whether an owner has committed something.
    pub(crate) has_state: bool,
}

/// Locks an execution, if there is one in the scope.
pub(crate) async fn lock(
    on: &DatabaseTransaction,
    scope: &TenantScope,
    id: ExecutionId,
) -> StoreResult<Option<Locked>> {
    let mut select = Select::new(
        "lock_execution",
        "SELECT e.id, e.job_id, e.status, CASE WHEN e.state IS NULL THEN 0 ELSE 1 END AS has_state
         FROM execution e WHERE true",
    );
    select.with("AND e.id = $?", id.uuid());
    select.with_some("AND e.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.push("{for_update}");
    let Some(row) = select.first(on).await? else {
        return Ok(None);
    };
    let row = Row::new("execution", &row);
    Ok(Some(Locked {
        id: row.uuid("id")?,
        job_id: row.uuid("job_id")?,
        status: row.parsed("status", ExecutionStatus::parse)?,
        has_state: row.long("has_state")? != 0,
    }))
}
