//! Looking at dead letters: one, and lists.

use domain::access::TenantScope;
use domain::failure::{DeadLetterStatus, DeadReason};
use domain::id::{DeadLetterId, ExecutionId, JobId};
use domain::names::{JobType, NodeId, TenantName};
use sea_orm::ConnectionTrait;
use store::dead_letters::{DeadLetterFilter, DeadLetterRecord};
use store::{Page, PageRequest, StoreResult};
use uuid::Uuid;

use super::counts::{of_kinds, of_tenants};
use crate::bind::{self, Cell};
use crate::jobs::read::attempts;
use crate::lists::{floor, paged};
use crate::payloads;
use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

// Index: dead_letter_execution.
static FINGERPRINTS: Sql = Sql::new(
    "fingerprints_of_executions",
    "SELECT r.id, (
         SELECT d.fingerprint FROM dead_letter d WHERE d.execution_id = r.id ORDER BY d.died_at DESC, d.id DESC LIMIT 1
     ) AS fingerprint
     FROM {rows $1: id uuid} r",
);

/// `DeadLetterStore::fingerprints_of_executions`.
pub(super) async fn fingerprints(pool: &Pool, executions: &[Uuid]) -> StoreResult<Vec<(Uuid, String)>> {
    if executions.is_empty() {
        return Ok(Vec::new());
    }
    let cells = executions.iter().map(|&id| [Cell::Uuid(id)]);
    let rows = FINGERPRINTS.all(pool.read(), bind::rows(pool.dialect(), cells)).await?;
    let mut fingerprints = Vec::new();
    for row in &rows {
        let row = Row::new("dead_letter", row);
        if let Some(fingerprint) = row.text_or_null("fingerprint")? {
            fingerprints.push((row.uuid("id")?, fingerprint));
        }
    }
    Ok(fingerprints)
}

/// One without its attempts, and without its payload where that is large.
pub(super) async fn one<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    id: DeadLetterId,
) -> StoreResult<Option<DeadLetterRecord>> {
    let mut select = Select::new("dead_letter", "SELECT d.* FROM dead_letter d WHERE true");
    select.with("AND d.id = $?", id.uuid());
    select.with_some("AND d.tenant = $?", scope.tenant().map(TenantName::as_str));
    let row = select.first(on).await?;
    row.map(|row| record_of(Row::new("dead_letter", &row))).transpose()
}

/// One with its payload and the attempts up to its death; the job may have had more since.
pub(super) async fn with_attempts(
    pool: &Pool,
    scope: &TenantScope,
    id: DeadLetterId,
) -> StoreResult<Option<DeadLetterRecord>> {
    let Some(mut record) = one(pool.read(), scope, id).await? else {
        return Ok(None);
    };
    if record.data.is_none() {
        record.data = payloads::load(pool.read(), &[id.uuid()]).await?.remove(&id.uuid());
    }
    record.attempts = attempts(pool.read(), record.job_id.uuid()).await?;
    record.attempts.retain(|attempt| attempt.attempt_number <= record.attempt_count);
    Ok(Some(record))
}

/// A list, newest first.
pub(super) async fn list(
    pool: &Pool,
    scope: &TenantScope,
    wanted: &DeadLetterFilter,
    page: PageRequest,
) -> StoreResult<Page<DeadLetterRecord>> {
    let floor = if has_index(scope, wanted) {
        None
    } else {
        let mut ids = Select::new("list_dead_letters_window", "SELECT d.id FROM dead_letter d WHERE true");
        of_tenant(&mut ids, scope, wanted);
        floor(pool.delayed_lists(), ids, "d.id", page).await?
    };
    let rows = selected(scope, wanted, page, floor).all(pool.delayed_lists()).await?;
    let records: StoreResult<Vec<_>> =
        rows.iter().map(|row| record_of(Row::new("dead_letter", row))).collect();
    let mut page = Page::cut(records?, page.limit, |record| record.id.uuid());
    page.next = page.next.or(floor);
    Ok(page)
}

// Index: dead_letter_tenant for those of a tenant that were not requeued, or the key.
fn selected(
    scope: &TenantScope,
    wanted: &DeadLetterFilter,
    page: PageRequest,
    floor: Option<Uuid>,
) -> Select {
    let mut select = Select::new("list_dead_letters", "SELECT d.* FROM dead_letter d WHERE true");
    apply(&mut select, scope, wanted);
    paged(&mut select, "d.id", page, floor);
    select
}

// Which dead letters are meant.

/// The status that is meant: without one in the filter, open.
fn status_of(filter: &DeadLetterFilter) -> DeadLetterStatus {
    filter.status.unwrap_or(DeadLetterStatus::Open)
}

/// Whether the tenant's index has the status. On PostgreSQL it leaves out what was requeued.
fn is_indexed(filter: &DeadLetterFilter) -> bool {
    status_of(filter) != DeadLetterStatus::Requeued
}

/// Whether each row of the tenant's index with the status matches.
fn has_index(scope: &TenantScope, filter: &DeadLetterFilter) -> bool {
    let (status, tenant) = (filter.status, filter.tenant.clone());
    is_indexed(filter)
        && *filter == DeadLetterFilter { status, tenant, ..DeadLetterFilter::default() }
        && (scope.tenant().is_some() != filter.tenant.is_some())
}

/// Appends what the tenant's index has.
fn of_tenant(select: &mut Select, scope: &TenantScope, filter: &DeadLetterFilter) {
    if !is_indexed(filter) || scope.tenant().is_none() && filter.tenant.is_none() {
        return;
    }
    select.push(&format!("AND d.status = '{}'", status_of(filter).as_str()));
    of_tenants(select, "d", scope, filter.tenant.as_ref());
}

/// Appends the conditions of scope and filter to a select from `dead_letter d`. The status is part of the text, so that partial
/// indexes serve.
fn apply(select: &mut Select, scope: &TenantScope, filter: &DeadLetterFilter) {
    select.push(&format!("AND d.status = '{}'", status_of(filter).as_str()));
    of_kinds(select, scope, filter);
    select.with_some("AND d.died_at >= $?", filter.from.map(|instant| instant.0));
    select.with_some("AND d.died_at < $?", filter.to.map(|instant| instant.0));
}

// Rows of `dead_letter`.

/// Reads a dead letter without its attempts.
pub(crate) fn record_of(row: Row<'_>) -> StoreResult<DeadLetterRecord> {
    Ok(DeadLetterRecord {
        id: DeadLetterId::from_uuid(row.uuid("id")?),
        job_id: JobId::from_uuid(row.uuid("job_id")?),
        queue: row.queue("queue")?,
        tier: row.tier("tier")?,
        job_type: row.name("job_type", JobType::trusted)?,
        tenant: row.name("tenant", TenantName::trusted)?,
        workflow: row.workflow()?,
        execution_id: row.uuid_or_null("execution_id")?.map(ExecutionId::from_uuid),
        node_id: row.name_or_null("node_id", NodeId::trusted)?,
        status: row.parsed("status", DeadLetterStatus::parse)?,
        reason: row.parsed("reason", DeadReason::parse)?,
        error: row.error_or_null("error")?.ok_or_else(|| row.fault("error"))?,
        fingerprint: row.text("fingerprint")?,
        data: payloads::held(row.text("data")?),
        attempt_count: row.count("attempt_count")?,
        attempts: Vec::new(),
        died_at: row.instant("died_at")?,
        resolved_at: row.instant_or_null("resolved_at")?,
        archive_reason: row.text_or_null("archive_reason")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::testing::{assert_in_order_of, of_a_tenant};

    #[tokio::test]
    async fn i06_a_tenants_dead_letters_are_listed_in_the_order_of_its_index() {
        let (scope, page) = of_a_tenant();
        for status in [DeadLetterStatus::Open, DeadLetterStatus::Archived] {
            let filter = DeadLetterFilter { status: Some(status), ..DeadLetterFilter::default() };
            assert!(has_index(&scope, &filter), "{status:?} is read without windows");
            assert_in_order_of("dead_letter_tenant", || selected(&scope, &filter, page, None)).await;
        }
    }
}
