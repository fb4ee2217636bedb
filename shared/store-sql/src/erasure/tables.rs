//! Tables whose rows say by themselves whose they are, or belong to one that does.

use domain::queue::QueueName;
use store::StoreResult;

use super::Step;
use crate::SqlStore;
use crate::claim_row::bump_limits_version;
use crate::lock_order::begin_upkeep;
use crate::pool::commit_change;
use crate::sql::Sql;

/// What is removed, in this order: what belongs to a row before that row. Parameters as in [`Step`]. `payload_key` goes with the
/// end of the erasure.
pub(super) static REMOVALS: [(&str, Sql); 40] = [
    (
        "put_off_event",
        Sql::new(
            "erase_put_off_event",
            "DELETE FROM put_off_event WHERE (delivery_id, trigger_id) IN (
               SELECT e.delivery_id, e.trigger_id FROM put_off_event e JOIN put_off_start s ON s.id = e.start_id WHERE s.tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "put_off_start",
        Sql::new(
            "erase_put_off_start",
            "DELETE FROM put_off_start WHERE place IN (
               SELECT place FROM put_off_start WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "start_throttle",
        Sql::new(
            "erase_start_throttle",
            "DELETE FROM start_throttle WHERE (owner, trigger_id, throttle_key) IN (
               SELECT t.owner, t.trigger_id, t.throttle_key FROM start_throttle t
               WHERE EXISTS (SELECT 1 FROM webhook w WHERE w.id = t.owner AND w.tenant = $1)
                  OR EXISTS (SELECT 1 FROM event_trigger g WHERE g.id = t.owner AND g.tenant = $1) LIMIT {while_erased})",
        ),
    ),
    (
        "attribute_declaration",
        Sql::new(
            "erase_attribute_declaration",
            "DELETE FROM attribute_declaration WHERE (tenant, scope, owner, name) IN (
               SELECT tenant, scope, owner, name FROM attribute_declaration WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "attribute_tenant",
        Sql::new(
            "erase_attribute_tenant",
            "DELETE FROM attribute_tenant WHERE tenant IN (
               SELECT tenant FROM attribute_tenant WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "schedule_run",
        Sql::new(
            "erase_schedule_run",
            "DELETE FROM schedule_run WHERE (schedule_id, nominal_at) IN (
               SELECT r.schedule_id, r.nominal_at FROM schedule_run r JOIN schedule s ON s.id = r.schedule_id WHERE s.tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "schedule",
        Sql::new(
            "erase_schedule",
            "DELETE FROM schedule WHERE id IN (
               SELECT id FROM schedule WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "webhook_guard",
        Sql::new(
            "erase_webhook_guard",
            "DELETE FROM webhook_guard WHERE (webhook_id, digest) IN (
               SELECT g.webhook_id, g.digest FROM webhook_guard g JOIN webhook w ON w.id = g.webhook_id WHERE w.tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "webhook_secret",
        Sql::new(
            "erase_webhook_secret",
            "DELETE FROM webhook_secret WHERE id IN (
               SELECT s.id FROM webhook_secret s JOIN webhook w ON w.id = s.webhook_id WHERE w.tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "webhook",
        Sql::new(
            "erase_webhook",
            "DELETE FROM webhook WHERE id IN (
               SELECT id FROM webhook WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "event_trigger",
        Sql::new(
            "erase_event_trigger",
            "DELETE FROM event_trigger WHERE id IN (
               SELECT id FROM event_trigger WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "event_wait",
        Sql::new(
            "erase_event_wait",
            "DELETE FROM event_wait WHERE (execution_id, node_id, event) IN (
               SELECT execution_id, node_id, event FROM event_wait WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "job_log",
        Sql::new(
            "erase_job_log",
            "DELETE FROM job_log WHERE (job_id, attempt, line) IN (
               SELECT job_id, attempt, line FROM job_log WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "job_log_attempt",
        Sql::new(
            "erase_job_log_attempt",
            "DELETE FROM job_log_attempt WHERE (job_id, attempt) IN (
               SELECT job_id, attempt FROM job_log_attempt WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "user_task",
        Sql::new(
            "erase_user_task",
            "DELETE FROM user_task WHERE position IN (
               SELECT position FROM user_task WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "api_key",
        Sql::new(
            "erase_api_key",
            "DELETE FROM api_key WHERE id IN (
               SELECT id FROM api_key WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "tenant_secret",
        Sql::new(
            "erase_tenant_secret",
            "DELETE FROM tenant_secret WHERE (tenant, name) IN (
               SELECT tenant, name FROM tenant_secret WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "tenant_quota",
        Sql::new(
            "erase_tenant_quota",
            "DELETE FROM tenant_quota WHERE (tenant, name) IN (
               SELECT tenant, name FROM tenant_quota WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "retention_override",
        Sql::new(
            "erase_retention_override",
            "DELETE FROM retention_override WHERE (tenant, subject) IN (
               SELECT tenant, subject FROM retention_override WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "intake",
        Sql::new(
            "erase_intake",
            "DELETE FROM intake WHERE id IN (
               SELECT id FROM intake WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "intake_key",
        Sql::new(
            "erase_intake_key",
            "DELETE FROM intake_key WHERE (tenant, kind, key) IN (
               SELECT tenant, kind, key FROM intake_key WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "intake_role",
        Sql::new(
            "erase_intake_role",
            "DELETE FROM intake_role WHERE role IN (
               SELECT role FROM intake_role WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "intake_over_quota",
        Sql::new(
            "erase_intake_over_quota",
            "DELETE FROM intake_over_quota WHERE (tenant, quota) IN (
               SELECT tenant, quota FROM intake_over_quota WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "worker",
        Sql::new(
            "erase_worker",
            "DELETE FROM worker WHERE (tenant, id) IN (
               SELECT tenant, id FROM worker WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "saved_view",
        Sql::new(
            "erase_saved_view",
            "DELETE FROM saved_view WHERE id IN (
               SELECT id FROM saved_view WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "batch_item",
        Sql::new(
            "erase_batch_item",
            "DELETE FROM batch_item WHERE (batch_id, object_id) IN (
               SELECT i.batch_id, i.object_id FROM batch_item i JOIN batch b ON b.id = i.batch_id WHERE b.tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "batch",
        Sql::new(
            "erase_batch",
            "DELETE FROM batch WHERE id IN (
               SELECT id FROM batch WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "stat",
        Sql::new(
            "erase_stat",
            "DELETE FROM stat WHERE (step, tenant, workflow, at, queue, tier) IN (
               SELECT step, tenant, workflow, at, queue, tier FROM stat WHERE step IN (1, 60) AND tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "dead_letter_change",
        Sql::new(
            "erase_dead_letter_change",
            "DELETE FROM dead_letter_change WHERE position IN (
               SELECT position FROM dead_letter_change WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "dead_letter_count",
        Sql::new(
            "erase_dead_letter_count",
            "DELETE FROM dead_letter_count WHERE (fingerprint, tenant, queue, job_type, workflow, reason) IN (
               SELECT fingerprint, tenant, queue, job_type, workflow, reason FROM dead_letter_count WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "dead_letter_hour",
        Sql::new(
            "erase_dead_letter_hour",
            "DELETE FROM dead_letter_hour WHERE (fingerprint, at, tenant) IN (
               SELECT fingerprint, at, tenant FROM dead_letter_hour WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "dead_letter_decision",
        Sql::new(
            "erase_dead_letter_decision",
            "DELETE FROM dead_letter_decision WHERE (owner, fingerprint) IN (
               SELECT owner, fingerprint FROM dead_letter_decision WHERE owner = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "workflow_source",
        Sql::new(
            "erase_workflow_source",
            "DELETE FROM workflow_source WHERE (owner, name, version) IN (
               SELECT owner, name, version FROM workflow_source WHERE owner = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "workflow_pause",
        Sql::new(
            "erase_workflow_pause",
            "DELETE FROM workflow_pause WHERE (owner, name) IN (
               SELECT owner, name FROM workflow_pause WHERE owner = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "workflow",
        Sql::new(
            "erase_workflow",
            "DELETE FROM workflow WHERE (owner, name, version) IN (
               SELECT owner, name, version FROM workflow WHERE owner = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "queue_limit",
        Sql::new(
            "erase_queue_limit",
            "DELETE FROM queue_limit WHERE (queue, scope, owner, name) IN (
               SELECT queue, scope, owner, name FROM queue_limit WHERE owner = $1 OR (scope = 'tenant' AND name = $1) LIMIT {while_erased})",
        ),
    ),
    (
        "start_limit",
        Sql::new(
            "erase_start_limit",
            "DELETE FROM start_limit WHERE (queue, scope, owner, name) IN (
               SELECT queue, scope, owner, name FROM start_limit WHERE owner = $1 OR (scope = 'tenant' AND name = $1) LIMIT {while_erased})",
        ),
    ),
    (
        "build_pin",
        Sql::new(
            "erase_build_pin",
            "DELETE FROM build_pin WHERE (tenant, job_type) IN (
               SELECT tenant, job_type FROM build_pin WHERE tenant = $1 LIMIT {while_erased})",
        ),
    ),
    (
        "start_count",
        Sql::new(
            "erase_start_count",
            "DELETE FROM start_count WHERE (queue, scope, owner, name) IN (
               SELECT queue, scope, owner, name FROM start_count WHERE owner = $1 OR (scope = 'tenant' AND name = $1) LIMIT {while_erased})",
        ),
    ),
    (
        "idempotency",
        Sql::new(
            "erase_idempotency",
            "DELETE FROM idempotency WHERE (owner, key) IN (
               SELECT owner, key FROM idempotency WHERE owner = $1 OR substr(owner, 1, length($1) + 1) = $1 || '/' LIMIT {while_erased})",
        ),
    ),
];

/// Tables that claims read as a whole.
const LIMITS: [&str; 3] = ["build_pin", "queue_limit", "start_limit"];

/// Removes some; answers how many.
pub(super) async fn step(store: &SqlStore, step: Step<'_>) -> StoreResult<u64> {
    for (table, removal) in &REMOVALS {
        let transaction = begin_upkeep(store.pool()).await?;
        let gone = removal.run(&transaction, step.values()).await?;
        if gone > 0 && LIMITS.contains(table) {
            bump_limits_version(&transaction, &QueueName::ALL).await?;
        }
        commit_change(transaction).await?;
        if gone > 0 {
            return Ok(gone);
        }
    }
    Ok(0)
}
