//! Which dead letters are meant.

use domain::access::TenantScope;
use domain::failure::DeadReason;
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::QueueName;
use store::dead_letters::{DeadLetterFilter, DeadLetterStatus};

use crate::select::Select;

/// Appends the conditions of scope and filter to a select from `dead_letter d`. Without a status in the filter open
/// ones are meant.
pub(super) fn apply(select: &mut Select, scope: &TenantScope, filter: &DeadLetterFilter) {
    apply_as(select, "d", scope, filter, filter.status.unwrap_or(DeadLetterStatus::Open));
}

/// Whether each row of the tenant's index with the status matches.
pub(super) fn has_index(scope: &TenantScope, filter: &DeadLetterFilter) -> bool {
    let (status, tenant) = (filter.status, filter.tenant.clone());
    *filter == DeadLetterFilter { status, tenant, ..DeadLetterFilter::default() }
        && (scope.tenant().is_some() != filter.tenant.is_some())
}

/// Appends what the tenant's index has.
pub(super) fn of_tenant(select: &mut Select, scope: &TenantScope, filter: &DeadLetterFilter) {
    if scope.tenant().is_none() && filter.tenant.is_none() {
        return;
    }
    let status = filter.status.unwrap_or(DeadLetterStatus::Open);
    select.push(&format!("AND d.status = '{}'", status.as_str()));
    select.with_some("AND d.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND d.tenant = $?", filter.tenant.as_ref().map(TenantName::as_str));
}

/// The same as [`apply`] with another alias for the table, and a status whatever the filter says. The status is part of the text,
/// so that partial indexes serve.
pub(super) fn apply_as(
    select: &mut Select,
    alias: &str,
    scope: &TenantScope,
    filter: &DeadLetterFilter,
    status: DeadLetterStatus,
) {
    let condition = |column: &str| format!("AND {alias}.{column} $?");
    select.push(&format!("AND {alias}.status = '{}'", status.as_str()));
    select.with_some(&condition("tenant ="), scope.tenant().map(TenantName::as_str));
    select.with_some(&condition("tenant ="), filter.tenant.as_ref().map(TenantName::as_str));
    select.with_some(&condition("queue ="), filter.queue.map(QueueName::code));
    select.with_some(&condition("workflow ="), filter.workflow.as_ref().map(WorkflowName::as_str));
    select.with_some(&condition("job_type ="), filter.job_type.as_ref().map(JobType::as_str));
    select.with_some(&condition("fingerprint ="), filter.fingerprint.as_deref());
    select.with_some(&condition("reason ="), filter.reason.map(DeadReason::as_str));
    select.with_some(&condition("died_at >="), filter.from.map(|instant| instant.0));
    select.with_some(&condition("died_at <"), filter.to.map(|instant| instant.0));
}
