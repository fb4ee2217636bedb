//! Executions with unique keys.

use domain::id::ExecutionId;
use domain::names::{CallerKey, TenantName, WorkflowName};
use domain::queue::{QueueName, WorkflowRef};
use domain::workflow::execution::{ExecutionError, ExecutionStatus};
use domain::workflow::unique::UniquePolicy;

use super::executions::commit;
use super::fixture::{
    T0, after_secs, claim, commit_one, execution, id, inbox, lease, listed_executions, tenant, version,
    workflow,
};
use super::webhook_fixture::ALL;
use crate::Store;
use crate::executions::{
    Appended, CommandStatus, ExecutionCommit, InboxEntry, NewExecution, OwnerNext, UniqueKey, UniqueStart,
    UniqueStarted,
};
use crate::jobs::{ClaimedJob, LeaseAnswer};

fn key() -> CallerKey {
    CallerKey::trusted("order-7")
}

fn unique() -> UniqueKey {
    UniqueKey { tenant: tenant("a"), workflow: workflow("w"), key: key() }
}

fn of(policy: UniquePolicy) -> UniqueStart {
    UniqueStart { execution: execution("w"), key: key(), policy, signal: None, is_over_quota: false }
}

async fn start(store: &dyn Store, start: &UniqueStart) -> UniqueStarted {
    store.start_unique(start, T0).await.expect("start works")
}

/// Starts one that is not there yet; answers the execution and whether it waits.
async fn started(store: &dyn Store, policy: UniquePolicy) -> (NewExecution, bool) {
    let new = of(policy);
    match start(store, &new).await {
        UniqueStarted::Started { job, is_held, .. } => {
            assert!(!job.existing);
            (new.execution, is_held)
        }
        other => panic!("it is started: {other:?}"),
    }
}

async fn take(store: &dyn Store) -> Option<ClaimedJob> {
    let claim = claim(QueueName::Execution, 1, after_secs(1));
    store.claim(&claim).await.expect("claim works").into_iter().next()
}

async fn end(store: &dyn Store, owner: &ClaimedJob) {
    let id = owner.execution_id.expect("it is an execution's");
    let step =
        ExecutionCommit { next: OwnerNext::Finish, ..commit(id, lease(owner), ExecutionStatus::Completed) };
    let ended = commit_one(store, &step, after_secs(1)).await.expect("commit works");
    assert!(matches!(ended, LeaseAnswer::Ok(_)), "{ended:?}");
}

async fn admit(store: &dyn Store) -> bool {
    store.admit_unique(&unique(), after_secs(1)).await.expect("works")
}

async fn status_of(store: &dyn Store, id: ExecutionId) -> ExecutionStatus {
    store.execution(&ALL, id).await.expect("read works").expect("there").status
}

/// While one is open, others join it or are refused; when it has ended, the next starts.
pub async fn i07_one_execution_with_a_unique_key_is_open(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let first = of(UniquePolicy::Join);
    assert!(matches!(start(store, &first).await, UniqueStarted::Started { is_held: false, .. }));
    let again = start(store, &first).await;
    assert!(
        matches!(again, UniqueStarted::Started { job, .. } if job.existing),
        "a repeat is the same start"
    );
    let joined = start(store, &of(UniquePolicy::Join)).await;
    assert!(matches!(joined, UniqueStarted::Joined { id, .. } if id == first.execution.id), "{joined:?}");
    assert_eq!(start(store, &of(UniquePolicy::Reject)).await, UniqueStarted::Exists(first.execution.id));
    let record = store.execution(&ALL, first.execution.id).await.expect("read works").expect("there");
    assert_eq!(record.unique_key, Some(key()));
    for (asked, expected) in [(key(), 1), (CallerKey::trusted("other"), 0)] {
        let listed = listed_executions(store, &ALL, &format!("uniqueKey:{asked}")).await;
        assert_eq!(listed.len(), expected);
    }
    end(store, &take(store).await.expect("it is there")).await;
    assert!(!started(store, UniquePolicy::Reject).await.1, "it has ended");
}

/// Keys are those of a tenant and a workflow.
pub async fn i13_unique_keys_of_executions_stay_within_the_tenant(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    started(store, UniquePolicy::Reject).await;
    let mut others = [of(UniquePolicy::Reject), of(UniquePolicy::Reject), of(UniquePolicy::Reject)];
    others[0].execution.job.tenant = TenantName::trusted("b");
    let another = WorkflowRef { owner: None, name: WorkflowName::trusted("v") };
    others[1].execution.workflow = another.clone();
    others[1].execution.job.workflow = Some(another);
    others[2].key = CallerKey::trusted("order-8");
    for other in &others {
        assert!(
            matches!(start(store, other).await, UniqueStarted::Started { is_held: false, .. }),
            "{other:?}"
        );
    }
}

/// Those that queue start one after the other, in their order; one that is cancelled is passed over.
pub async fn i04_executions_queue_behind_their_unique_key(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let (first, is_held) = started(store, UniquePolicy::Queue).await;
    assert!(!is_held);
    let mut waiting = Vec::new();
    for _ in 0..3 {
        let (next, is_held) = started(store, UniquePolicy::Queue).await;
        assert!(is_held);
        waiting.push(next.id);
    }
    let owner = take(store).await.expect("the first is there");
    assert_eq!(owner.execution_id, Some(first.id));
    assert!(take(store).await.is_none() && !admit(store).await, "the others wait");
    assert!(store.unique_keys_left(9).await.expect("read works").is_empty());
    let cancel = InboxEntry::Cancel { reason: None, compensate: false };
    store.append_command(&ALL, waiting[0], id(), &cancel, T0).await.expect("append works");
    assert_eq!(status_of(store, waiting[0]).await, ExecutionStatus::Cancelled);
    end(store, &owner).await;
    assert_eq!(store.unique_keys_left(9).await.expect("read works"), [unique()], "upkeep finds it");
    for expected in &waiting[1..] {
        assert!(admit(store).await && !admit(store).await, "one at a time");
        let owner = take(store).await.expect("the next is there");
        assert_eq!(owner.execution_id, Some(*expected));
        assert!(take(store).await.is_none());
        end(store, &owner).await;
    }
    assert!(!admit(store).await);
}

/// One that failed does not run again beside another one with its key, and those that wait for the key wait for it, too.
pub async fn i07_a_retry_does_not_run_beside_another_with_its_key(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let (first, _) = started(store, UniquePolicy::Queue).await;
    let (second, _) = started(store, UniquePolicy::Queue).await;
    let (third, is_held) = started(store, UniquePolicy::Queue).await;
    assert!(is_held);
    let owner = take(store).await.expect("the first is there");
    let failed = ExecutionCommit {
        error: Some(ExecutionError { node: None, message: "x".into(), code: None }),
        next: OwnerNext::Finish,
        ..commit(first.id, lease(&owner), ExecutionStatus::Failed)
    };
    commit_one(store, &failed, after_secs(1)).await.expect("commit works");
    assert!(admit(store).await);
    let owner = take(store).await.expect("the second is there");
    assert_eq!(owner.execution_id, Some(second.id));
    let retry = async || {
        let retried = store.append_command(&ALL, first.id, id(), &InboxEntry::Retry, after_secs(1)).await;
        let Ok(Appended::At(position)) = retried else { panic!("it is there: {retried:?}") };
        store.command(&ALL, position).await.expect("read works").expect("there").status
    };
    assert!(matches!(retry().await, CommandStatus::Refused(_)), "the second is under way");
    assert_eq!(status_of(store, first.id).await, ExecutionStatus::Failed);
    end(store, &owner).await;
    assert_eq!(retry().await, CommandStatus::Pending, "those that wait are not under way");
    assert!(!admit(store).await && store.unique_keys_left(9).await.expect("read works").is_empty());
    let joined = start(store, &of(UniquePolicy::Join)).await;
    assert!(matches!(joined, UniqueStarted::Joined { id, .. } if id == first.id), "{joined:?}");
    let owner = take(store).await.expect("the first is there again");
    assert_eq!(owner.execution_id, Some(first.id));
    assert!(take(store).await.is_none(), "the third waits for it");
    end(store, &owner).await;
    assert!(admit(store).await);
    assert_eq!(take(store).await.and_then(|job| job.execution_id), Some(third.id));
}

/// A start that replaces cancels what is open: at once where nobody works on it, otherwise it waits for its end.
pub async fn an_execution_replaces_the_one_with_its_unique_key(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let (first, _) = started(store, UniquePolicy::Join).await;
    let second = of(UniquePolicy::Replace);
    let answer = start(store, &second).await;
    let UniqueStarted::Started { is_held, replaces, .. } = answer else {
        panic!("it is started: {answer:?}")
    };
    assert_eq!((is_held, replaces), (false, vec![first.id]));
    assert_eq!(status_of(store, first.id).await, ExecutionStatus::Cancelled);
    let owner = take(store).await.expect("the second is there");
    assert_eq!(owner.execution_id, Some(second.execution.id));
    let (third, is_held) = started(store, UniquePolicy::Replace).await;
    assert!(is_held && take(store).await.is_none(), "the second is still under way");
    let rows = inbox(store, second.execution.id).await.expect("read works");
    assert!(matches!(rows[0].entry, InboxEntry::Cancel { compensate: false, .. }), "{rows:?}");
    end(store, &owner).await;
    assert!(admit(store).await);
    assert_eq!(take(store).await.and_then(|job| job.execution_id), Some(third.id));
}

/// A tenant that may have no more executions is answered by what is open, and gets no new one.
pub async fn a_start_beyond_the_quota_is_answered_by_what_is_open(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let beyond = |policy| UniqueStart { is_over_quota: true, ..of(policy) };
    for policy in UniquePolicy::ALL {
        assert_eq!(start(store, &beyond(policy)).await, UniqueStarted::OverQuota, "{policy:?}: none is open");
    }
    assert!(take(store).await.is_none(), "none was created");
    let first = of(UniquePolicy::Join);
    start(store, &first).await;
    let again = start(store, &UniqueStart { is_over_quota: true, ..first.clone() }).await;
    assert!(matches!(again, UniqueStarted::Started { job, .. } if job.existing), "it is there already");
    let signal = InboxEntry::Signal { name: "go".into(), payload: "1".into() };
    for signal in [None, Some((id(), signal))] {
        let joins = UniqueStart { signal, ..beyond(UniquePolicy::Join) };
        let joined = start(store, &joins).await;
        assert!(matches!(joined, UniqueStarted::Joined { id, .. } if id == first.execution.id), "{joined:?}");
    }
    assert_eq!(inbox(store, first.execution.id).await.expect("read works").len(), 1, "it got the signal");
    let rejected = start(store, &beyond(UniquePolicy::Reject)).await;
    assert_eq!(rejected, UniqueStarted::Exists(first.execution.id));
    for policy in [UniquePolicy::Replace, UniquePolicy::Queue] {
        assert_eq!(
            start(store, &beyond(policy)).await,
            UniqueStarted::OverQuota,
            "{policy:?} starts another"
        );
    }
    assert!(!status_of(store, first.execution.id).await.is_terminal(), "nothing replaced it");
}

/// A signal that comes with a start goes to the open execution, or else to the new one.
pub async fn i08_a_signal_comes_with_its_start(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let signal = |name: &str| InboxEntry::Signal { name: name.into(), payload: "1".into() };
    let with = |name: &str| UniqueStart { signal: Some((id(), signal(name))), ..of(UniquePolicy::Join) };
    let first = with("one");
    let answer = start(store, &first).await;
    let UniqueStarted::Started { command_position: Some(one), .. } = answer else {
        panic!("it is started with the signal: {answer:?}")
    };
    let again = start(store, &first).await;
    assert!(
        matches!(&again, UniqueStarted::Started { job, command_position, .. } if job.existing && *command_position == Some(one)),
        "{again:?}"
    );
    let second = with("two");
    let joined = start(store, &second).await;
    let UniqueStarted::Joined { id: open, command_position: Some(position), .. } = joined else {
        panic!("it is joined: {joined:?}")
    };
    assert_eq!(open, first.execution.id);
    let repeated = start(store, &second).await;
    assert!(
        matches!(repeated, UniqueStarted::Joined { command_position, .. } if command_position == Some(position)),
        "a repeated signal is one: {repeated:?}"
    );
    let rows = inbox(store, open).await.expect("read works");
    let entries: Vec<InboxEntry> = rows.into_iter().map(|row| row.entry).collect();
    assert_eq!(entries, [signal("one"), signal("two")]);
    end(store, &take(store).await.expect("it is there")).await;
    let late = start(store, &second).await;
    assert!(
        matches!(late, UniqueStarted::Joined { id, command_position, .. } if id == open && command_position == Some(position)),
        "a repeat is answered as the first call though the execution has ended: {late:?}"
    );
    assert!(take(store).await.is_none(), "and starts nothing");
}
