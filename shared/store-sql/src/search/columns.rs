//! What a key is in each table. Jobs are `j` with their lane `l`, executions `e`, dead letters `d`, deliveries `v`, schedules
//! `s` and their slots `r`, user tasks `t`, workers `w`, lines of the audit log `a`, bulk operations `b`.

use domain::search::Term;

use super::condition::{Column, apply};
use super::parts::Table;
use crate::select::Select;

const SCHEDULE_OF_EXECUTION: Column = Column::Uuid("o.schedule_id");
const DELIVERY_OF_EXECUTION: Column = Column::Detail("o.trigger_detail", "deliveryId", "dlv");
const FINGERPRINT: Column = Column::Text("f.fingerprint");
const TAGS_OF_JOB: Column = Column::Tags("x.tags");
const WORKER_OF_JOB: Column = Column::Text("x.worker_id");

// What another table says of a row is looked up row by row, within the window that is read: as a set it could be the whole
// of that table.
const LETTER_OF_JOB: &str =
    "EXISTS (SELECT 1 FROM (SELECT * FROM dead_letter y WHERE y.job_id = j.id {postgres:OFFSET 0}) f WHERE";
const LETTER_OF_EXECUTION: &str = "EXISTS (SELECT 1 FROM (SELECT * FROM dead_letter y WHERE y.execution_id = e.id {postgres:OFFSET 0}) f WHERE";
const JOB_OF_LETTER: &str =
    "EXISTS (SELECT 1 FROM (SELECT * FROM job_done y WHERE y.id = d.job_id {postgres:OFFSET 0}) x WHERE";
const EXECUTION_OF_JOB: &str = "EXISTS (SELECT 1 FROM (SELECT * FROM execution y WHERE y.id = j.execution_id {postgres:OFFSET 0}) o WHERE";
const EXECUTION_OF_LETTER: &str = "EXISTS (SELECT 1 FROM (SELECT * FROM execution y WHERE y.id = d.execution_id {postgres:OFFSET 0}) o WHERE";

/// Where the values of a key are; `None` where the table has no such key.
pub(super) fn column(table: Table, key: &str) -> Option<Column> {
    match table {
        Table::Job | Table::JobDone => of_job(table, key),
        Table::Execution => of_execution(key),
        Table::DeadLetter => of_dead_letter(key),
        Table::Delivery => of_delivery(key),
        Table::Schedule => of_schedule(key),
        Table::Run => of_run(key),
        Table::UserTask => of_user_task(key),
        Table::Worker => of_worker(key),
        Table::Audit => of_audit(key),
        Table::Batch => of_batch(key),
    }
}

fn of_job(table: Table, key: &str) -> Option<Column> {
    Some(match key {
        "id" => Column::Uuid("j.id"),
        "queue" => Column::Queue("j.queue"),
        "status" if table == Table::Job => Column::JobState("j.state"),
        "status" => Column::Literal("j.status"),
        "jobType" => Column::Text("l.job_type"),
        "workflow" => Column::Text("l.workflow"),
        "tenant" => Column::Text("l.tenant"),
        "priority" => Column::Tier("j.tier"),
        "tag" => Column::Tags("j.tags"),
        "fingerprint" => Column::In(LETTER_OF_JOB, &FINGERPRINT),
        "workerId" => Column::Text("j.worker_id"),
        "executionId" => Column::Uuid("j.execution_id"),
        "nodeId" => Column::Text("j.node_id"),
        "scheduleId" => Column::In(EXECUTION_OF_JOB, &SCHEDULE_OF_EXECUTION),
        "deliveryId" => Column::In(EXECUTION_OF_JOB, &DELIVERY_OF_EXECUTION),
        "uniqueKey" => Column::ScopedKey("j.unique_key", 1),
        "concurrencyKey" => Column::ScopedKey("j.concurrency_key", 2),
        "rateKey" => Column::Text("l.rate_key"),
        "created" => Column::Long("j.created_at"),
        "run" => Column::Long("j.run_at"),
        "processed" => Column::Long("j.started_at"),
        "completed" if table == Table::Job => Column::Never,
        "completed" => Column::Long("j.finished_at"),
        _ => return None,
    })
}

fn of_execution(key: &str) -> Option<Column> {
    Some(match key {
        "id" => Column::Uuid("e.id"),
        "workflow" => Column::Text("e.workflow"),
        "version" => Column::Long("e.version"),
        "status" => Column::Literal("e.status"),
        "tenant" => Column::Text("e.tenant"),
        "priority" => Column::Tier("e.tier"),
        "tag" => Column::Tags("e.tags"),
        "trigger" => Column::Text("e.trigger_kind"),
        "fingerprint" => Column::In(LETTER_OF_EXECUTION, &FINGERPRINT),
        "correlationId" => Column::Text("e.correlation_id"),
        "uniqueKey" => Column::Text("e.unique_key"),
        "parent" => Column::Uuid("e.parent_id"),
        "scheduleId" => Column::Uuid("e.schedule_id"),
        "webhookId" => Column::Detail("e.trigger_detail", "webhookId", "whk"),
        "deliveryId" => Column::Detail("e.trigger_detail", "deliveryId", "dlv"),
        "created" => Column::Long("e.created_at"),
        "started" => Column::Long("e.started_at"),
        "completed" => Column::Long("e.completed_at"),
        _ => return None,
    })
}

fn of_dead_letter(key: &str) -> Option<Column> {
    Some(match key {
        "id" => Column::Uuid("d.id"),
        "queue" => Column::Queue("d.queue"),
        "workflow" => Column::Text("d.workflow"),
        "jobType" => Column::Text("d.job_type"),
        "tenant" => Column::Text("d.tenant"),
        "fingerprint" => Column::Text("d.fingerprint"),
        "reason" => Column::Text("d.reason"),
        "status" => Column::Literal("d.status"),
        "tag" => Column::In(JOB_OF_LETTER, &TAGS_OF_JOB),
        "workerId" => Column::In(JOB_OF_LETTER, &WORKER_OF_JOB),
        "executionId" => Column::Uuid("d.execution_id"),
        "scheduleId" => Column::In(EXECUTION_OF_LETTER, &SCHEDULE_OF_EXECUTION),
        "deliveryId" => Column::In(EXECUTION_OF_LETTER, &DELIVERY_OF_EXECUTION),
        "died" => Column::Long("d.died_at"),
        "resolved" => Column::Long("d.resolved_at"),
        _ => return None,
    })
}

fn of_delivery(key: &str) -> Option<Column> {
    Some(match key {
        "id" => Column::Uuid("v.id"),
        "source" => Column::Source("v.webhook_id"),
        "webhookId" => Column::Webhook("v.webhook_id"),
        "tenant" => Column::Text("v.tenant"),
        "status" => Column::DeliveryStatus("v.status", "v.held_at"),
        "eventType" => Column::Text("v.event_type"),
        "reason" => Column::Text("v.reason"),
        "remoteAddress" => Column::Text("v.remote_address"),
        "executionId" => Column::Ids("v.executions", "exe"),
        "received" => Column::Long("v.received_at"),
        "processed" => Column::Long("v.processed_at"),
        _ => return None,
    })
}

fn of_schedule(key: &str) -> Option<Column> {
    Some(match key {
        "id" => Column::Uuid("s.id"),
        "workflow" => Column::Text("s.workflow"),
        "tenant" => Column::Text("s.tenant"),
        "paused" => Column::Flag("s.is_paused"),
        "created" => Column::Long("s.created_at"),
        "nextRun" => Column::Long("s.next_run_at"),
        _ => return None,
    })
}

fn of_run(key: &str) -> Option<Column> {
    Some(match key {
        "scheduleId" => Column::Uuid("r.schedule_id"),
        "status" => Column::Text("r.status"),
        "reason" => Column::Text("r.reason"),
        "skipReason" => Column::Text("r.skip_reason"),
        "executionId" => Column::Uuid("r.execution_id"),
        "scheduled" => Column::Long("r.nominal_at"),
        "fired" => Column::Long("CASE WHEN r.status = 'fired' THEN r.decided_at END"),
        _ => return None,
    })
}

fn of_user_task(key: &str) -> Option<Column> {
    Some(match key {
        "status" => Column::Literal("t.status"),
        "group" => Column::Text("t.assigned_group"),
        "assignee" => Column::Text("t.assignee"),
        "workflow" => Column::Text("t.workflow"),
        "tenant" => Column::Text("t.tenant"),
        "execution" => Column::Uuid("t.execution_id"),
        "opened" => Column::Long("t.opened_at"),
        "due" => Column::Long("t.due_at"),
        "closed" => Column::Long("t.closed_at"),
        _ => return None,
    })
}

fn of_worker(key: &str) -> Option<Column> {
    Some(match key {
        "id" => Column::Uuid("w.key"),
        "tenant" => Column::Text("w.tenant"),
        "kind" => Column::Text("w.kind"),
        "jobType" => Column::Tags("w.job_types"),
        "lastSeen" => Column::Long("w.last_seen_at"),
        "firstSeen" => Column::Long("w.first_seen_at"),
        _ => return None,
    })
}

fn of_audit(key: &str) -> Option<Column> {
    Some(match key {
        "id" => Column::Uuid("a.id"),
        "actor" => Column::Text("a.actor"),
        "action" => Column::Text("a.action"),
        "subject" => Column::Text("a.subject"),
        "tenant" => Column::Text("a.tenant"),
        "address" => Column::Text("a.address"),
        "requestId" => Column::Text("a.request_id"),
        // Lines of before refusals were recorded have none.
        "outcome" => Column::Text("COALESCE(a.outcome, 'done')"),
        "door" => Column::Text("a.door"),
        "batch" => Column::Text("a.batch"),
        "at" => Column::Long("a.at"),
        _ => return None,
    })
}

/// Appends terms of the list of the audit log.
pub(crate) fn apply_to_audit(select: &mut Select, terms: &[Term]) {
    for term in terms {
        match of_audit(&term.key) {
            Some(column) => apply(select, column, term),
            None => select.push("AND false"),
        }
    }
}

fn of_batch(key: &str) -> Option<Column> {
    Some(match key {
        "id" => Column::Uuid("b.id"),
        "kind" => Column::Text("b.kind"),
        "status" => Column::Text("b.status"),
        "actor" => Column::Text("b.actor"),
        "created" => Column::Long("b.created_at"),
        _ => return None,
    })
}
