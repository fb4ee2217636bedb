//! What upkeep removes, and what it must leave.

use domain::failure::DeadLetterStatus;
use domain::job::JobStatus;
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionStatus;
use store::PageRequest;
use store::conformance::fixture::{T0, after_secs, claim_nodes, complete, enqueue, job, lease, status};
use store::dead_letters::{DeadLetterFilter, DeadLetterStore as _};
use store::executions::{CommandStatus, ExecutionCommit, ExecutionStore as _, InboxEntry, InboxResult};
use store::jobs::JobStore as _;
use store::operations::{OperationsStore as _, Retention};
use testkit::database::TestStore;

use crate::fixture::{ALL, append, commit, die, only_letter, step, with_leased_node};

/// Retention that keeps nothing that ended before an instant.
pub(crate) fn keep_from(instant: Timestamp) -> Retention {
    Retention {
        completed_before: instant,
        failed_before: instant,
        cancelled_before: instant,
        archive_before: instant,
        executions_before: instant,
        schedule_runs_before: instant,
        idempotency_before: instant,
        deliveries_before: instant,
        audit_before: instant,
        logs_before: instant,
        workers_before: instant,
        now: instant,
        subjects: Vec::new(),
    }
}

pub(crate) async fn an_open_dead_letter_keeps_its_job(test: &TestStore) {
    let store = &test.store;
    let new = job();
    enqueue(store.as_ref(), std::slice::from_ref(&new)).await;
    die(store, &claim_nodes(store.as_ref(), 1, T0).await[0]).await;
    let letter = only_letter(store).await;
    assert_eq!(store.prune(&keep_from(after_secs(99)), 10).await.expect("prune works"), 0);
    assert_eq!(status(store.as_ref(), new.id).await, JobStatus::DeadLetter);
    store.archive_dead_letter(&ALL, letter, "known", after_secs(5)).await.expect("archive works");
    let job_only = Retention { archive_before: T0, ..keep_from(after_secs(99)) };
    assert_eq!(store.prune(&job_only, 10).await.expect("prune works"), 1);
    assert_eq!(store.job(&ALL, new.id).await.expect("read works"), None);
    let kept =
        store.dead_letter(&ALL, letter).await.expect("read works").expect("the archive is kept longer");
    assert_eq!(kept.status, DeadLetterStatus::Archived);
    assert_eq!(store.prune(&keep_from(after_secs(99)), 10).await.expect("prune works"), 1);
    assert_eq!(store.dead_letter(&ALL, letter).await.expect("read works"), None);
}

pub(crate) async fn an_execution_keeps_its_jobs_until_it_ends(test: &TestStore) {
    let store = &test.store;
    let (new, owner, node) = with_leased_node(store).await;
    complete(store.as_ref(), &node, T0).await;
    assert_eq!(store.prune(&keep_from(after_secs(99)), 10).await.expect("prune works"), 0);
    commit(store, &step(&new, lease(&owner), ExecutionStatus::Completed)).await;
    // The execution, its job and its node's job.
    assert_eq!(store.prune(&keep_from(after_secs(99)), 10).await.expect("prune works"), 3);
    assert_eq!(store.execution(&ALL, new.id).await.expect("read works"), None);
    assert_eq!(store.execution_events(&ALL, new.id, 0, 10).await.expect("read works"), None);
    assert_eq!(store.job(&ALL, node.id).await.expect("read works"), None);
}

pub(crate) async fn a_retry_without_a_job_is_refused(test: &TestStore) {
    let store = &test.store;
    let (new, owner, node) = with_leased_node(store).await;
    complete(store.as_ref(), &node, T0).await;
    // A success that was not applied would keep the execution going.
    let inbox = store.inboxes(&[new.id], 10).await.expect("read works").remove(0);
    let applied = inbox.iter().map(|row| InboxResult { position: row.position, refused: None }).collect();
    let last = step(&new, lease(&owner), ExecutionStatus::Failed);
    commit(store, &ExecutionCommit { inbox: applied, ..last }).await;
    let jobs_only = Retention { executions_before: Timestamp(0), ..keep_from(after_secs(99)) };
    assert_eq!(store.prune(&jobs_only, 10).await.expect("prune works"), 2);
    assert!(matches!(append(store, &new, &InboxEntry::Retry).await, CommandStatus::Refused(_)));
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!(record.status, ExecutionStatus::Failed);
}

/// Executions that have to stay do not keep those behind them from going, nor are they looked at in every call.
pub(crate) async fn executions_that_stay_hold_up_no_others(test: &TestStore) {
    let store = &test.store;
    for _ in 0..12 {
        let (new, owner, node) = with_leased_node(store).await;
        die(store, &node).await;
        commit(store, &step(&new, lease(&owner), ExecutionStatus::Failed)).await;
    }
    let (last, owner, node) = with_leased_node(store).await;
    complete(store.as_ref(), &node, T0).await;
    commit(store, &step(&last, lease(&owner), ExecutionStatus::Completed)).await;
    let executions_only = Retention { executions_before: after_secs(99), ..keep_from(Timestamp(0)) };
    // One at a time: a call looks at ten.
    let first = store.prune(&executions_only, 1).await.expect("prune works");
    let second = store.prune(&executions_only, 1).await.expect("prune works");
    assert_eq!(first + second, 1);
    assert_eq!(store.execution(&ALL, last.id).await.expect("read works"), None);
}

/// The same for jobs: those of open dead letters stay, however many they are, and are passed once in a round.
pub(crate) async fn jobs_that_stay_hold_up_no_others(test: &TestStore) {
    let store = &test.store;
    let jobs: Vec<_> = (0..13).map(|_| job()).collect();
    for new in &jobs {
        enqueue(store.as_ref(), std::slice::from_ref(new)).await;
        die(store, &claim_nodes(store.as_ref(), 1, T0).await[0]).await;
    }
    let last = jobs.iter().map(|new| new.id).max().expect("there are jobs");
    let page = PageRequest { limit: 100, after: None };
    let letters = store.list_dead_letters(&ALL, &DeadLetterFilter::default(), page).await;
    let letter = letters.expect("read works").items.into_iter().find(|letter| letter.job_id == last);
    let letter = letter.expect("each job left a letter").id;
    store.archive_dead_letter(&ALL, letter, "known", after_secs(5)).await.expect("archive works");
    let jobs_only = Retention { failed_before: after_secs(99), ..keep_from(Timestamp(0)) };
    // One at a time: a call looks at ten.
    let first = store.prune(&jobs_only, 1).await.expect("prune works");
    assert_eq!(
        store.prune(&jobs_only, 1).await.expect("prune works"),
        1 - first,
        "it goes on behind those that stay"
    );
    assert_eq!(store.job(&ALL, last).await.expect("read works"), None);
    assert_eq!(store.prune(&jobs_only, 100).await.expect("prune works"), 0, "the others stay");
}
