//! Children: created by their parents' commits, heard of by them, cancelled with them.

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::id::ExecutionId;
use domain::job::{Disposition, JobStatus};
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::workflow::execution::{ExecutionError, ExecutionStatus};

use super::executions::{commit, owned};
use super::fixture::{T0, after_secs, claim, commit_one, execution, inbox, lease, listed_executions, status};
use super::operations::keep_all;
use super::parking::{committed, park, take_up};
use crate::Store;
use crate::executions::{
    Appended, CommandStatus, ExecutionCommit, InboxEntry, NewExecution, OwnerNext, Parent,
};
use crate::jobs::{ClaimedJob, LeaseAnswer, Settlement};
use crate::operations::Retention;

const ALL: TenantScope = TenantScope::All;

/// A child of an execution.
pub fn child_of(parent: &NewExecution, node: &str) -> NewExecution {
    let depth = parent.parent.as_ref().map_or(1, |above| above.depth + 1);
    let node_id = NodeId::trusted(node);
    NewExecution { parent: Some(Parent { execution_id: parent.id, node_id, depth }), ..execution("w") }
}

/// A parked parent with these children, which wait to be taken up.
async fn parent_of(store: &dyn Store, nodes: &[&str]) -> (NewExecution, Vec<NewExecution>) {
    let (parent, owner) = owned(store).await;
    let children: Vec<NewExecution> = nodes.iter().map(|node| child_of(&parent, node)).collect();
    let step = ExecutionCommit { children: children.clone(), ..park(&parent, &owner, None) };
    assert!(committed(store, &step).await.parked);
    (parent, children)
}

/// Takes the next execution up and ends it.
async fn end(store: &dyn Store, child: &NewExecution, last: impl FnOnce(ExecutionCommit) -> ExecutionCommit) {
    let owner = take_up(store, T0).await.expect("the child is there");
    assert_eq!(owner.execution_id, Some(child.id));
    let step = ExecutionCommit {
        next: OwnerNext::Finish,
        ..commit(child.id, lease(&owner), ExecutionStatus::Completed)
    };
    let answer = committed(store, &last(step)).await;
    assert_eq!(answer.parent, child.parent.as_ref().map(|parent| parent.execution_id));
}

/// What a parent heard, and that it was taken up for it; it is parked again afterwards.
async fn heard(
    store: &dyn Store,
    parent: &NewExecution,
) -> Vec<(String, ExecutionId, Result<String, JobError>)> {
    let owners = store.claim(&claim(QueueName::Execution, 1, after_secs(1))).await.expect("claim works");
    assert_eq!(owners.first().map(|job| job.id), Some(parent.job.id), "the parent was taken up");
    let rows = inbox(store, parent.id).await.expect("read works");
    let inbox =
        rows.iter().map(|row| crate::executions::InboxResult { position: row.position, refused: None });
    let step = ExecutionCommit { inbox: inbox.collect(), ..park(parent, &owners[0], None) };
    assert!(committed(store, &step).await.parked);
    let entries = rows.into_iter().map(|row| match row.entry {
        InboxEntry::ChildSettled { node_id, child_id, result } => (node_id.to_string(), child_id, result),
        other => panic!("only children ended: {other:?}"),
    });
    entries.collect()
}

async fn append(store: &dyn Store, id: ExecutionId, entry: &InboxEntry) -> CommandStatus {
    match store
        .append_command(&ALL, id, super::fixture::id(), entry, after_secs(1))
        .await
        .expect("append works")
    {
        Appended::At(position) => {
            store.command(&ALL, position).await.expect("read works").expect("there").status
        }
        Appended::NotFound | Appended::Full => panic!("the execution is there"),
    }
}

async fn status_of(store: &dyn Store, id: ExecutionId) -> ExecutionStatus {
    store.execution(&ALL, id).await.expect("read works").expect("there").status
}

/// A step that is committed again creates its children once.
pub async fn i01_a_parent_creates_its_children_once(store: &dyn Store) {
    let (parent, owner) = owned(store).await;
    let children = vec![child_of(&parent, "a"), child_of(&parent, "items[17]")];
    let step = ExecutionCommit {
        children: children.clone(),
        ..commit(parent.id, lease(&owner), ExecutionStatus::Running)
    };
    assert_eq!(committed(store, &step).await.enqueued, [], "children are no jobs of nodes");
    committed(store, &step).await;
    let listed = listed_executions(store, &ALL, &format!("parent:{}", parent.id)).await;
    let ids: Vec<ExecutionId> = listed.iter().map(|item| item.id).collect();
    assert_eq!(ids, [children[1].id, children[0].id]);
    assert_eq!(listed[0].parent, children[1].parent);
    let record = store.execution(&ALL, parent.id).await.expect("read works").expect("there");
    assert_eq!(record.parent, None);
    assert_eq!(store.claim(&claim(QueueName::Execution, 10, T0)).await.expect("claim works").len(), 2);
}

/// A parked parent is taken up with its child's output, or why there is none.
pub async fn i08_a_childs_end_reaches_its_parent(store: &dyn Store) {
    let (parent, children) = parent_of(store, &["a", "b"]).await;
    end(store, &children[0], |step| ExecutionCommit { output: Some(r#"{"v":1}"#.into()), ..step }).await;
    let first = ("a".to_owned(), children[0].id, Ok(r#"{"v":1}"#.to_owned()));
    assert_eq!(heard(store, &parent).await, [first]);
    let error = ExecutionError { node: None, message: "no".into(), code: Some("declined".into()) };
    end(store, &children[1], |step| ExecutionCommit {
        status: ExecutionStatus::Failed,
        error: Some(error),
        ..step
    })
    .await;
    let second = ("b".to_owned(), children[1].id, Err(JobError::coded("declined", "no")));
    assert_eq!(heard(store, &parent).await, [second]);
}

/// So it does where the child never started, and where its owner was lost too often.
pub async fn i08_every_end_of_a_child_reaches_its_parent(store: &dyn Store) {
    let (parent, children) = parent_of(store, &["a", "b"]).await;
    let cancel = InboxEntry::Cancel { reason: None, compensate: false };
    assert_eq!(append(store, children[0].id, &cancel).await, CommandStatus::Applied);
    let entries = heard(store, &parent).await;
    let code = entries[0].2.as_ref().err().and_then(|error| error.code.clone());
    assert_eq!((entries.len(), entries[0].1, code.as_deref()), (1, children[0].id, Some("cancelled")));
    let owner = take_up(store, T0).await.expect("the second is there");
    let disposition = Disposition::Die {
        reason: domain::failure::DeadReason::WorkerLost,
        error: JobError::coded("worker_lost", "lost"),
    };
    let lost = Settlement { lease: lease(&owner), disposition };
    store.reap(&[lost], after_secs(31)).await.expect("reap works");
    let error = ExecutionError { node: None, message: "lost".into(), code: Some("worker_lost".into()) };
    assert!(store.fail_execution(children[1].id, &error, after_secs(31)).await.expect("works"));
    assert!(!store.fail_execution(children[1].id, &error, after_secs(31)).await.expect("works"));
    let entries = heard(store, &parent).await;
    assert_eq!(entries, [("b".to_owned(), children[1].id, Err(JobError::coded("worker_lost", "lost")))]);
}

/// An owner cancels its children: those without an owner at once, the others through their inboxes.
pub async fn a_parent_cancels_its_children(store: &dyn Store) {
    let (parent, owner) = owned(store).await;
    let children: Vec<NewExecution> = ["a", "b", "c"].iter().map(|node| child_of(&parent, node)).collect();
    let running = commit(parent.id, lease(&owner), ExecutionStatus::Running);
    committed(store, &ExecutionCommit { children: children[..2].to_vec(), ..running.clone() }).await;
    let owners = store.claim(&claim(QueueName::Execution, 2, T0)).await.expect("claim works");
    let started = commit(children[0].id, lease(&owners[0]), ExecutionStatus::Running);
    committed(store, &started).await;
    let done = ExecutionCommit {
        next: OwnerNext::Finish,
        ..commit(children[1].id, lease(&owners[1]), ExecutionStatus::Completed)
    };
    committed(store, &done).await;
    let grandchild = child_of(&children[0], "deep");
    committed(store, &ExecutionCommit { children: vec![grandchild.clone()], ..started.clone() }).await;
    committed(store, &ExecutionCommit { children: children[2..].to_vec(), ..running.clone() }).await;
    let stop = ExecutionCommit {
        cancel_children: children.iter().map(|child| child.id).collect(),
        ..running.clone()
    };
    let mut touched = committed(store, &stop).await.touched_children;
    touched.sort_unstable();
    assert_eq!(touched, [children[0].id, children[2].id], "one had ended");
    assert_eq!(status_of(store, children[2].id).await, ExecutionStatus::Cancelled);
    assert_eq!(status(store, children[2].job.id).await, JobStatus::Cancelled);
    let rows = inbox(store, children[0].id).await.expect("read works");
    assert!(matches!(rows[0].entry, InboxEntry::Cancel { compensate: false, .. }), "{rows:?}");
    assert_eq!(status_of(store, grandchild.id).await, ExecutionStatus::Pending, "that is the child's doing");
    let entries = inbox(store, parent.id).await.expect("read works");
    assert_eq!(entries.len(), 1, "only of the one that ended by itself: {entries:?}");
}

/// Children that are to undo what they did first do so themselves; of one that has not started its parent is notified
/// at once.
pub async fn children_are_asked_to_undo_what_they_did(store: &dyn Store) {
    let (parent, owner) = owned(store).await;
    let (started, fresh) = (child_of(&parent, "started"), child_of(&parent, "fresh"));
    let running = commit(parent.id, lease(&owner), ExecutionStatus::Running);
    committed(store, &ExecutionCommit { children: vec![started.clone()], ..running.clone() }).await;
    let child = take_up(store, T0).await.expect("the child is there");
    assert!(committed(store, &park(&started, &child, None)).await.parked);
    committed(store, &ExecutionCommit { children: vec![fresh.clone()], ..running.clone() }).await;
    let stop = ExecutionCommit {
        undo_children: vec![started.id, fresh.id],
        next: OwnerNext::Park { due_at: None },
        ..running.clone()
    };
    let answer = committed(store, &stop).await;
    assert!(!answer.parked, "it has the end of one of them in its inbox");
    assert_eq!(answer.touched_children, [started.id, fresh.id]);
    assert_eq!(status_of(store, fresh.id).await, ExecutionStatus::Cancelled);
    let rows = inbox(store, parent.id).await.expect("read works");
    assert!(
        matches!(&rows[..], [row] if matches!(&row.entry, InboxEntry::ChildSettled { child_id, .. } if *child_id == fresh.id)),
        "{rows:?}"
    );
    let rows = inbox(store, started.id).await.expect("read works");
    assert!(matches!(rows[0].entry, InboxEntry::Cancel { compensate: true, .. }), "{rows:?}");
    assert_eq!(status(store, started.job.id).await, JobStatus::Queued, "it is taken up for that");
}

/// A parent lets its failed child go on; of one that cannot it has the end in its inbox.
pub async fn a_failed_child_goes_on_with_its_parent(store: &dyn Store) {
    let (parent, children) = parent_of(store, &["failed", "gone"]).await;
    for (child, last) in children.iter().zip([ExecutionStatus::Failed, ExecutionStatus::Cancelled]) {
        end(store, child, |step| ExecutionCommit { status: last, ..step }).await;
        assert_eq!(heard(store, &parent).await.len(), 1);
    }
    let entry = InboxEntry::Signal { name: "go".into(), payload: "1".into() };
    append(store, parent.id, &entry).await;
    let owner = take_up(store, after_secs(2)).await.expect("it is taken up");
    let go_on = ExecutionCommit {
        retry_children: children
            .iter()
            .map(|child| (child.parent.as_ref().expect("a child").node_id.clone(), child.id))
            .collect(),
        ..commit(parent.id, lease(&owner), ExecutionStatus::Running)
    };
    assert_eq!(committed(store, &go_on).await.touched_children, [children[0].id]);
    assert_eq!(status_of(store, children[0].id).await, ExecutionStatus::Running);
    assert_eq!(status(store, children[0].job.id).await, JobStatus::Queued);
    let rows = inbox(store, children[0].id).await.expect("read works");
    assert!(matches!(rows[0].entry, InboxEntry::Retry), "{rows:?}");
    let rows = inbox(store, parent.id).await.expect("read works");
    let ends: Vec<ExecutionId> = rows
        .iter()
        .filter_map(|row| match &row.entry {
            InboxEntry::ChildSettled { child_id, result: Err(_), .. } => Some(*child_id),
            _ => None,
        })
        .collect();
    assert_eq!(ends, [children[1].id]);
}

/// An execution that fails without its owner takes what is below it along: what has not started ends at once, and the
/// others undo what they did.
pub async fn a_lost_parent_takes_its_children_along(store: &dyn Store) {
    let (parent, owner) = owned(store).await;
    let (a, b, c) = (child_of(&parent, "a"), child_of(&parent, "b"), child_of(&parent, "c"));
    let step = ExecutionCommit {
        children: vec![a.clone(), b.clone(), c.clone()],
        ..commit(parent.id, lease(&owner), ExecutionStatus::Running)
    };
    committed(store, &step).await;
    let owners = store.claim(&claim(QueueName::Execution, 2, T0)).await.expect("claim works");
    let below = child_of(&a, "below");
    let step = ExecutionCommit {
        children: vec![below.clone()],
        ..commit(a.id, lease(&owners[0]), ExecutionStatus::Running)
    };
    committed(store, &step).await;
    store.release(&[lease(&owners[0])], T0).await.expect("release works");
    let lost = ExecutionError { node: None, message: "lost".into(), code: Some("worker_lost".into()) };
    assert!(store.fail_execution(parent.id, &lost, after_secs(1)).await.expect("works"));
    assert_eq!(status_of(store, c.id).await, ExecutionStatus::Cancelled);
    let entries = inbox(store, parent.id).await.expect("read works");
    let cancelled = match entries.as_slice() {
        [row] => {
            matches!(&row.entry, InboxEntry::ChildSettled { child_id, result: Err(_), .. } if *child_id == c.id)
        }
        _ => false,
    };
    assert!(cancelled, "whoever retries the parent must not wait for it: {entries:?}");
    assert_eq!(status_of(store, below.id).await, ExecutionStatus::Pending, "that is its parent's doing");
    for child in [a.id, b.id] {
        assert!(!status_of(store, child).await.is_terminal(), "its owner reads of it");
        let rows = inbox(store, child).await.expect("read works");
        assert!(matches!(rows[0].entry, InboxEntry::Cancel { compensate: true, .. }), "{rows:?}");
    }
    let last = ExecutionCommit {
        next: OwnerNext::Finish,
        ..commit(b.id, lease(&owners[1]), ExecutionStatus::Cancelled)
    };
    committed(store, &last).await;
    let entries = inbox(store, parent.id).await.expect("read works");
    assert_eq!(entries.len(), 2, "whoever retries the parent goes on from there: {entries:?}");
}

/// A child is kept as long as its parent is under way, and goes when that has ended.
pub async fn a_child_is_kept_while_its_parent_is_under_way(store: &dyn Store) {
    let (parent, children) = parent_of(store, &["a"]).await;
    end(store, &children[0], |step| step).await;
    let old = Retention { executions_before: after_secs(100), ..keep_all() };
    assert_eq!(store.prune(&old, 10).await.expect("prune works"), 0);
    let owner: ClaimedJob = take_up(store, T0).await.expect("the child ended");
    let last = ExecutionCommit {
        next: OwnerNext::Finish,
        ..commit(parent.id, lease(&owner), ExecutionStatus::Completed)
    };
    let answer = commit_one(store, &last, T0).await.expect("commit works");
    assert!(matches!(answer, LeaseAnswer::Ok(_)));
    assert_eq!(store.prune(&old, 10).await.expect("prune works"), 2);
}
