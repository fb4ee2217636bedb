//! What the end of jobs entails in the same transaction: dead letters, inbox entries for executions, deliveries that
//! wait for somebody, free concurrency keys.

use std::collections::HashMap;

use domain::failure::{DeadReason, JobError, fingerprint};
use domain::id::{DeadLetterId, DeliveryId, JobId};
use domain::job::JobStatus;
use domain::queue::{LaneId, QueueName};
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::executions::InboxEntry;
use store::webhooks::{JOB_CANCELLED, MATCHING_FAILED};
use uuid::Uuid;

use super::admit::{Admitted, admit};
use super::finish::{EndedJob, JobEnd, error_text};
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::errors::corrupt;
use crate::executions::entry::encode;
use crate::executions::inbox::APPEND_ALL;
use crate::lanes;
use crate::payloads;
use crate::rows::workflow_columns;
use crate::sql::Sql;
use crate::store::SqlStore;

static DEAD_LETTERS: Sql = Sql::new("insert_dead_letters", include_str!("../../sql/insert_dead_letters.sql"));

// What was decided stays decided.
// $1 now
static PARK_DELIVERIES: Sql = Sql::new(
    "park_deliveries",
    "UPDATE webhook_delivery SET status = 'parked', reason = r.why, outcome = '[]', processed_at = $1
     FROM {rows $2: key uuid, why text} r WHERE webhook_delivery.id = r.key AND webhook_delivery.status = 'accepted'",
);

/// Writes what follows from the end of settled jobs. `ends` holds each of them.
pub(super) async fn apply_completion_effects<C: ConnectionTrait>(
    store: &SqlStore,
    on: &C,
    ended: &[EndedJob],
    ends: &HashMap<JobId, &JobEnd<'_>>,
    now: Timestamp,
) -> StoreResult<Vec<Admitted>> {
    insert_dead_letters(store, on, ended, ends, now).await?;
    let result_of = |id: JobId| match *ends.get(&id)? {
        JobEnd::Completed(result) => Some(Ok(result.unwrap_or("null").to_owned())),
        JobEnd::Died(_, error) => Some(Err((*error).clone())),
        JobEnd::WithExecution(..) => None,
    };
    insert_inbox_entries(on, ended, result_of, now).await?;
    park_deliveries(on, ended, now).await?;
    let keys: Vec<String> = ended.iter().filter_map(|job| job.concurrency_key.clone()).collect();
    admit(on, &keys, now).await
}

/// The same for jobs that end without an attempt that was settled: they were cancelled, or nobody started them in time.
/// Their executions get `error`. Their concurrency keys are the caller's to free.
pub(super) async fn apply_cancellation_effects<C: ConnectionTrait>(
    on: &C,
    ended: &[EndedJob],
    error: &JobError,
    now: Timestamp,
) -> StoreResult<()> {
    insert_inbox_entries(on, ended, |_| Some(Err(error.clone())), now).await?;
    park_deliveries(on, ended, now).await
}

async fn insert_dead_letters<C: ConnectionTrait>(
    store: &SqlStore,
    on: &C,
    ended: &[EndedJob],
    ends: &HashMap<JobId, &JobEnd<'_>>,
    now: Timestamp,
) -> StoreResult<()> {
    for queue in QueueName::ALL {
        let mut dead: Vec<(&EndedJob, DeadReason, &JobError)> = Vec::new();
        for job in ended.iter().filter(|job| job.queue == queue && job.status == JobStatus::DeadLetter) {
            if let Some(JobEnd::Died(reason, error)) = ends.get(&job.id) {
                dead.push((job, *reason, *error));
            }
        }
        if dead.is_empty() {
            continue;
        }
        let ids: Vec<LaneId> = dead.iter().map(|(job, ..)| job.lane).collect();
        let keys = lanes::keys(store, on, queue, &ids).await?;
        let mut texts: Vec<(String, String)> = Vec::with_capacity(dead.len());
        for (job, _, error) in &dead {
            let key = keys.get(&job.lane).ok_or_else(|| corrupt("job", "lane", job.id))?;
            let text = error_text(Some(error)).unwrap_or_default();
            texts.push((text, fingerprint(key.job_type.as_str(), error)));
        }
        let cells = dead.iter().zip(&texts).map(|((job, reason, _), (error, fingerprint))| {
            let key = &keys[&job.lane];
            let (owner, workflow) = workflow_columns(key.workflow.as_ref());
            [
                Cell::Uuid(letter_of(job)),
                Cell::Uuid(job.id.uuid()),
                Cell::Int(i32::from(queue.code())),
                Cell::Int(i32::from(job.tier.code())),
                Cell::Text(key.tenant.as_str()),
                Cell::Text(owner),
                Cell::Text(workflow),
                Cell::Text(key.job_type.as_str()),
                Cell::UuidOrNull(job.execution_id.map(domain::id::Id::uuid)),
                Cell::TextOrNull(job.node_id.as_ref().map(domain::names::NodeId::as_str)),
                Cell::Text(reason.as_str()),
                Cell::Text(error),
                Cell::Text(fingerprint),
                Cell::Int(job.attempt as i32),
                Cell::Text(job.data.as_deref().unwrap_or("null")),
            ]
        });
        let mut values = vec![now.0.into()];
        values.extend(bind::rows(Dialect::of(on.get_database_backend()), cells));
        DEAD_LETTERS.run(on, values).await?;
        let is_large = |job: &EndedJob| job.data.as_deref().and_then(payloads::length_of).is_some();
        let large = dead.iter().map(|(job, ..)| *job).filter(|job| is_large(job));
        let copies: Vec<(Uuid, Uuid)> = large.map(|job| (job.id.uuid(), letter_of(job))).collect();
        payloads::copy(on, &copies).await?;
    }
    Ok(())
}

/// The id of the dead letter of a job that dies now.
fn letter_of(job: &EndedJob) -> Uuid {
    DeadLetterId::derive(job.id.uuid(), &["dead-letter", &job.attempt.to_string()]).uuid()
}

/// Appends to the inboxes of executions that jobs of their nodes ended.
async fn insert_inbox_entries<C: ConnectionTrait>(
    on: &C,
    ended: &[EndedJob],
    result_of: impl Fn(JobId) -> Option<Result<String, JobError>>,
    now: Timestamp,
) -> StoreResult<()> {
    let mut entries: Vec<(Uuid, &'static str, String)> = Vec::new();
    for job in ended {
        let Some((execution, node_id)) = job.node() else {
            continue;
        };
        let Some(result) = result_of(job.id) else {
            continue;
        };
        let entry = InboxEntry::NodeSettled {
            node_id: node_id.clone(),
            job_id: job.id,
            result,
            attempts: job.attempt,
            started_at: job.started_at,
        };
        entries.push((execution.uuid(), entry.kind(), encode(&entry)));
    }
    if entries.is_empty() {
        return Ok(());
    }
    let cells = entries.iter().enumerate().map(|(ord, (execution, kind, entry))| {
        [Cell::Int(ord as i32), Cell::Uuid(*execution), Cell::Text(kind), Cell::Text(entry)]
    });
    let mut values = vec![now.0.into()];
    values.extend(bind::rows(Dialect::of(on.get_database_backend()), cells));
    APPEND_ALL.run(on, values).await.map(|_| ())
}

/// Parks deliveries whose jobs ended without deciding about them: nothing else would say that they wait for somebody.
async fn park_deliveries<C: ConnectionTrait>(on: &C, ended: &[EndedJob], now: Timestamp) -> StoreResult<()> {
    let undecided = |job: &EndedJob| {
        let reason = match job.status {
            JobStatus::DeadLetter => MATCHING_FAILED,
            JobStatus::Cancelled => JOB_CANCELLED,
            _ => return None,
        };
        let delivery =
            job.data.as_deref().filter(|_| job.queue == QueueName::Webhook).and_then(delivery_of)?;
        Some([Cell::Uuid(delivery.uuid()), Cell::Text(reason)])
    };
    let cells: Vec<[Cell<'_>; 2]> = ended.iter().filter_map(undecided).collect();
    if cells.is_empty() {
        return Ok(());
    }
    let mut values = vec![now.0.into()];
    values.extend(bind::rows(Dialect::of(on.get_database_backend()), cells.into_iter()));
    PARK_DELIVERIES.run(on, values).await.map(|_| ())
}

/// The delivery that a job of `workflow-webhook` names.
fn delivery_of(data: &str) -> Option<DeliveryId> {
    let data: serde_json::Value = serde_json::from_str(data).ok()?;
    DeliveryId::parse(data.get("deliveryId")?.as_str()?)
}
