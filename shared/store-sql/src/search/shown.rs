//! What lists show of the objects that were found, each read by its id.

use std::collections::HashMap;

use domain::access::TenantScope;
use domain::id::ScheduleId;
use domain::names::TenantName;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::audit::AuditLine;
use store::batches::BatchRecord;
use store::dead_letters::DeadLetterRecord;
use store::executions::ExecutionRecord;
use store::jobs::JobRecord;
use store::operations::WorkerRecord;
use store::schedules::{ScheduleRecord, ScheduleRunRecord};
use store::user_tasks::UserTaskRecord;
use store::webhooks::DeliveryRecord;
use uuid::Uuid;

use super::source::{id_of_number, number_of};
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::select::Select;
use crate::{
    audit, batches, bind, dead_letters, executions, jobs, operations, schedules, user_tasks, webhooks,
};

/// Appends which of a table's rows are meant.
fn of_ids<C: ConnectionTrait>(select: &mut Select, on: &C, column: &str, ids: &[Uuid]) {
    let dialect = Dialect::of(on.get_database_backend());
    select.with(&format!("AND {column} {{any $? uuid}}"), bind::uuids(dialect, ids.iter().copied()));
}

/// The same of a table whose objects have a number instead of an id.
fn of_numbers<C: ConnectionTrait>(select: &mut Select, on: &C, column: &str, ids: &[Uuid]) {
    let dialect = Dialect::of(on.get_database_backend());
    let numbers = bind::longs(dialect, ids.iter().map(|id| number_of(*id)));
    select.with(&format!("AND {column} {{any $? bigint}}"), numbers);
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
    let mut select = Select::new("schedules_found", schedules::LISTED);
    of_ids(&mut select, on, "s.id", ids);
    select.with_some("AND s.tenant = $?", scope.tenant().map(TenantName::as_str));
    let rows = select.all(on).await?;
    let records = rows.iter().map(schedules::record_of);
    let found = records.map(|record| record.map(|record| (record.id.uuid(), record)));
    Ok(in_order(ids, found.collect::<StoreResult<_>>()?))
}

/// Slots of a schedule, by their numbers.
pub(super) async fn runs<C: ConnectionTrait>(
    on: &C,
    schedule: ScheduleId,
    ids: &[Uuid],
) -> StoreResult<Vec<ScheduleRunRecord>> {
    let mut select = Select::new("runs_found", "SELECT r.* FROM schedule_run r WHERE true");
    select.with("AND r.schedule_id = $?", schedule.uuid());
    of_numbers(&mut select, on, "r.nominal_at", ids);
    let rows = select.all(on).await?;
    let records = rows.iter().map(schedules::run_of);
    let found = records.map(|record| record.map(|record| (id_of_number(record.nominal.0), record)));
    Ok(in_order(ids, found.collect::<StoreResult<_>>()?))
}

/// Lists show inputs of up to 4 KiB, which are longer where they are encrypted; larger ones stay in the table. Of the forms as many
/// are read as fit together, those of the newest first.
const USER_TASKS: &str =
    "SELECT t.position, t.execution_id, t.node_id, t.round, t.tenant, t.workflow_owner, t.workflow, t.status, t.assignee,
       t.assigned_group, t.opened_at, t.due_at, t.escalated_at, t.closed_at, t.completed_by, t.claimed_by, t.claimed_at,
       CASE WHEN octet_length(t.input) <= 8192 THEN t.input END AS input,
       CASE WHEN sum(coalesce(octet_length(t.form), 0)) OVER (ORDER BY t.position DESC) <= 16777216 THEN t.form END AS form
     FROM user_task t WHERE true";

/// User tasks, by their numbers, without large inputs.
pub(super) async fn user_tasks<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    ids: &[Uuid],
) -> StoreResult<Vec<UserTaskRecord>> {
    let mut select = Select::new("user_tasks_found", USER_TASKS);
    of_numbers(&mut select, on, "t.position", ids);
    select.with_some("AND t.tenant = $?", scope.tenant().map(TenantName::as_str));
    let rows = select.all(on).await?;
    let records = rows.iter().map(user_tasks::record_of);
    let found = records.map(|record| record.map(|record| (id_of_number(record.position), record)));
    Ok(in_order(ids, found.collect::<StoreResult<_>>()?))
}

/// Workers with how many jobs they hold.
pub(super) async fn workers<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    ids: &[Uuid],
) -> StoreResult<Vec<WorkerRecord>> {
    let mut select = operations::select_workers("workers_found", scope);
    of_ids(&mut select, on, "w.key", ids);
    select.push("GROUP BY w.tenant, w.id");
    let rows = select.all(on).await?;
    let found = rows.iter().map(|row| {
        let key = Row::new("worker", row).uuid("key")?;
        Ok((key, operations::worker_of(row)?))
    });
    Ok(in_order(ids, found.collect::<StoreResult<_>>()?))
}

/// Lines of the audit log with their seals.
pub(super) async fn audit_lines<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    ids: &[Uuid],
) -> StoreResult<Vec<AuditLine>> {
    let mut select = audit::select_lines("audit_found");
    of_ids(&mut select, on, "a.id", ids);
    select.with_some("AND a.tenant = $?", scope.tenant().map(TenantName::as_str));
    let rows = select.all(on).await?;
    let records = rows.iter().map(audit::line_of);
    let found = records.map(|line| line.map(|line| (line.record.id.uuid(), line)));
    Ok(in_order(ids, found.collect::<StoreResult<_>>()?))
}

/// Of the requests of bulk operations as many are read as fit together, those of the newest first. Without `owner`:
/// which process works on one is not shown.
const BATCHES: &str =
    "SELECT b.id, b.tenant, b.kind, b.status, b.status_reason, b.is_past_canary, b.total, b.done, b.failed, b.skipped, b.pending,
       b.ended_badly, b.reason, b.actor, b.cursor_at, b.cursor_id, b.created_at, b.updated_at, b.finished_at,
       CASE WHEN sum(octet_length(b.request)) OVER (ORDER BY b.created_at DESC, b.id) <= 16777216 THEN b.request ELSE 'null' END
         AS request
     FROM batch b WHERE true";

/// Bulk operations.
pub(super) async fn batches<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    ids: &[Uuid],
) -> StoreResult<Vec<BatchRecord>> {
    let mut select = Select::new("batches_found", BATCHES);
    of_ids(&mut select, on, "b.id", ids);
    select.with_some("AND b.tenant = $?", scope.tenant().map(TenantName::as_str));
    let rows = select.all(on).await?;
    let records = rows.iter().map(batches::batch_of);
    let found = records.map(|record| record.map(|record| (record.id.uuid(), record)));
    Ok(in_order(ids, found.collect::<StoreResult<_>>()?))
}
