//! The same thing asked for at the same time by many.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::id::ExecutionId;
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::search::SearchList;
use domain::time::DurationMs;
use domain::workflow::execution::ExecutionStatus;
use sqlx::postgres::PgPoolOptions;
use sqlx::{Connection as _, PgConnection};
use store::PageRequest;
use store::access::{AccessStore as _, Idempotency, IdempotencyReservation};
use store::conformance::fixture::{
    T0, after_secs, claim, claim_nodes, inbox, job, lease, number_found, uuid, workflow,
};
use store::dead_letters::{DeadLetterChange, DeadLetterFilter, DeadLetterStore as _};
use store::executions::{
    Appended, CommandStatus, ExecutionCommit, ExecutionStore as _, InboxEntry, InboxResult, InboxRow,
};
use store::jobs::{ClaimedJob, JobStore as _, NewJob};
use store_sql::SqlStore;
use testkit::database::TestStore;
use testkit::eventually;

use crate::fixture::{ALL, append, commit, die, only_letter, requeue, step, with_leased_node};

pub(crate) async fn a_requeue_at_once_is_done_once(test: &TestStore) {
    let store = &test.store;
    let (_, _, node) = with_leased_node(store).await;
    die(store, &node).await;
    let letter = only_letter(store).await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let store = Arc::clone(store);
        tasks.spawn(async move { requeue(&store, letter).await });
    }
    let changes = tasks.join_all().await;
    let changed = changes.iter().filter(|change| matches!(change, DeadLetterChange::Changed { .. })).count();
    let repeated =
        changes.iter().filter(|change| matches!(change, DeadLetterChange::AlreadyDone { .. })).count();
    assert_eq!((changed, repeated), (1, 7), "{changes:?}");
    assert_eq!(claim_nodes(store.as_ref(), 10, after_secs(1)).await.len(), 1);
}

pub(crate) async fn a_retry_at_once_is_done_once(test: &TestStore) {
    let store = &test.store;
    let (new, owner, node) = with_leased_node(store).await;
    die(store, &node).await;
    commit(store, &step(&new, lease(&owner), ExecutionStatus::Failed)).await;
    let new = Arc::new(new);
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (store, new) = (Arc::clone(store), Arc::clone(&new));
        tasks.spawn(async move { append(&store, &new, &InboxEntry::Retry).await });
    }
    let statuses = tasks.join_all().await;
    assert_eq!(
        statuses.iter().filter(|status| **status == CommandStatus::Pending).count(),
        1,
        "{statuses:?}"
    );
    let owners = store.claim(&claim(QueueName::Execution, 10, after_secs(1))).await.expect("claim works");
    assert_eq!(owners.len(), 1);
    assert_eq!(number_found(&**store, &ALL, SearchList::DeadLetters, "status:open").await, 0);
}

pub(crate) async fn one_of_many_reservations_proceeds(test: &TestStore) {
    let store = &test.store;
    // All of one process, as on SQLite every live request is.
    let process = uuid();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let store = Arc::clone(store);
        tasks.spawn(async move {
            let reservation = IdempotencyReservation {
                owner: String::new(),
                key: "k".to_owned(),
                fingerprint: "f".to_owned(),
                seed: uuid(),
                process,
                stale_before: T0.minus(DurationMs::from_secs(60)),
                forget_before: T0.minus(DurationMs::from_secs(600)),
            };
            store.reserve_idempotency(&reservation, T0).await.expect("reserve works")
        });
    }
    let answers = tasks.join_all().await;
    let proceeding = answers.iter().filter(|answer| matches!(answer, Idempotency::Proceed { .. })).count();
    let waiting = answers.iter().filter(|answer| matches!(answer, Idempotency::InFlight)).count();
    assert_eq!((proceeding, waiting), (1, 15), "{answers:?}");
}

/// Nodes die and are requeued, commands arrive and the owner commits, all on one execution at the same time: every
/// call works, and nothing is lost on the way through the inbox.
pub(crate) async fn changes_at_once_do_not_get_in_each_others_way(test: &TestStore) {
    const NODES: usize = 12;
    let store = &test.store;
    let (new, owner, _) = with_leased_node(store).await;
    let node = |number: usize| NewJob {
        workflow: Some(workflow("w")),
        execution_id: Some(new.id),
        node_id: Some(NodeId::trusted(format!("n{number}"))),
        ..job()
    };
    let nodes: Vec<NewJob> = (0..NODES).map(node).collect();
    let running = step(&new, lease(&owner), ExecutionStatus::Running);
    commit(store, &ExecutionCommit { enqueue: nodes.clone(), ..running.clone() }).await;
    let mut tasks = tokio::task::JoinSet::new();
    for leased in claim_nodes(store.as_ref(), NODES as u32, T0).await {
        tasks.spawn(die_and_come_back(Arc::clone(store), new.id, leased));
    }
    let mut seen = 0;
    let deadline = Instant::now() + Duration::from_secs(30);
    while seen < 2 * NODES {
        assert!(Instant::now() < deadline, "{seen} entries arrived");
        let rows = inbox(store.as_ref(), new.id).await.expect("read works");
        seen += rows.len();
        // Jobs that went back are cancelled under whoever requeued them.
        let back = rows.iter().filter_map(|row| match &row.entry {
            InboxEntry::NodeRequeued { job_id, .. } => Some(*job_id),
            _ => None,
        });
        let (cancel, inbox) = (back.collect(), rows.iter().map(applied).collect());
        commit(store, &ExecutionCommit { inbox, cancel, ..running.clone() }).await;
        tokio::task::yield_now().await;
    }
    tasks.join_all().await;
    assert!(inbox(store.as_ref(), new.id).await.expect("read works").is_empty());
}

/// A node's job dies and is requeued; somebody asks in vain for a retry of its execution.
async fn die_and_come_back(store: Arc<SqlStore>, id: ExecutionId, leased: ClaimedJob) {
    die(&store, &leased).await;
    let page = PageRequest { limit: 100, after: None };
    let letters =
        store.list_dead_letters(&ALL, &DeadLetterFilter::default(), page).await.expect("list works");
    let letter = letters.items.iter().find(|letter| letter.job_id == leased.id).expect("it died");
    assert!(matches!(requeue(&store, letter.id).await, DeadLetterChange::Changed { .. }));
    let command = store
        .append_command(&ALL, id, store::conformance::fixture::id(), &InboxEntry::Retry, T0)
        .await
        .expect("append works");
    assert!(matches!(command, Appended::At(_)));
}

fn applied(row: &InboxRow) -> InboxResult {
    InboxResult { position: row.position, refused: None }
}

/// A command that gets the execution's row before its end does, but after the end has begun to wait for it, is refused
/// by the end: it is not left pending for ever.
pub(crate) async fn a_command_beside_the_end_is_answered(test: &TestStore) {
    // SQLite has one writer: there is nothing to overlap.
    if !test.store.is_postgres() {
        return;
    }
    let store = &test.store;
    let (new, owner, _) = with_leased_node(store).await;
    let mut holder = PgConnection::connect(&test.url).await.expect("the server answers");
    let mut held = holder.begin().await.expect("begin works");
    let lock = "SELECT 1 FROM execution WHERE id = $1 FOR UPDATE";
    sqlx::query(lock).bind(new.id.uuid()).execute(&mut *held).await.expect("lock works");
    let (new, last) = (Arc::new(new.clone()), step(&new, lease(&owner), ExecutionStatus::Completed));
    let signal = InboxEntry::Signal { name: "x".to_owned(), payload: "1".to_owned() };
    let command = tokio::spawn({
        let (store, new) = (Arc::clone(store), Arc::clone(&new));
        async move {
            store
                .append_command(&ALL, new.id, store::conformance::fixture::id(), &signal, after_secs(1))
                .await
        }
    });
    wait_for_lock_waiters(&test.url, 1).await;
    let end = tokio::spawn({
        let store = Arc::clone(store);
        async move { commit(&store, &last).await }
    });
    wait_for_lock_waiters(&test.url, 2).await;
    held.commit().await.expect("commit works");
    let appended = command.await.expect("no panic").expect("append works");
    end.await.expect("the end is committed");
    let Appended::At(position) = appended else { panic!("the execution is there: {appended:?}") };
    let command = store.command(&ALL, position).await.expect("read works").expect("there");
    assert!(matches!(command.status, CommandStatus::Refused(_)), "{command:?}");
}

/// Resolves when so many of the database's connections wait for a lock.
async fn wait_for_lock_waiters(url: &str, count: i64) {
    let server = PgPoolOptions::new().max_connections(1).connect(url).await.expect("the server answers");
    let waiting = "SELECT count(*) FROM pg_stat_activity
                   WHERE datname = current_database() AND wait_event_type = 'Lock'";
    // The server tells nobody who waits.
    eventually("connections wait for a lock", || async {
        sqlx::query_scalar::<_, i64>(waiting).fetch_one(&server).await.expect("read works") >= count
    })
    .await;
}
