//! Executions: one owner, one commit a step.

use domain::access::TenantScope;
use domain::failure::{DeadReason, JobError};
use domain::id::ExecutionId;
use domain::job::{Disposition, JobStatus};
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::workflow::execution::{ExecutionStatus, NodeRecord, NodeStatus};

use super::fixture::{
    T0, after_secs, claim, claim_nodes, commit_one, complete, execution, id, inbox, job, lease,
    listed_executions, load_one, status, tenant, token, version, workflow,
};
use crate::Store;
use crate::executions::{
    EventLine, ExecutionCommit, InboxEntry, InboxResult, NewExecution, OwnerNext, SettledNode,
};
use crate::jobs::{ClaimedJob, LeaseAnswer, LeaseRef, NewJob, Settlement};

const ALL: TenantScope = TenantScope::All;

/// Registers `w`, creates one execution of it and claims its job.
pub(super) async fn owned(store: &dyn Store) -> (NewExecution, ClaimedJob) {
    store.register_workflow(&version("w")).await.expect("register works");
    let new = execution("w");
    store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
    let claimed = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works");
    assert_eq!(claimed[0].execution_id, Some(new.id));
    (new, claimed[0].clone())
}

/// A commit that changes the status only.
pub fn commit(id: ExecutionId, lease: LeaseRef, status: ExecutionStatus) -> ExecutionCommit {
    ExecutionCommit {
        id,
        tenant: tenant("a"),
        lease,
        step: 0,
        status,
        state: vec![1, 2, 3],
        started_at: Some(T0),
        records: Vec::new(),
        events: Vec::new(),
        enqueue: Vec::new(),
        cancel: Vec::new(),
        children: Vec::new(),
        cancel_children: Vec::new(),
        undo_children: Vec::new(),
        retry_children: Vec::new(),
        releases_held: false,
        event_waits: Vec::new(),
        user_tasks: Vec::new(),
        inbox: Vec::new(),
        completed: Vec::new(),
        output: None,
        error: None,
        next: OwnerNext::Keep,
        attributes: Vec::new(),
        is_child: false,
    }
}

/// The job of a node.
pub(super) fn node_job(execution: &NewExecution, node: &str) -> NewJob {
    NewJob {
        workflow: Some(workflow("w")),
        execution_id: Some(execution.id),
        node_id: Some(NodeId::trusted(node)),
        ..job()
    }
}

fn record(node: &str, output: &str) -> SettledNode {
    NodeRecord {
        node: NodeId::trusted(node),
        round: 1,
        status: NodeStatus::Completed,
        input: None,
        output: Some(serde_json::from_str(output).expect("test data is JSON")),
        error: None,
        attempts: 1,
        started_at: Some(T0),
        finished_at: T0,
    }
    .into()
}

async fn committed(store: &dyn Store, commit: &ExecutionCommit) {
    let answer = commit_one(store, commit, T0).await.expect("commit works");
    assert!(matches!(answer, LeaseAnswer::Ok(_)), "{answer:?}");
}

/// Creating again changes nothing and answers the same job.
pub async fn i01_an_execution_is_created_once(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let new = execution("w");
    let first = store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
    let again =
        store.create_executions(std::slice::from_ref(&new), after_secs(1)).await.expect("create works");
    assert_eq!((first[0].id, first[0].existing), (new.job.id, false));
    assert_eq!((again[0].id, again[0].position, again[0].existing), (new.job.id, first[0].position, true));
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!(
        (record.status, record.input.as_str(), record.job_id),
        (ExecutionStatus::Pending, r#"{"x":1}"#, new.job.id)
    );
    assert_eq!((record.version, record.trigger.kind.as_str(), record.created_at), (1, "user", T0));
    assert_eq!(store.claim(&claim(QueueName::Execution, 10, T0)).await.expect("claim works").len(), 1);
}

/// A whole step is one commit: results, state, jobs; and the next owner finds all of it.
pub async fn a_step_is_one_commit(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let loaded = match load_one(store, new.id, lease(&owner)).await.expect("load works") {
        LeaseAnswer::Ok(loaded) => loaded,
        other => panic!("the owner can load: {other:?}"),
    };
    assert_eq!((loaded.state, loaded.outputs.len()), (None, 0));
    assert_eq!(loaded.definition, version("w").content);
    let step = ExecutionCommit {
        records: vec![record("a", r#"{"v":1}"#), record("b", "[2]")],
        events: vec![EventLine {
            kind: "node_completed".into(),
            node_id: Some(NodeId::trusted("a")),
            detail: None,
            at: T0,
        }],
        enqueue: vec![node_job(&new, "c")],
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    committed(store, &step).await;
    committed(store, &step).await;
    let nodes = claim_nodes(store, 10, T0).await;
    assert_eq!(nodes.len(), 1, "a step that is repeated enqueues nothing new");
    assert_eq!((nodes[0].execution_id, nodes[0].node_id.clone()), (Some(new.id), Some(NodeId::trusted("c"))));
    let loaded = match load_one(store, new.id, lease(&owner)).await.expect("load works") {
        LeaseAnswer::Ok(loaded) => loaded,
        other => panic!("the owner can load: {other:?}"),
    };
    assert_eq!((loaded.record.status, loaded.state), (ExecutionStatus::Running, Some(vec![1, 2, 3])));
    let mut outputs = loaded.outputs;
    outputs.sort();
    assert_eq!(
        outputs,
        [(NodeId::trusted("a"), r#"{"v":1}"#.to_owned()), (NodeId::trusted("b"), "[2]".to_owned())]
    );
    let events = store.execution_events(&ALL, new.id, 0, 100).await.expect("read works").expect("there");
    assert!(events.iter().any(|event| event.line.kind == "node_completed"));
}

/// Nobody but the holder of the lease loads or commits.
pub async fn i02_only_the_owner_commits(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let stale = LeaseRef { token: token(), ..lease(&owner) };
    assert_eq!(load_one(store, new.id, stale).await.expect("answers"), LeaseAnswer::LeaseLost);
    let step = ExecutionCommit {
        records: vec![record("a", "1")],
        enqueue: vec![node_job(&new, "c")],
        next: OwnerNext::Finish,
        ..commit(new.id, stale, ExecutionStatus::Completed)
    };
    assert_eq!(commit_one(store, &step, T0).await.expect("answers"), LeaseAnswer::LeaseLost);
    assert!(claim_nodes(store, 10, T0).await.is_empty(), "nothing was written");
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!(record.status, ExecutionStatus::Pending);
}

/// A node's end arrives in the inbox, in order, and leaves it when it was applied.
pub async fn i08_results_arrive_in_the_inbox(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let step = ExecutionCommit {
        enqueue: vec![node_job(&new, "c"), node_job(&new, "d")],
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    committed(store, &step).await;
    let nodes = claim_nodes(store, 10, T0).await;
    complete(store, &nodes[0], T0).await;
    let error = JobError::coded("bad", "no use");
    let died = Disposition::Die { reason: DeadReason::NonRetryable, error: error.clone() };
    store
        .settle(&[Settlement { lease: lease(&nodes[1]), disposition: died }], T0)
        .await
        .expect("settle works");
    let rows = inbox(store, new.id).await.expect("read works");
    let entries: Vec<_> = rows
        .iter()
        .map(|row| match &row.entry {
            InboxEntry::NodeSettled { node_id, job_id, result, attempts, .. } => {
                (node_id.as_str().to_owned(), *job_id, result.clone(), *attempts)
            }
            other => panic!("expected a node's end, got {other:?}"),
        })
        .collect();
    let expected = [
        ("c".to_owned(), nodes[0].id, Ok(r#"{"ok":true}"#.to_owned()), 1),
        ("d".to_owned(), nodes[1].id, Err(error), 1),
    ];
    assert_eq!(entries, expected);
    let applied = ExecutionCommit {
        inbox: rows.iter().map(|row| InboxResult { position: row.position, refused: None }).collect(),
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    committed(store, &applied).await;
    assert!(inbox(store, new.id).await.expect("read works").is_empty());
}

/// The end of an execution settles its job, frees its slot, and cannot be committed over.
pub async fn an_ended_execution_is_final(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let running = node_job(&new, "c");
    let step = ExecutionCommit {
        enqueue: vec![running.clone()],
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    committed(store, &step).await;
    let last = ExecutionCommit {
        cancel: vec![running.id],
        output: Some(r#"{"done":1}"#.into()),
        next: OwnerNext::Finish,
        ..commit(new.id, lease(&owner), ExecutionStatus::Completed)
    };
    committed(store, &last).await;
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!(
        (record.status, record.output.as_deref()),
        (ExecutionStatus::Completed, Some(r#"{"done":1}"#))
    );
    assert_eq!((record.started_at, record.completed_at), (Some(T0), Some(T0)));
    assert_eq!(status(store, new.job.id).await, JobStatus::Completed);
    assert_eq!(status(store, running.id).await, JobStatus::Cancelled);
    assert!(
        inbox(store, new.id).await.expect("read works").is_empty(),
        "the owner's own cancels are no entries"
    );
    let again = commit_one(store, &last, after_secs(1)).await.expect("answers");
    assert_eq!(again, LeaseAnswer::AlreadyDone);
}

/// A commit is progress: crashes before it do not count any more.
pub async fn a_commit_resets_the_crashes(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let lost = Disposition::RetryAt { at: after_secs(31), error: JobError::coded("worker_lost", "lost") };
    store
        .reap(&[Settlement { lease: lease(&owner), disposition: lost }], after_secs(31))
        .await
        .expect("reap works");
    let second = store.claim(&claim(QueueName::Execution, 1, after_secs(31))).await.expect("claim works");
    assert_eq!(second[0].facts.crashes, 1);
    committed(store, &commit(new.id, lease(&second[0]), ExecutionStatus::Running)).await;
    let leased = store.leased_jobs(&[lease(&second[0])]).await.expect("read works");
    assert_eq!(leased[0].as_ref().map(|job| job.facts.crashes), Some(0));
}

/// What was recorded under the lease is read by the next owner, and a commit after a lost owner ends it.
pub async fn lost_evaluations_are_on_record_until_a_commit(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    assert!(store.record_evaluations_lost(new.id, lease(&owner), 1).await.expect("write works"));
    let lost = Disposition::RetryAt { at: after_secs(31), error: JobError::coded("worker_lost", "lost") };
    let lost = Settlement { lease: lease(&owner), disposition: lost };
    store.reap(&[lost], after_secs(31)).await.expect("reap works");
    assert!(!store.record_evaluations_lost(new.id, lease(&owner), 7).await.expect("answers"), "no lease");
    let second = store.claim(&claim(QueueName::Execution, 1, after_secs(31))).await.expect("claim works");
    let evaluations_lost = || async {
        match load_one(store, new.id, lease(&second[0])).await.expect("load works") {
            LeaseAnswer::Ok(loaded) => loaded.evaluations_lost,
            other => panic!("the lease holds: {other:?}"),
        }
    };
    assert_eq!(evaluations_lost().await, 1);
    committed(store, &commit(new.id, lease(&second[0]), ExecutionStatus::Running)).await;
    assert_eq!(evaluations_lost().await, 0);
}

/// However large the outputs of an execution are together, showing it takes a bounded amount of memory.
pub async fn the_detail_shows_outputs_up_to_a_size(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let large = format!("\"{}\"", "x".repeat(1024 * 1024 - 2));
    let records = (0..34).map(|node| record(&format!("n{node:02}"), &large)).collect();
    let step = ExecutionCommit { records, ..commit(new.id, lease(&owner), ExecutionStatus::Running) };
    committed(store, &step).await;
    let detail = store.execution_detail(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!(detail.nodes.len(), 34);
    assert_eq!(detail.nodes.iter().filter(|node| node.output.is_some()).count(), 32);
}

/// Whoever needs the outputs of some nodes reads those and no others.
pub async fn outputs_are_read_by_node(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let large = format!("\"{}\"", "x".repeat(1024 * 1024 - 2));
    let mut records: Vec<_> = (0..34).map(|node| record(&format!("n{node:02}"), &large)).collect();
    records.push(record("small", "7"));
    let step = ExecutionCommit { records, ..commit(new.id, lease(&owner), ExecutionStatus::Running) };
    committed(store, &step).await;
    let head = store.execution_head(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!((head.record.id, head.state, head.nodes), (new.id, Some(vec![1, 2, 3]), Vec::new()));
    assert!(!head.definition.is_empty());
    assert!(store.node_outputs(new.id, &[]).await.expect("read works").is_empty());
    let nodes = ["n33", "small", "none"].map(NodeId::trusted);
    let mut outputs = store.node_outputs(new.id, &nodes).await.expect("read works");
    outputs.sort_by(|one, other| one.node_id.cmp(&other.node_id));
    let read: Vec<_> =
        outputs.iter().map(|node| (node.node_id.as_str(), node.output.as_deref(), &node.input)).collect();
    assert_eq!(read, [("n33", Some(large.as_str()), &None), ("small", Some("7"), &None)]);
}

/// Nodes are shown with their results or their running jobs.
pub async fn the_detail_shows_settled_and_running_nodes(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let step = ExecutionCommit {
        records: vec![record("a", "1")],
        enqueue: vec![node_job(&new, "c")],
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    committed(store, &step).await;
    let detail = store.execution_detail(&ALL, new.id).await.expect("read works").expect("there");
    let mut nodes: Vec<_> = detail
        .nodes
        .iter()
        .map(|node| (node.node_id.as_str(), node.status, node.output.as_deref(), node.input.as_deref()))
        .collect();
    nodes.sort_by_key(|node| node.0);
    let expected = [
        ("a", NodeStatus::Completed, Some("1"), None),
        ("c", NodeStatus::Running, None, Some(r#"{"n": 1}"#)),
    ];
    assert_eq!(nodes, expected);
    assert_eq!(detail.state, Some(vec![1, 2, 3]));
}

/// However many items a `MAP` has, all that settled are found, and no page goes through all results.
pub async fn items_of_a_map_are_read_page_by_page(store: &dyn Store) {
    const OTHERS: i64 = 2_100;
    let (new, owner) = owned(store).await;
    let of =
        |node: &str, count: i64| (0..count).map(|item| record(&format!("{node}[{item}]"), "7")).collect();
    let mut records: Vec<SettledNode> = of("notify", 25);
    records.push(record("notify-2", "1"));
    records.append(&mut of("notify-2", OTHERS));
    for records in [records, vec![record("notify[3]", "8")]] {
        let step = ExecutionCommit { records, ..commit(new.id, lease(&owner), ExecutionStatus::Running) };
        committed(store, &step).await;
    }
    let map = NodeId::trusted("notify");
    let (mut after, mut pages, mut found) = (0, Vec::new(), Vec::new());
    loop {
        let page = store.execution_items(&ALL, new.id, &map, after, 10).await.expect("read works");
        let page = page.expect("it is there");
        pages.push(page.items.len());
        found.extend(page.items);
        let Some(next) = page.next else { break };
        assert!(next > after, "it goes on");
        after = next;
    }
    assert_eq!(pages, [10, 10, 5, 1], "a short page ends where no more results are looked at");
    let keys: Vec<&str> = found.iter().map(|item| item.node_id.as_str()).collect();
    let mut expected: Vec<String> = (0..25).map(|item| format!("notify[{item}]")).collect();
    expected.push("notify[3]".to_owned());
    assert_eq!(keys, expected);
    let again = store.execution_item(&ALL, new.id, &NodeId::trusted("notify[3]")).await.expect("read works");
    let again = again.expect("it has settled");
    assert_eq!((again.output.as_deref(), again.status), (Some("8"), NodeStatus::Completed), "the later one");
    for (scope, item) in [(&ALL, "notify[25]"), (&TenantScope::One(tenant("b")), "notify[3]")] {
        let read = store.execution_item(scope, new.id, &NodeId::trusted(item)).await;
        assert_eq!(read.expect("answers"), None, "{item}");
    }
}

/// Lists are filtered, and hide other tenants.
pub async fn i13_executions_stay_within_the_tenant(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let mut other = execution("w");
    other.job.tenant = tenant("b");
    other.correlation_id = Some(domain::names::CallerKey::trusted("corr"));
    let own = execution("w");
    store.create_executions(&[own.clone(), other.clone()], T0).await.expect("create works");
    let scope = TenantScope::One(tenant("a"));
    assert_eq!(store.execution(&scope, other.id).await.expect("answers"), None);
    assert_eq!(store.execution_detail(&scope, other.id).await.expect("answers"), None);
    assert_eq!(store.execution_events(&scope, other.id, 0, 10).await.expect("answers"), None);
    let mut whose = store.tenants_of_executions(&[own.id, other.id, id()]).await.expect("answers");
    whose.sort_unstable();
    assert_eq!(
        whose,
        [(other.id, tenant("b")), (own.id, tenant("a"))],
        "in the order in which they were made"
    );
    assert!(store.tenants_of_executions(&[]).await.expect("answers").is_empty());
    let items = store.execution_items(&scope, other.id, &NodeId::trusted("each"), 0, 10).await;
    assert_eq!(items.expect("answers"), None);
    let listed = listed_executions(store, &scope, "").await;
    assert_eq!(listed.iter().map(|item| item.id).collect::<Vec<_>>(), [own.id]);
    let listed = listed_executions(store, &ALL, "correlationId:corr").await;
    assert_eq!(listed.iter().map(|item| item.id).collect::<Vec<_>>(), [other.id]);
}
