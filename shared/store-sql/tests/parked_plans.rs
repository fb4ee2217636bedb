//! What the store reads while many executions are parked, by PostgreSQL's own counters: no table from end to end, and of
//! the parked jobs only those that something happens to.

use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::workflow::execution::{ExecutionStatus, NodeStatus, UserTaskEnd};
use sqlx::{PgConnection, Row as _};
use store::Store;
use store::conformance::children::child_of;
use store::conformance::fixture::{
    T0, after_secs, claim, commit_all, complete, execution, job, lease, tenant, version, workflow,
};
use store::executions::{
    EventLine, ExecutionCommit, InboxEntry, InboxResult, InboxRow, NewExecution, OpenedTask, OwnerNext,
    SettledNode, UserTaskChange,
};
use store::jobs::{ClaimedJob, LeaseAnswer, NewJob};
use testkit::database::{TestStore, last_session, postgres};

const PARKED: usize = 1_000;
const BATCH: u32 = 100;
const ROUNDS: usize = 5;

fn step(id: ExecutionId, owner: &ClaimedJob, rows: &[InboxRow], next: OwnerNext) -> ExecutionCommit {
    let is_end = next == OwnerNext::Finish;
    ExecutionCommit {
        id,
        tenant: tenant("a"),
        lease: lease(owner),
        step: 0,
        status: if is_end { ExecutionStatus::Completed } else { ExecutionStatus::Running },
        state: vec![1; 100],
        started_at: Some(T0),
        records: vec![SettledNode {
            node: NodeId::trusted("n"),
            round: 1,
            status: NodeStatus::Completed,
            input: None,
            output: Some("1".into()),
            error: None,
            attempts: 1,
            started_at: Some(T0),
            finished_at: T0,
        }],
        events: vec![EventLine { kind: "node_completed".into(), node_id: None, detail: None, at: T0 }],
        enqueue: Vec::new(),
        cancel: Vec::new(),
        children: Vec::new(),
        cancel_children: Vec::new(),
        undo_children: Vec::new(),
        retry_children: Vec::new(),
        releases_held: false,
        event_waits: Vec::new(),
        user_tasks: Vec::new(),
        inbox: rows.iter().map(|row| InboxResult { position: row.position, refused: None }).collect(),
        completed: Vec::new(),
        output: None,
        error: None,
        next,
        attributes: Vec::new(),
        is_child: false,
    }
}

async fn commit(store: &dyn Store, steps: &[ExecutionCommit]) {
    let answers = commit_all(store, steps, T0).await.expect("commit works");
    assert!(answers.iter().all(|answer| matches!(answer, LeaseAnswer::Ok(_))), "{answers:?}");
}

async fn owners(store: &dyn Store) -> Vec<ClaimedJob> {
    store.claim(&claim(QueueName::Execution, BATCH, T0)).await.expect("claim works")
}

fn task(node: &str) -> OpenedTask {
    OpenedTask {
        node: NodeId::trusted(node),
        round: 1,
        assignee: Some("ann".into()),
        group: None,
        form: None,
        input: None,
        due_at: None,
        opened_at: T0,
    }
}

fn id_of(owner: &ClaimedJob) -> ExecutionId {
    owner.execution_id.expect("an execution's job names it")
}

/// Parks many executions, each with an open user task; answers how many of them are due.
async fn park_many(store: &dyn Store) -> usize {
    let mut batches = 0;
    let mut due = 0;
    // The first statements run on empty tables: their plans must be good for what comes.
    for count in [1, PARKED] {
        let new: Vec<NewExecution> = (0..count).map(|_| execution("w")).collect();
        store.create_executions(&new, T0).await.expect("create works");
        loop {
            let owners = owners(store).await;
            if owners.is_empty() {
                break;
            }
            let due_at = (batches % 10 == 0).then(|| after_secs(60));
            due += due_at.map_or(0, |_| owners.len());
            batches += 1;
            let steps = owners.iter().map(|owner| ExecutionCommit {
                user_tasks: vec![UserTaskChange::Open(task("approve"))],
                ..step(id_of(owner), owner, &[], OwnerNext::Park { due_at })
            });
            commit(store, &steps.collect::<Vec<_>>()).await;
        }
    }
    due
}

/// A few executions go through everything that can happen to one.
async fn live(store: &dyn Store, round: usize) {
    let signal = InboxEntry::Signal { name: "go".into(), payload: "1".into() };
    let parent = execution("w");
    store.create_executions(std::slice::from_ref(&parent), T0).await.expect("create works");
    let owner = owners(store).await.remove(0);
    let children = vec![child_of(&parent, "a"), child_of(&parent, "b")];
    let node = NewJob {
        workflow: Some(workflow("w")),
        execution_id: Some(parent.id),
        node_id: Some(NodeId::trusted("n")),
        ..job()
    };
    let first = ExecutionCommit {
        children: children.clone(),
        enqueue: vec![node],
        user_tasks: vec![UserTaskChange::Open(task("approve"))],
        ..step(parent.id, &owner, &[], OwnerNext::Park { due_at: None })
    };
    commit(store, &[first]).await;
    let nodes = store.claim(&claim(QueueName::Node, 1, T0)).await.expect("claim works");
    complete(store, &nodes[0], T0).await;
    assert_eq!(store.wake_parked(100, T0).await.expect("works"), 1);
    store
        .append_command(&TenantScope::All, parent.id, store::conformance::fixture::id(), &signal, T0)
        .await
        .expect("append works");
    let family = owners(store).await;
    assert_eq!(family.len(), 3);
    let ids: Vec<ExecutionId> = family.iter().map(id_of).collect();
    let held: Vec<_> = family.iter().map(|owner| (id_of(owner), lease(owner))).collect();
    store.load_executions(&held).await.expect("load works");
    let inboxes = store.inboxes(&ids, 100).await.expect("read works");
    let ended = family.iter().position(|owner| id_of(owner) == children[0].id).expect("claimed");
    commit(store, &[step(children[0].id, &family[ended], &inboxes[ended], OwnerNext::Finish)]).await;
    let own = family.iter().position(|owner| id_of(owner) == parent.id).expect("claimed");
    let end = UserTaskEnd::Completed { actor: "ann".into() };
    let close = UserTaskChange::Close { node_id: NodeId::trusted("approve"), round: 1, end };
    let last = ExecutionCommit {
        cancel_children: vec![children[1].id],
        user_tasks: vec![close],
        ..step(parent.id, &family[own], &inboxes[own], OwnerNext::Finish)
    };
    commit(store, &[last]).await;
    let other = family.iter().position(|owner| id_of(owner) == children[1].id).expect("claimed");
    store.release(&[lease(&family[other])], T0).await.expect("release works");
    let cancel = InboxEntry::Cancel { reason: None, compensate: false };
    store
        .append_command(&TenantScope::All, children[1].id, store::conformance::fixture::id(), &cancel, T0)
        .await
        .expect("append works");
    assert_eq!(store.ended_executions(&ids).await.expect("read works").len(), 3);
    store.execution_detail(&TenantScope::All, parent.id).await.expect("read works");
    let now = if round + 1 == ROUNDS { after_secs(60) } else { T0 };
    store.promote_due(&[], now, 1_000).await.expect("promote works");
}

async fn number(connection: &mut PgConnection, query: &'static str) -> i64 {
    let row = sqlx::query(query).fetch_one(connection).await.expect("counters can be read");
    row.get::<i64, _>(0)
}

#[tokio::test]
async fn i06_parked_executions_are_not_read() {
    let database: TestStore = postgres().await;
    let store: &dyn Store = database.store.as_ref();
    store.register_workflow(&version("w")).await.expect("register works");
    let due = park_many(store).await;
    for round in 0..ROUNDS {
        live(store, round).await;
    }
    database.store.close().await;
    let mut connection = last_session(&database.url).await;
    let scans = sqlx::query(
        "SELECT relname, seq_tup_read FROM pg_stat_user_tables \
         WHERE relname IN ('job', 'job_done', 'execution', 'inbox', 'node_result', 'execution_event', 'user_task') \
           AND seq_tup_read > 0",
    );
    let scans = scans.fetch_all(&mut connection).await.expect("counters can be read");
    let scanned: Vec<(String, i64)> = scans.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert!(scanned.is_empty(), "read from end to end: {scanned:?}");
    let waiting = "SELECT count(*) FROM job WHERE state = 'waiting'";
    assert_eq!(number(&mut connection, waiting).await, (PARKED + 1 - due) as i64);
    let read = "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'job_parked'";
    let read = number(&mut connection, read).await;
    assert!(read < (PARKED / 2) as i64, "{read} entries of parked jobs were read");
    let claims = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'job_claim'";
    assert!(number(&mut connection, claims).await > 0, "claims use their index");
}
