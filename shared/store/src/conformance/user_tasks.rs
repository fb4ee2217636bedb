//! User tasks: opened, handed on and closed by commits, listed for people.

use domain::access::TenantScope;
use domain::names::NodeId;
use domain::search::{Order, Search, SearchList};
use domain::workflow::execution::{ExecutionStatus, UserTaskEnd, UserTaskStatus};
use serde_json::json;

use super::executions::{commit, owned};
use super::fixture::{T0, after_secs, lease, tenant, workflow};
use super::parking::committed;
use super::search::{found, search};
use crate::Store;
use crate::executions::{ExecutionCommit, NewExecution, OpenedTask, UserTaskChange};
use crate::jobs::ClaimedJob;
use crate::search::Counted;
use crate::user_tasks::{UserTaskRecord, UserTaskRef};

const ALL: TenantScope = TenantScope::All;

/// A task that is opened for one person.
pub(super) fn task(node: &str, round: u32) -> OpenedTask {
    OpenedTask {
        node: NodeId::trusted(node),
        round,
        assignee: Some("ann".into()),
        group: None,
        form: Some(json!({"type": "object"}).to_string()),
        input: Some(json!({"amount": 7}).to_string()),
        due_at: Some(after_secs(60)),
        opened_at: T0,
    }
}

async fn changed(store: &dyn Store, new: &NewExecution, owner: &ClaimedJob, changes: Vec<UserTaskChange>) {
    let step =
        ExecutionCommit { user_tasks: changes, ..commit(new.id, lease(owner), ExecutionStatus::Running) };
    committed(store, &step).await;
}

async fn latest(store: &dyn Store, new: &NewExecution, node: &str) -> UserTaskRecord {
    let found = store.user_task(&ALL, new.id, &NodeId::trusted(node)).await.expect("read works");
    found.expect("the task is there")
}

/// From its opening over its escalation to its end.
pub async fn a_user_task_is_opened_handed_on_and_closed(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    changed(store, &new, &owner, vec![UserTaskChange::Open(task("approve", 1))]).await;
    let again = OpenedTask { assignee: Some("bob".into()), ..task("approve", 1) };
    changed(store, &new, &owner, vec![UserTaskChange::Open(again)]).await;
    let open = latest(store, &new, "approve").await;
    let expected = UserTaskRecord {
        position: open.position,
        execution_id: new.id,
        node_id: NodeId::trusted("approve"),
        round: 1,
        tenant: tenant("a"),
        workflow: workflow("w"),
        status: UserTaskStatus::Open,
        assignee: Some("ann".into()),
        group: None,
        form: Some(r#"{"type":"object"}"#.into()),
        input: Some(r#"{"amount":7}"#.into()),
        opened_at: T0,
        due_at: Some(after_secs(60)),
        escalated_at: None,
        closed_at: None,
        completed_by: None,
        claimed_by: None,
        claimed_at: None,
    };
    assert_eq!(open, expected, "opening again changes nothing");
    let node_id = NodeId::trusted("approve");
    let group = Some("bosses".to_owned());
    let escalate = UserTaskChange::Escalate { node_id: node_id.clone(), round: 1, assignee: None, group };
    changed(store, &new, &owner, vec![escalate]).await;
    let handed_on = latest(store, &new, "approve").await;
    assert_eq!((handed_on.assignee, handed_on.group.as_deref()), (None, Some("bosses")));
    assert_eq!(handed_on.escalated_at, Some(T0));
    let end = UserTaskEnd::Completed { actor: "carol".into() };
    let close = UserTaskChange::Close { node_id: node_id.clone(), round: 1, end };
    let late = UserTaskChange::Close { node_id, round: 1, end: UserTaskEnd::TimedOut };
    changed(store, &new, &owner, vec![close]).await;
    changed(store, &new, &owner, vec![late]).await;
    let closed = latest(store, &new, "approve").await;
    assert_eq!((closed.status, closed.closed_at), (UserTaskStatus::Completed, Some(T0)));
    assert_eq!(closed.completed_by.as_deref(), Some("carol"));
    changed(store, &new, &owner, vec![UserTaskChange::Open(task("approve", 2))]).await;
    assert_eq!(latest(store, &new, "approve").await.round, 2, "a repeated node has another task");
}

/// One has a task at a time, until it is released, handed on or closed.
pub async fn a_user_task_is_claimed_by_one(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    changed(store, &new, &owner, vec![UserTaskChange::Open(task("approve", 1))]).await;
    let node_id = NodeId::trusted("approve");
    let place = UserTaskRef { execution_id: new.id, node_id: node_id.clone(), round: 1 };
    let claim = async |by: &str, at| store.claim_user_task(&place, by, &[], at).await.expect("answers");
    let release = async |by: Option<&str>| store.release_user_task(&place, by, &[]).await.expect("answers");
    let (ann, bob) = tokio::join!(claim("ann", T0), claim("bob", T0));
    assert!(ann != bob, "one of two has it");
    let (first, second) = if ann { ("ann", "bob") } else { ("bob", "ann") };
    assert!(claim(first, after_secs(9)).await, "whoever has it may ask again");
    let held = latest(store, &new, "approve").await;
    assert_eq!((held.claimed_by.as_deref(), held.claimed_at), (Some(first), Some(T0)));
    assert!(!release(Some(second)).await);
    assert!(release(Some(first)).await && claim(second, T0).await && release(None).await);
    assert!(claim(first, T0).await);
    let other = UserTaskRef { round: 2, ..place.clone() };
    assert!(!store.claim_user_task(&other, "ann", &[], T0).await.expect("answers"), "there is no such round");
    let escalate = UserTaskChange::Escalate {
        node_id: node_id.clone(),
        round: 1,
        assignee: Some("boss".into()),
        group: None,
    };
    changed(store, &new, &owner, vec![escalate]).await;
    assert_eq!(latest(store, &new, "approve").await.claimed_by, None, "it was handed on");
    let end = UserTaskEnd::Completed { actor: "boss".into() };
    changed(store, &new, &owner, vec![UserTaskChange::Close { node_id, round: 1, end }]).await;
    assert!(!claim("ann", T0).await && !release(None).await, "it is closed");
}

/// Where an escalation names nobody to take a task over, whoever has it keeps it.
pub async fn a_user_task_that_is_handed_to_nobody_stays_where_it_is(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    changed(store, &new, &owner, vec![UserTaskChange::Open(task("approve", 1))]).await;
    let node_id = NodeId::trusted("approve");
    let escalate = UserTaskChange::Escalate { node_id, round: 1, assignee: None, group: None };
    changed(store, &new, &owner, vec![escalate]).await;
    let kept = latest(store, &new, "approve").await;
    assert_eq!((kept.assignee.as_deref(), kept.group), (Some("ann"), None));
    assert_eq!(kept.escalated_at, Some(T0));
}

/// User tasks are found by each filter, in each order, by pages.
pub async fn user_tasks_are_found_by_each_filter(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let group = OpenedTask { assignee: None, group: Some("team".into()), due_at: None, ..task("b", 1) };
    let later = OpenedTask { due_at: Some(after_secs(90)), ..task("a", 1) };
    let opened = [later, group, task("c", 1)].map(UserTaskChange::Open);
    changed(store, &new, &owner, opened.to_vec()).await;
    let end = UserTaskEnd::TimedOut;
    let close = UserTaskChange::Close { node_id: NodeId::trusted("c"), round: 1, end };
    changed(store, &new, &owner, vec![close]).await;
    let nodes = async |search: &Search| -> Vec<String> {
        let ids = found(store, &ALL, search).await;
        let counted = store.count_found(&ALL, search, 10).await.expect("counting works");
        assert_eq!(counted, Counted::exactly(ids.len() as u64), "{:?}", search.terms);
        let tasks = store.user_tasks_of(&ALL, &ids).await.expect("they can be read");
        tasks.into_iter().map(|task| task.node_id.to_string()).collect()
    };
    for (query, expected) in [
        ("", vec!["c", "b", "a"]),
        ("status:open", vec!["b", "a"]),
        ("status:timed_out,completed", vec!["c"]),
        ("-status:open", vec!["c"]),
        ("assignee:ann", vec!["c", "a"]),
        ("status:open assignee:ann,bob", vec!["a"]),
        ("group:team", vec!["b"]),
        ("-group:*", vec!["c", "a"]),
        ("tenant:b", vec![]),
        ("workflow:w", vec!["c", "b", "a"]),
        ("workflow:v", vec![]),
        (format!("execution:{}", new.id).as_str(), vec!["c", "b", "a"]),
        ("due:<now", vec![]),
        ("due:now..now+60s", vec!["c"]),
        ("due:*", vec!["c", "a"]),
        ("closed:*", vec!["c"]),
        ("opened:>now", vec![]),
    ] {
        assert_eq!(nodes(&search(SearchList::UserTasks, query)).await, expected, "{query}");
    }
    let ordered =
        |sort: &str, order| Search { sort: sort.to_owned(), order, ..search(SearchList::UserTasks, "") };
    assert_eq!(nodes(&ordered("opened", Order::Asc)).await, ["a", "b", "c"]);
    assert_eq!(nodes(&ordered("due", Order::Asc)).await, ["c", "a"], "what is never due is not listed");
    assert_eq!(nodes(&ordered("closed", Order::Desc)).await, ["c"]);
}

/// A list has small inputs and leaves large ones where they are; a task by itself has its input, whatever its size.
pub async fn a_list_of_user_tasks_leaves_large_inputs_out(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let of = |node, bytes: usize| OpenedTask {
        input: Some(json!("x".repeat(bytes)).to_string()),
        ..task(node, 1)
    };
    let opened = [of("small", 4_000), of("large", 100_000)].map(UserTaskChange::Open);
    changed(store, &new, &owner, opened.to_vec()).await;
    let ids = found(store, &ALL, &search(SearchList::UserTasks, "")).await;
    let listed = store.user_tasks_of(&ALL, &ids).await.expect("they can be read");
    let inputs = listed.iter().map(|task| (task.node_id.as_str(), task.input.as_ref().map(String::len)));
    assert_eq!(inputs.collect::<Vec<_>>(), [("large", None), ("small", Some(4_002))]);
    assert_eq!(latest(store, &new, "large").await.input.map(|input| input.len()), Some(100_002));
}

/// Tasks of other tenants are not seen.
pub async fn i13_user_tasks_stay_within_the_tenant(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    changed(store, &new, &owner, vec![UserTaskChange::Open(task("a", 1))]).await;
    let other = TenantScope::One(tenant("b"));
    let all = search(SearchList::UserTasks, "");
    let ids = found(store, &ALL, &all).await;
    assert_eq!((ids.len(), found(store, &other, &all).await.len()), (1, 0));
    assert_eq!(store.user_tasks_of(&other, &ids).await.expect("read works"), []);
    assert_eq!(store.user_task(&other, new.id, &NodeId::trusted("a")).await.expect("read works"), None);
    let own = TenantScope::One(tenant("a"));
    assert!(store.user_task(&own, new.id, &NodeId::trusted("a")).await.expect("read works").is_some());
}
