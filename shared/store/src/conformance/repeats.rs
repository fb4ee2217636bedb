//! What is done again because its answer was lost: a step that rests on an old state, and a command.

use domain::access::TenantScope;
use domain::workflow::execution::ExecutionStatus;

use super::commits::many;
use super::executions::{commit, owned};
use super::fixture::{T0, after_secs, commit_one, execution, id, inbox, lease, load_one, tenant, version};
use crate::executions::{
    Appended, CommandStatus, ExecutionCommit, InboxEntry, InboxResult, LoadedExecution, NewExecution,
    OwnerNext,
};
use crate::jobs::{ClaimedJob, LeaseAnswer};
use crate::{Store, StoreError};

const ALL: TenantScope = TenantScope::All;

async fn loaded(store: &dyn Store, new: &NewExecution, owner: &ClaimedJob) -> LoadedExecution {
    match load_one(store, new.id, lease(owner)).await.expect("load works") {
        LeaseAnswer::Ok(loaded) => loaded,
        other => panic!("the lease holds: {other:?}"),
    }
}

/// Each commit counts one step, and one that was made from another state than the last is refused as a whole, whatever it
/// does next.
pub async fn i01_a_step_from_an_old_state_is_refused(store: &dyn Store) {
    let all = many(store, 2).await;
    let (new, owner) = &all[0];
    let step = |number: i64, state: u8, next: OwnerNext| {
        let is_end = next == OwnerNext::Finish;
        let status = if is_end { ExecutionStatus::Completed } else { ExecutionStatus::Running };
        ExecutionCommit { step: number, state: vec![state], next, ..commit(new.id, lease(owner), status) }
    };
    let commit_it =
        async |step: &ExecutionCommit| store.commit_executions(std::slice::from_ref(step), T0).await;
    let first = commit_it(&step(0, 1, OwnerNext::Keep)).await.expect("commit works");
    assert!(matches!(first[0], LeaseAnswer::Ok(_)), "{first:?}");
    for next in [OwnerNext::Keep, OwnerNext::Park { due_at: None }, OwnerNext::Finish] {
        for number in [0, 2] {
            let stale = step(number, 9, next.clone());
            let refused = commit_it(&stale).await;
            assert!(matches!(refused, Err(StoreError::Outdated { .. })), "{refused:?} of {stale:?}");
            let neighbor =
                ExecutionCommit { next: next.clone(), ..commit(all[1].0.id, lease(&all[1].1), stale.status) };
            let refused = store.commit_executions(&[neighbor, stale.clone()], T0).await;
            assert!(matches!(refused, Err(StoreError::Outdated { .. })), "{refused:?} beside {stale:?}");
        }
    }
    let now = loaded(store, new, owner).await;
    assert_eq!((now.state, now.step), (Some(vec![1]), 1));
    assert_eq!(loaded(store, &all[1].0, &all[1].1).await.step, 0, "nothing of its neighbor was written");
    let next = commit_it(&step(1, 2, OwnerNext::Keep)).await.expect("commit works");
    assert!(matches!(next[0], LeaseAnswer::Ok(_)), "{next:?}");
    assert_eq!(loaded(store, new, owner).await.step, 2);
    let last = step(2, 3, OwnerNext::Finish);
    assert!(matches!(commit_it(&last).await.expect("commit works")[0], LeaseAnswer::Ok(_)));
    assert_eq!(
        commit_it(&last).await.expect("commit works"),
        [LeaseAnswer::AlreadyDone],
        "its answer was lost"
    );
}

/// A command has one place, however often it is sent, and also when it was applied long ago.
pub async fn i01_a_command_that_is_sent_again_is_there_once(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let signal = InboxEntry::Signal { name: "go".into(), payload: "1".into() };
    let command = id();
    let send = async |command| match store.append_command(&ALL, new.id, command, &signal, after_secs(1)).await
    {
        Ok(Appended::At(position)) => position,
        other => panic!("the execution is there: {other:?}"),
    };
    let first = send(command).await;
    assert_eq!(send(command).await, first);
    let other = send(id()).await;
    assert_ne!(other, first, "the same content is no repeat");
    assert_eq!(inbox(store, new.id).await.expect("read works").len(), 2);
    assert_eq!(store.command_position(&ALL, command).await.expect("read works"), Some(first));
    let foreign = TenantScope::One(tenant("m"));
    assert_eq!(store.command_position(&foreign, command).await.expect("read works"), None);
    assert_eq!(store.command_position(&ALL, id()).await.expect("read works"), None);
    let last = ExecutionCommit {
        inbox: vec![InboxResult { position: first, refused: None }],
        next: OwnerNext::Finish,
        ..commit(new.id, lease(&owner), ExecutionStatus::Completed)
    };
    commit_one(store, &last, after_secs(2)).await.expect("commit works");
    assert_eq!(send(command).await, first);
    let record = store.command(&ALL, first).await.expect("read works").expect("there");
    assert_eq!(record.status, CommandStatus::Applied);
}

/// A cancel that was applied at once is not refused when it is sent again.
pub async fn i01_a_cancel_that_is_sent_again_is_the_same(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let new = execution("w");
    store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
    let (cancel, command) = (InboxEntry::Cancel { reason: None, compensate: false }, id());
    let first = store.append_command(&ALL, new.id, command, &cancel, T0).await.expect("append works");
    let again = store.append_command(&ALL, new.id, command, &cancel, T0).await.expect("append works");
    assert_eq!(first, again);
    let Appended::At(position) = first else { panic!("the execution is there") };
    let record = store.command(&ALL, position).await.expect("read works").expect("there");
    assert_eq!(record.status, CommandStatus::Applied);
}
