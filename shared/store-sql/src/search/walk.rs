//! One call of a search: windows of each part until the page is full, merged in the order of the list.

use std::collections::HashMap;

use domain::access::TenantScope;
use domain::id::ScheduleId;
use domain::names::TenantName;
use domain::search::{Order, Search, Term};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, QueryResult};
use store::StoreResult;
use store::audit::AuditLine;
use store::batches::BatchRecord;
use store::dead_letters::DeadLetterRecord;
use store::executions::ExecutionRecord;
use store::jobs::JobRecord;
use store::operations::WorkerRecord;
use store::schedules::{ScheduleRecord, ScheduleRunRecord};
use store::search::{Found, Place, SearchPage};
use store::user_tasks::UserTaskRecord;
use store::webhooks::DeliveryRecord;
use uuid::Uuid;

use super::attributes::Attributes;
use super::columns::column;
use super::condition::apply;
use super::source::{Part, Source, Table, id_of_number, is_order_of_keys, number_of, parts};
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::select::Select;
use crate::{
    audit, batches, bind, dead_letters, executions, jobs, operations, schedules, user_tasks, webhooks,
};

/// Through how many windows one call looks, until its page is full.
const WINDOWS_MAX: usize = 10;

/// The most lanes whose jobs are found lane by lane.
const LANES_MAX: usize = 256;

/// A page, or as much of it as lies within the windows of one call.
pub(super) async fn search<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    search: &Search,
    page: SearchPage,
    window: i64,
) -> StoreResult<Found> {
    let parts = parts(search);
    let lanes = lanes_of(on, scope, search, &parts).await?;
    let attributes = Attributes::of(on, scope, search).await?;
    let source = |&part: &Part| source_of(on, (scope, search), part, lanes.as_deref(), &attributes);
    let sources: Vec<Source<'_>> = parts.iter().map(source).collect();
    let (mut places, mut after) = (Vec::new(), page.after);
    let wanted = page.limit as usize;
    for _ in 0..WINDOWS_MAX {
        let (found, floor) = window_of(on, &sources, after, page.limit + 1, window).await?;
        places.extend(found);
        if places.len() > wanted {
            places.truncate(wanted);
            let next = places.last().copied();
            return Ok(Found { places, next, scanned_to: None });
        }
        let Some(floor) = floor else {
            return Ok(Found { places, next: None, scanned_to: None });
        };
        // The floor itself was looked at.
        after = Some(floor);
    }
    let scanned_to = after.map(|place| instant_of(search, place));
    Ok(Found { places, next: after, scanned_to })
}

/// What matches within one window of all parts, and where the window ends, if there is more beyond it.
async fn window_of<C: ConnectionTrait>(
    on: &C,
    sources: &[Source<'_>],
    after: Option<Place>,
    limit: u32,
    window: i64,
) -> StoreResult<(Vec<Place>, Option<Place>)> {
    let Some(order) = sources.first().map(|source| source.search.order) else {
        return Ok((Vec::new(), None));
    };
    let mut floor: Option<Place> = None;
    for source in sources.iter().filter(|source| source.needs_windows()) {
        if let Some(row) = source.floor(after, window).first(on).await? {
            let place = place_of(source.search, &row)?;
            floor = Some(floor.map_or(place, |known| {
                if order == Order::Desc { known.max(place) } else { known.min(place) }
            }));
        }
    }
    let mut found = Vec::new();
    for source in sources {
        for row in &source.page(after, floor, limit).all(on).await? {
            found.push(place_of(source.search, row)?);
        }
    }
    found.sort_unstable();
    // A job that ends between two reads is in both tables.
    found.dedup();
    if order == Order::Desc {
        found.reverse();
    }
    // A full part may have more before the end of the window: what the others found beyond its last is kept back by the
    // limit, as each of them has at least as many as the page.
    Ok((found, floor))
}

/// How many match, up to a number.
pub(super) async fn count<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    search: &Search,
    limit: u64,
) -> StoreResult<u64> {
    let parts = parts(search);
    let lanes = lanes_of(on, scope, search, &parts).await?;
    let attributes = Attributes::of(on, scope, search).await?;
    let mut count = 0;
    for part in parts {
        let source = source_of(on, (scope, search), part, lanes.as_deref(), &attributes);
        let left = i64::try_from(limit.saturating_sub(count)).unwrap_or(i64::MAX);
        if let Some(row) = source.count(left).first(on).await? {
            count += u64::try_from(Row::new("search", &row).long("number")?).unwrap_or(0);
        }
    }
    Ok(count.min(limit))
}

pub(super) fn source_of<'a, C: ConnectionTrait>(
    on: &C,
    (scope, search): (&'a TenantScope, &'a Search),
    part: Part,
    lanes: Option<&'a [i64]>,
    attributes: &'a Attributes,
) -> Source<'a> {
    let dialect = Dialect::of(on.get_database_backend());
    Source { scope, search, part, lanes, attributes, dialect }
}

/// The lanes in which jobs can match; `None` where nothing is asked for that lanes have, or they are many.
pub(super) async fn lanes_of<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    search: &Search,
    parts: &[Part],
) -> StoreResult<Option<Vec<i64>>> {
    let is_of_jobs = parts.iter().any(|part| matches!(part.table, Table::Job | Table::JobDone));
    // The jobs of an execution have an index of their own.
    if !is_of_jobs || search.has("id") || search.term("executionId").is_some() {
        return Ok(None);
    }
    let terms: Vec<&Term> =
        ["tenant", "jobType", "workflow"].iter().filter_map(|key| search.term(key)).collect();
    if terms.is_empty() && scope.tenant().is_none() {
        return Ok(None);
    }
    let mut select = Select::new("lanes_of_search", "SELECT l.id FROM lane l WHERE true");
    select.with_some("AND l.tenant = $?", scope.tenant().map(TenantName::as_str));
    for term in terms {
        if let Some(column) = column(Table::JobDone, &term.key) {
            apply(&mut select, column, term);
        }
    }
    select.with("ORDER BY l.id LIMIT $?", (LANES_MAX + 1) as i64);
    let rows = select.all(on).await?;
    let lanes: Vec<i64> =
        rows.iter().map(|row| Row::new("lane", row).long("id")).collect::<StoreResult<_>>()?;
    // No lane at all is as good as one that no job has.
    let lanes = if lanes.is_empty() { vec![-1] } else { lanes };
    Ok((lanes.len() <= LANES_MAX).then_some(lanes))
}

fn place_of(search: &Search, row: &QueryResult) -> StoreResult<Place> {
    let row = Row::new("search", row);
    let id = if search.list.is_numbered() { id_of_number(row.long("id")?) } else { row.uuid("id")? };
    Ok(Place { at: row.long("at")?, id })
}

/// The instant of a place in the order of a list.
fn instant_of(search: &Search, place: Place) -> Timestamp {
    if !is_order_of_keys(&search.sort) {
        return Timestamp(place.at);
    }
    if search.list.is_numbered() {
        return Timestamp(number_of(place.id));
    }
    let ms = place.id.as_u128() >> 80;
    Timestamp(i64::try_from(ms).unwrap_or(i64::MAX))
}

// What lists show of the objects that were found.

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

/// Of the requests of bulk operations as many are read as fit together, those of the newest first.
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
