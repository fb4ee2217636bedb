//! Committing one step of an execution: everything that follows from it, or nothing.
//!
//! The row of the execution is locked first and the jobs' rows after it, as everywhere. The lease of the execution's
//! job is the gate: without it the transaction is undone.

use domain::failure::JobError;
use domain::job::JobStatus;
use domain::lane::LaneId;
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionStatus, NodeRecord};
use sea_orm::DatabaseTransaction;
use store::StoreResult;
use store::executions::{Committed, ExecutionCommit, OwnerNext};
use store::jobs::{AttemptStatus, LeaseAnswer, LeaseRef};
use uuid::Uuid;

use crate::SqlStore;
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::jobs::end;
use crate::jobs::enqueue::{Inserted, insert, prepare};
use crate::jobs::finish::{ANY_LEASE, Finish, Finished, error_text as job_error_text, finish};
use crate::jobs::revive::Revived;
use crate::pool::{self, rollback};
use crate::rows::Row;
use crate::sql::Sql;
use crate::tries::{Tries, tried};

use super::lock::Locked;
use super::resume::{Resumed, resume};
use super::rows::error_text;
use super::{events, inbox};

static UPDATE: Sql = Sql::new(
    "commit_execution",
    "UPDATE execution SET status = $2, state = $3, started_at = COALESCE($4, started_at), completed_at = $5,
       output = COALESCE($6, output), error = $7
     WHERE id = $1",
);

static GATE: Sql = Sql::new(
    "commit_execution_gate",
    "SELECT crashes FROM job
     WHERE id = $1 AND lease_token = $2 AND state = 'processing' AND execution_id = $3 {for_update}",
);

static RESET_CRASHES: Sql = Sql::new("reset_crashes", "UPDATE job SET crashes = 0 WHERE id = $1");

static FINISHED: Sql =
    Sql::new("commit_execution_done", "SELECT id FROM job_done WHERE id = $1 AND lease_token = $2");

static RECORD: Sql = Sql::new(
    "append_node_results",
    "INSERT INTO node_result (execution_id, node_id, round, status, attempts, started_at, finished_at, input, output, error)
     SELECT $1, r.node_id, r.round, r.status, r.attempts, r.started_at, r.finished_at, r.input, r.output, r.error
     FROM {rows $2: place int, node_id text, round int, status text, attempts int, started_at bigint?, finished_at bigint, input text?, output text?, error text?} r
     WHERE true ORDER BY r.place",
);

/// Commits a step for the holder of the lease.
pub(super) async fn commit(
    store: &SqlStore,
    commit: &ExecutionCommit,
    now: Timestamp,
) -> StoreResult<LeaseAnswer<Committed>> {
    let lanes = prepare(store, &commit.enqueue, now).await?;
    // The end of an execution is recognised when it is repeated. A step before it is not: over a broken connection
    // its caller decides.
    let tries = if commit.next == OwnerNext::Finish { Tries::repeatable() } else { Tries::once() };
    tried(tries, || commit_once(store, commit, &lanes, now)).await
}

async fn commit_once(
    store: &SqlStore,
    commit: &ExecutionCommit,
    lanes: &[LaneId],
    now: Timestamp,
) -> StoreResult<LeaseAnswer<Committed>> {
    let (dialect, id) = (store.dialect(), commit.id.uuid());
    let transaction = store.pool().begin().await?;
    let is_there = update(&transaction, commit, now).await?;
    let passed = if is_there { pass_gate(&transaction, commit, now).await? } else { None };
    let Some(finished) = passed else {
        let answer = refuse(&transaction, commit.lease).await;
        rollback(transaction).await;
        return answer;
    };
    inbox::settle(&transaction, dialect, id, &commit.inbox).await?;
    append_records(&transaction, dialect, id, &commit.records).await?;
    events::append(&transaction, dialect, id, &commit.events).await?;
    let inserted = if commit.enqueue.is_empty() {
        Inserted::default()
    } else {
        insert(&transaction, &commit.enqueue, lanes, now).await?
    };
    let cancel: Vec<Uuid> = commit.cancel.iter().map(|job| job.uuid()).collect();
    let ended = end::cancel(&transaction, dialect, &cancel, now).await?;
    let has_changed_nodes = ended.count > 0 || inserted.answers.iter().any(|answer| !answer.existing);
    let revived = if commit.next == OwnerNext::Finish {
        close_or_resume(&transaction, commit, now).await?
    } else {
        None
    };
    let ended = ended.and(&transaction, &finished, now).await?;
    ended.bump(&transaction).await?;
    if let Some(revived) = &revived {
        revived.bump(&transaction).await?;
    }
    pool::commit(transaction).await?;
    inserted.note(store);
    ended.note(store);
    if let Some(revived) = &revived {
        revived.note(store);
    }
    Ok(LeaseAnswer::Ok(Committed { freed_node_slots: has_changed_nodes, enqueued: inserted.answers }))
}

/// Closes the inbox of an execution that ended. One that failed goes on instead if somebody requeued a node of it
/// after the owner's last look: that requeue was answered, and must not be lost.
async fn close_or_resume(
    on: &DatabaseTransaction,
    commit: &ExecutionCommit,
    now: Timestamp,
) -> StoreResult<Option<Revived>> {
    let id = commit.id.uuid();
    if commit.status == ExecutionStatus::Failed && inbox::has_requeued(on, id).await? {
        let locked = Locked { id, job_id: commit.lease.id.uuid(), status: commit.status, has_state: true };
        if let Resumed::Running(revived) = resume(on, &locked, now).await? {
            return Ok(revived);
        }
    }
    inbox::close(on, id, &inbox::finished_reason(commit.status)).await?;
    Ok(None)
}

/// Writes the row of the execution, which locks it. Answers whether it is there.
async fn update(on: &DatabaseTransaction, commit: &ExecutionCommit, now: Timestamp) -> StoreResult<bool> {
    let completed_at = commit.status.is_terminal().then_some(now.0);
    let values = vec![
        commit.id.uuid().into(),
        commit.status.as_str().into(),
        commit.state.clone().into(),
        commit.started_at.map(|instant| instant.0).into(),
        completed_at.into(),
        commit.output.as_deref().into(),
        commit.error.as_ref().map(error_text).into(),
    ];
    Ok(UPDATE.run(on, values).await? > 0)
}

/// Passes the gate: the job is locked and the progress noted, or it ends with its execution. `None` if the lease does
/// not hold; otherwise the job that ended.
async fn pass_gate(
    on: &DatabaseTransaction,
    commit: &ExecutionCommit,
    now: Timestamp,
) -> StoreResult<Option<Vec<Finished>>> {
    if commit.next == OwnerNext::Finish {
        let finished = finish(on, &[last_attempt(commit)], now).await?;
        let is_own = finished.first().is_some_and(|job| job.execution_id == Some(commit.id));
        return Ok(is_own.then_some(finished));
    }
    let LeaseRef { id, token } = commit.lease;
    let values = vec![id.uuid().into(), token.0.into(), commit.id.uuid().into()];
    let Some(row) = GATE.first(on, values).await? else {
        return Ok(None);
    };
    if Row::new("job", &row).count("crashes")? > 0 {
        RESET_CRASHES.run(on, vec![id.uuid().into()]).await?;
    }
    Ok(Some(Vec::new()))
}

/// How the execution's job ends with it.
fn last_attempt(commit: &ExecutionCommit) -> Finish {
    debug_assert!(commit.status.is_terminal(), "an owner finishes with a status that is final");
    let (status, attempt_status) = match commit.status {
        ExecutionStatus::Completed => (JobStatus::Completed, AttemptStatus::Completed),
        ExecutionStatus::Cancelled => (JobStatus::Cancelled, AttemptStatus::Cancelled),
        _ => (JobStatus::Failed, AttemptStatus::Failed),
    };
    let error = commit.error.as_ref().map(|error| JobError {
        message: error.message.clone(),
        code: error.code.clone(),
        details: None,
    });
    Finish {
        lease: commit.lease,
        status,
        attempt_status: Some(attempt_status),
        error,
        result: None,
        expired_before: ANY_LEASE,
    }
}

/// Why the gate is shut: the same lease ended the execution before, or it is gone.
async fn refuse(on: &DatabaseTransaction, lease: LeaseRef) -> StoreResult<LeaseAnswer<Committed>> {
    let done = FINISHED.first(on, vec![lease.id.uuid().into(), lease.token.0.into()]).await?;
    Ok(if done.is_some() { LeaseAnswer::AlreadyDone } else { LeaseAnswer::LeaseLost })
}

async fn append_records(
    on: &DatabaseTransaction,
    dialect: Dialect,
    execution_id: Uuid,
    records: &[NodeRecord],
) -> StoreResult<()> {
    if records.is_empty() {
        return Ok(());
    }
    let texts: Vec<[Option<String>; 3]> = records
        .iter()
        .map(|record| {
            let text = |value: &Option<serde_json::Value>| value.as_ref().map(ToString::to_string);
            [text(&record.input), text(&record.output), job_error_text(record.error.as_ref())]
        })
        .collect();
    let cells = records.iter().zip(&texts).enumerate().map(|(place, (record, [input, output, error]))| {
        [
            Cell::Int(place as i32),
            Cell::Text(record.node.as_str()),
            Cell::Int(i32::try_from(record.round).unwrap_or(i32::MAX)),
            Cell::Text(record.status.as_str()),
            Cell::Int(i32::try_from(record.attempts).unwrap_or(i32::MAX)),
            Cell::LongOrNull(record.started_at.map(|instant| instant.0)),
            Cell::Long(record.finished_at.0),
            Cell::TextOrNull(input.as_deref()),
            Cell::TextOrNull(output.as_deref()),
            Cell::TextOrNull(error.as_deref()),
        ]
    });
    let mut values = vec![execution_id.into()];
    values.extend(bind::rows(dialect, cells));
    RECORD.run(on, values).await.map(|_| ())
}
