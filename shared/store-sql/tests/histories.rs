//! What long histories leave behind: bounded results of a node that is repeated, commands without their contents, and an
//! upkeep that does not look at the same rows again and again.

use domain::id::ExecutionId;
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::workflow::execution::{ExecutionStatus, NodeRecord, NodeStatus};
use sqlx::Connection as _;
use store::conformance::executions::commit;
use store::conformance::fixture::{T0, claim, commit_one, execution, id, lease, version};
use store::executions::{
    Appended, ExecutionCommit, ExecutionStore as _, INBOX_PENDING_BYTES_MAX, InboxEntry, InboxResult,
    NewExecution, ROUNDS_KEPT, ROUNDS_TRIMMED, SettledNode,
};
use store::jobs::{ClaimedJob, JobStore as _, LeaseAnswer};
use store::workflows::WorkflowStore as _;
use testkit::database::TestStore;

const ALL: domain::access::TenantScope = domain::access::TenantScope::All;

/// A number that a query about an execution answers.
async fn ask(test: &TestStore, query: &'static str, id: ExecutionId) -> i64 {
    if test.store.is_postgres() {
        let mut connection = sqlx::PgConnection::connect(&test.url).await.expect("the server answers");
        sqlx::query_scalar(query).bind(id.uuid()).fetch_one(&mut connection).await.expect("a number")
    } else {
        let mut connection = sqlx::SqliteConnection::connect(&test.url).await.expect("the file is there");
        sqlx::query_scalar(query).bind(id.uuid()).fetch_one(&mut connection).await.expect("a number")
    }
}

/// Runs a statement about an execution beside the store.
async fn run(test: &TestStore, statement: &'static str, id: ExecutionId) {
    let done = if test.store.is_postgres() {
        let mut connection = sqlx::PgConnection::connect(&test.url).await.expect("the server answers");
        sqlx::query(statement).bind(id.uuid()).execute(&mut connection).await.map(|_| ())
    } else {
        let mut connection = sqlx::SqliteConnection::connect(&test.url).await.expect("the file is there");
        sqlx::query(statement).bind(id.uuid()).execute(&mut connection).await.map(|_| ())
    };
    done.expect("the statement is valid");
}

async fn owned(test: &TestStore) -> (NewExecution, ClaimedJob) {
    let store = &test.store;
    store.register_workflow(&version("w")).await.expect("register works");
    let new = execution("w");
    store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
    let owner = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works").remove(0);
    (new, owner)
}

fn record(node: &str, round: u32) -> SettledNode {
    NodeRecord {
        node: NodeId::trusted(node),
        round,
        status: NodeStatus::Completed,
        input: None,
        output: Some(round.into()),
        error: None,
        attempts: 1,
        started_at: Some(T0),
        finished_at: T0,
    }
    .into()
}

async fn earlier_rounds_of_a_node_go(test: TestStore) {
    let (new, owner) = owned(&test).await;
    let rounds = ROUNDS_KEPT + 3 * ROUNDS_TRIMMED;
    for (number, round) in (0_i64..).zip(1..=rounds) {
        let mut records = vec![record("loop", round)];
        if round == 1 {
            records.push(record("before", 1));
        }
        let running = commit(new.id, lease(&owner), ExecutionStatus::Running);
        let step = ExecutionCommit { step: number, records, ..running };
        let answers = test.store.commit_executions(&[step], T0).await.expect("commit works");
        assert!(matches!(answers[0], LeaseAnswer::Ok(_)), "{answers:?}");
    }
    let loaded = test.store.load_executions(&[(new.id, lease(&owner))]).await.expect("load works").remove(0);
    let LeaseAnswer::Ok(loaded) = loaded else { panic!("the lease holds: {loaded:?}") };
    let mut outputs = loaded.outputs;
    outputs.sort();
    let latest = (NodeId::trusted("loop"), rounds.to_string());
    assert_eq!(outputs, [(NodeId::trusted("before"), "1".to_owned()), latest]);
    let kept = ask(&test, "SELECT count(*) FROM node_result WHERE execution_id = $1", new.id).await;
    assert_eq!(kept, i64::from(ROUNDS_KEPT) + 1);
}

/// However long a loop is, no more than a few of its rounds are there to be read.
async fn ten_thousand_rounds_take_as_much_room_as_a_hundred(test: TestStore) {
    let (new, owner) = owned(&test).await;
    let count = "SELECT count(*) FROM node_result WHERE execution_id = $1";
    for number in 0..10_000 / ROUNDS_TRIMMED {
        let rounds = number * ROUNDS_TRIMMED + 1..=(number + 1) * ROUNDS_TRIMMED;
        let records = rounds.map(|round| record("loop", round)).collect();
        let running = commit(new.id, lease(&owner), ExecutionStatus::Running);
        let step = ExecutionCommit { step: number.into(), records, ..running };
        let answers = test.store.commit_executions(&[step], T0).await.expect("commit works");
        assert!(matches!(answers[0], LeaseAnswer::Ok(_)), "{answers:?}");
        let kept = ask(&test, count, new.id).await;
        assert!(kept <= i64::from(ROUNDS_KEPT), "{kept} rounds after step {number}");
    }
    let loaded = test.store.load_executions(&[(new.id, lease(&owner))]).await.expect("load works").remove(0);
    let LeaseAnswer::Ok(loaded) = loaded else { panic!("the lease holds: {loaded:?}") };
    assert_eq!(loaded.outputs, [(NodeId::trusted("loop"), "10000".to_owned())]);
}

/// What was sent goes when it is used or refused; which step did so stays.
async fn used_signals_leave_a_record(test: TestStore) {
    let (new, owner) = owned(&test).await;
    let signal = InboxEntry::Signal { name: "go".into(), payload: "[1]".into() };
    let send = async || match test.store.append_command(&ALL, new.id, id(), &signal, T0).await {
        Ok(Appended::At(position)) => position,
        other => panic!("the execution is there: {other:?}"),
    };
    let (used, refused) = (send().await, send().await);
    let keep = commit(new.id, lease(&owner), ExecutionStatus::Running);
    commit_one(test.store.as_ref(), &keep, T0).await.expect("commit works");
    let why = Some("nobody waits for it".to_owned());
    let inbox =
        vec![InboxResult { position: used, refused: None }, InboxResult { position: refused, refused: why }];
    commit_one(test.store.as_ref(), &ExecutionCommit { inbox, ..keep }, T0).await.expect("commit works");
    for position in [used, refused] {
        let command = test.store.command(&ALL, position).await.expect("read works").expect("it is there");
        assert_eq!(command.step, Some(2), "whoever sent it can see which step decided it");
    }
    let records = "SELECT count(*) FROM inbox WHERE execution_id = $1 AND entry = '' AND step = 2
        AND status IN ('applied', 'refused') AND command_id IS NOT NULL";
    assert_eq!(ask(&test, records, new.id).await, 2);
}

/// An inbox that nobody reads takes so many signals and no more; it can still be cancelled, and takes more when it was read.
async fn an_inbox_is_bounded(test: TestStore) {
    let (new, owner) = owned(&test).await;
    let store = &test.store;
    let fill = "INSERT INTO inbox (execution_id, kind, entry, status, created_at)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
        SELECT $1, 'signal', '{\"name\":\"go\"}\n1', 'pending', 0 FROM n";
    run(&test, fill, new.id).await;
    let signal = InboxEntry::Signal { name: "go".into(), payload: "1".into() };
    let send = async |entry: &InboxEntry| {
        store.append_command(&ALL, new.id, id(), entry, T0).await.expect("append answers")
    };
    assert!(matches!(send(&signal).await, Appended::At(_)));
    assert_eq!(send(&signal).await, Appended::Full);
    assert!(matches!(send(&InboxEntry::Cancel { reason: None, compensate: true }).await, Appended::At(_)));
    let rows = store.inboxes(&[new.id], 10).await.expect("read works").remove(0);
    let inbox = rows.iter().map(|row| InboxResult { position: row.position, refused: None }).collect();
    let keep = commit(new.id, lease(&owner), ExecutionStatus::Running);
    commit_one(store.as_ref(), &ExecutionCommit { inbox, ..keep }, T0).await.expect("commit works");
    assert!(matches!(send(&signal).await, Appended::At(_)));
}

/// Large signals fill an inbox before their number does; it takes more when some of them were read.
async fn an_inbox_is_bounded_in_bytes(test: TestStore) {
    let (new, owner) = owned(&test).await;
    let store = &test.store;
    let payload = format!("\"{}\"", "x".repeat(8 << 20));
    let large = InboxEntry::Signal { name: "go".into(), payload };
    let send = async |entry: &InboxEntry| {
        store.append_command(&ALL, new.id, id(), entry, T0).await.expect("append answers")
    };
    for _ in 0..INBOX_PENDING_BYTES_MAX >> 23 {
        assert!(matches!(send(&large).await, Appended::At(_)));
    }
    let small = InboxEntry::Signal { name: "go".into(), payload: "1".into() };
    assert_eq!(send(&small).await, Appended::Full);
    assert!(matches!(send(&InboxEntry::Cancel { reason: None, compensate: true }).await, Appended::At(_)));
    let rows = store.inboxes(&[new.id], 10).await.expect("read works").remove(0);
    let inbox = rows.iter().map(|row| InboxResult { position: row.position, refused: None }).collect();
    let keep = commit(new.id, lease(&owner), ExecutionStatus::Running);
    commit_one(store.as_ref(), &ExecutionCommit { inbox, ..keep }, T0).await.expect("commit works");
    assert!(matches!(send(&small).await, Appended::At(_)));
}

macro_rules! on_files_and_postgres {
    ($($case:ident,)*) => {
        mod sqlite_file {
            $(#[tokio::test] async fn $case() { super::$case(testkit::database::sqlite_file().await).await; })*
        }
        mod postgres {
            $(#[tokio::test] async fn $case() { super::$case(testkit::database::postgres().await).await; })*
        }
    };
}

on_files_and_postgres! {
    an_inbox_is_bounded,
    an_inbox_is_bounded_in_bytes,
    earlier_rounds_of_a_node_go,
    ten_thousand_rounds_take_as_much_room_as_a_hundred,
    used_signals_leave_a_record,
}
