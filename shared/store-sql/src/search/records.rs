//! What lists show of the objects that were found.

use std::collections::HashMap;

use domain::access::TenantScope;
use domain::names::TenantName;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::dead_letters::DeadLetterRecord;
use store::executions::ExecutionRecord;
use store::jobs::JobRecord;
use store::schedules::ScheduleRecord;
use store::webhooks::DeliveryRecord;
use uuid::Uuid;

use crate::bind;
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::select::Select;
use crate::{dead_letters, executions, jobs, schedules, webhooks};

/// Appends which of a table's rows are meant.
fn of_ids<C: ConnectionTrait>(select: &mut Select, on: &C, column: &str, ids: &[Uuid]) {
    let dialect = Dialect::of(on.get_database_backend());
    select.with(&format!("AND {column} {{any $? uuid}}"), bind::uuids(dialect, ids.iter().copied()));
}

fn in_order<T>(ids: &[Uuid], mut found: HashMap<Uuid, T>) -> Vec<T> {
    ids.iter().filter_map(|id| found.remove(id)).collect()
}

/// Jobs; the later state of one that ends meanwhile.
pub(super) async fn jobs<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    ids: &[Uuid],
) -> StoreResult<Vec<JobRecord>> {
    let mut found = HashMap::with_capacity(ids.len());
    for is_hot in [true, false] {
        let mut select = jobs::select_jobs("jobs_found", is_hot);
        of_ids(&mut select, on, "j.id", ids);
        select.with_some("AND l.tenant = $?", scope.tenant().map(TenantName::as_str));
        for row in &select.all(on).await? {
            let record = jobs::record_of(Row::new("job", row))?;
            found.insert(record.id.uuid(), record);
        }
    }
    Ok(in_order(ids, found))
}

/// Executions without inputs and outputs.
pub(super) async fn executions<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    ids: &[Uuid],
) -> StoreResult<Vec<ExecutionRecord>> {
    let mut select = executions::select_short("executions_found");
    of_ids(&mut select, on, "e.id", ids);
    select.with_some("AND e.tenant = $?", scope.tenant().map(TenantName::as_str));
    let rows = select.all(on).await?;
    let records = rows.iter().map(|row| executions::record_of(Row::new("execution", row)));
    let found = records.map(|record| record.map(|record| (record.id.uuid(), record)));
    Ok(in_order(ids, found.collect::<StoreResult<_>>()?))
}

/// Dead letters without their attempts.
pub(super) async fn dead_letters<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    ids: &[Uuid],
) -> StoreResult<Vec<DeadLetterRecord>> {
    let mut select = Select::new("dead_letters_found", "SELECT d.* FROM dead_letter d WHERE true");
    of_ids(&mut select, on, "d.id", ids);
    select.with_some("AND d.tenant = $?", scope.tenant().map(TenantName::as_str));
    let rows = select.all(on).await?;
    let records = rows.iter().map(|row| dead_letters::record_of(Row::new("dead_letter", row)));
    let found = records.map(|record| record.map(|record| (record.id.uuid(), record)));
    Ok(in_order(ids, found.collect::<StoreResult<_>>()?))
}

/// Deliveries without headers and bodies.
pub(super) async fn deliveries<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    ids: &[Uuid],
) -> StoreResult<Vec<DeliveryRecord>> {
    let mut select = Select::new("deliveries_found", "SELECT d.* FROM webhook_delivery d WHERE true");
    of_ids(&mut select, on, "d.id", ids);
    select.with_some("AND d.tenant = $?", scope.tenant().map(TenantName::as_str));
    let rows = select.all(on).await?;
    let records = rows.iter().map(webhooks::delivery_of);
    let found = records.map(|record| record.map(|record| (record.id.uuid(), record)));
    Ok(in_order(ids, found.collect::<StoreResult<_>>()?))
}

/// Schedules.
pub(super) async fn schedules<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    ids: &[Uuid],
) -> StoreResult<Vec<ScheduleRecord>> {
    let mut select = Select::new("schedules_found", "SELECT s.* FROM schedule s WHERE true");
    of_ids(&mut select, on, "s.id", ids);
    select.with_some("AND s.tenant = $?", scope.tenant().map(TenantName::as_str));
    let rows = select.all(on).await?;
    let records = rows.iter().map(schedules::record_of);
    let found = records.map(|record| record.map(|record| (record.id.uuid(), record)));
    Ok(in_order(ids, found.collect::<StoreResult<_>>()?))
}
