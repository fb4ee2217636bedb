//! The latest user task of a node.

use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::names::{NodeId, TenantName};
use store::StoreResult;
use store::user_tasks::UserTaskRecord;

use super::record_of;
use crate::pool::Pool;
use crate::select::Select;

/// The latest user task of a node: that of its highest round.
pub(super) async fn latest(
    pool: &Pool,
    scope: &TenantScope,
    id: ExecutionId,
    node_id: &NodeId,
) -> StoreResult<Option<UserTaskRecord>> {
    let mut select = Select::new("user_task", "SELECT t.* FROM user_task t WHERE true");
    select.with("AND t.execution_id = $?", id.uuid());
    select.with("AND t.node_id = $?", node_id.as_str());
    select.with_some("AND t.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.push("ORDER BY t.round DESC LIMIT 1");
    select.first(pool.read()).await?.as_ref().map(record_of).transpose()
}
