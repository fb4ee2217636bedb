//! What the tables hold of a tenant whose payloads are sealed: a marker goes in through every verb that takes payloads, and
//! no column of any table has it, nor the file. What is put into another row does not open there.

use std::fmt::Write as _;

use domain::access::TenantScope;
use domain::failure::{DeadReason, JobError};
use domain::id::ExecutionId;
use domain::job::Disposition;
use domain::job_log::{LogLevel, LogLine};
use domain::names::{CallerKey, NodeId};
use domain::queue::QueueName;
use domain::webhook::DeliveryStatus;
use domain::workflow::execution::{ExecutionStatus, NodeStatus};
use domain::workflow::unique::UniquePolicy;
use sqlx::{Connection as _, Executor as _, PgConnection, SqliteConnection};
use store::access::{Idempotency, IdempotencyReservation};
use store::batches::{BatchRecord, BatchStatus};
use store::conformance::executions::commit;
use store::conformance::fixture::{
    T0, after_secs, claim, claim_nodes, commit_one, execution, id, inbox, job, lease, load_one, tenant, uuid,
    version,
};
use store::conformance::sealing::{seal_payloads_of, unlock};
use store::conformance::webhook_fixture::{acceptance, delivery};
use store::dead_letters::{DeadLetterFilter, RequeueEdit};
use store::executions::{
    CompletedJob, ExecutionCommit, InboxEntry, NewExecution, OpenedTask, OwnerNext, Parent, Seed,
    SettledNode, UniqueStart, UserTaskChange,
};
use store::job_logs::LoggedLines;
use store::jobs::{LeaseAnswer, LeaseExtension, NewJob, Settlement};
use store::starts::{PutOff, StartsOf};
use store::webhooks::{HeldDelivery, NewDelivery};
use store::{PageRequest, Store, StoreError};
use store_sql::{MoveEnd, SqlStore, copy_execution, move_offline};
use testkit::database::{TestStore, options, postgres, sqlite_file};

const ALL: TenantScope = TenantScope::All;

/// What no column may have.
const MARK: &str = "PLAIN-4711";

/// Columns in which something sealed has to be found after the run, so that it did go through them.
const SEALED: &[(&str, &str)] = &[
    ("job", "data"),
    ("job", "progress"),
    ("job_done", "data"),
    ("job_done", "result"),
    ("dead_letter", "error"),
    ("payload", "data"),
    ("dead_letter", "data"),
    ("execution", "input"),
    ("execution", "output"),
    ("execution", "state"),
    ("node_result", "input"),
    ("node_result", "output"),
    ("inbox", "entry"),
    ("user_task", "input"),
    ("webhook_delivery", "headers"),
    ("webhook_delivery", "target"),
    ("webhook_body", "body"),
    ("put_off_start", "request"),
    ("put_off_event", "entry"),
    ("idempotency", "response_body"),
    ("job_log", "message"),
    ("job_log", "fields"),
    ("batch", "request"),
];

fn marked() -> String {
    format!(r#"{{"secret":"{MARK}"}}"#)
}

fn marked_job() -> NewJob {
    NewJob { data: marked(), ..job() }
}

fn page() -> PageRequest {
    PageRequest { limit: 100, after: None }
}

/// Jobs in every state, with results, progress, log lines and a dead letter that goes back with other data.
async fn jobs(store: &dyn Store) {
    let large = NewJob { data: format!(r#"{{"x":"{}{MARK}"}}"#, "x".repeat(9_000)), ..job() };
    let all = [marked_job(), marked_job(), large, marked_job()];
    store.enqueue(&all, T0).await.expect("enqueue works");
    let claimed = claim_nodes(store, 3, T0).await;
    assert!(claimed.iter().all(|job| job.data.contains(MARK)), "workers get what was sent");
    let (done, dead, large) = (&claimed[0], &claimed[1], &claimed[2]);
    let progress = Some(marked());
    let renewal = LeaseExtension { lease: lease(large), extend: None, progress };
    store.extend_leases(&[renewal], T0).await.expect("heartbeats work");
    let line = LogLine {
        at: T0,
        level: LogLevel::Info,
        message: MARK.to_owned(),
        fields: Some(marked()),
        sequence: None,
    };
    let logged = LoggedLines { lease: lease(done), lines: vec![line] };
    store.append_logs(&ALL, &[logged], &[], T0).await.expect("lines are kept");
    let details = Some(serde_json::json!({ "secret": MARK }));
    let error = JobError { details: details.clone(), ..JobError::coded("x", "it did not work") };
    let reports = [
        Settlement { lease: lease(done), disposition: Disposition::Complete(Some(marked())) },
        Settlement {
            lease: lease(dead),
            disposition: Disposition::Die { reason: DeadReason::NonRetryable, error },
        },
    ];
    store.settle(&reports, T0).await.expect("reports work");
    let letters = store.list_dead_letters(&ALL, &DeadLetterFilter::default(), page()).await;
    let letter = letters.expect("lists work").items.remove(0);
    assert_eq!((&letter.data, &letter.error.details), (&Some(marked()), &details));
    let shown = store.dead_letter(&ALL, letter.id).await.expect("read works").expect("it is there");
    assert_eq!(shown.attempts[0].error.as_ref().and_then(|error| error.details.clone()), details);
    let data = Some(format!(r#"{{"edited":"{MARK}"}}"#));
    let edit = RequeueEdit { data: data.clone(), tier: None, retries_max: None };
    store.requeue_dead_letter(&ALL, letter.id, &edit, T0).await.expect("requeue works");
    let shown = store.job(&ALL, letter.job_id).await.expect("read works").expect("it is back");
    assert_eq!(shown.data, data);
}

fn settled(node: &str) -> SettledNode {
    SettledNode {
        node: NodeId::trusted(node),
        round: 1,
        status: NodeStatus::Completed,
        input: Some(marked()),
        output: Some(marked()),
        error: Some(JobError { details: Some(marked().into()), ..JobError::coded("x", "x") }),
        attempts: 1,
        started_at: Some(T0),
        finished_at: T0,
    }
}

async fn committed(store: &dyn Store, step: &ExecutionCommit) {
    let answer = commit_one(store, step, T0).await.expect("commit works");
    assert!(matches!(answer, LeaseAnswer::Ok(_)), "{answer:?}");
}

/// An execution with nodes, a child, a person, signals, a rerun, and a start with a unique key.
async fn executions(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let marked_execution = || NewExecution { input: marked(), ..execution("w") };
    let new = marked_execution();
    store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
    let owner = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works").remove(0);
    let node = |name: &str| NewJob {
        execution_id: Some(new.id),
        node_id: Some(NodeId::trusted(name)),
        ..marked_job()
    };
    let (fast, slow) = (node("fast"), node("slow"));
    let parent = Parent { execution_id: new.id, node_id: NodeId::trusted("child"), depth: 1 };
    let child = NewExecution { parent: Some(parent), ..marked_execution() };
    let task = OpenedTask {
        node: NodeId::trusted("approve"),
        round: 1,
        assignee: Some("ann".into()),
        group: None,
        form: None,
        input: Some(marked()),
        due_at: None,
        opened_at: T0,
    };
    let running = commit(new.id, lease(&owner), ExecutionStatus::Running);
    let first = ExecutionCommit {
        state: MARK.as_bytes().to_vec(),
        records: vec![settled("before")],
        enqueue: vec![fast.clone(), slow.clone()],
        children: vec![child.clone()],
        user_tasks: vec![UserTaskChange::Open(task)],
        ..running.clone()
    };
    committed(store, &first).await;
    let claimed = claim_nodes(store, 10, T0).await;
    let of = |wanted: &NewJob| claimed.iter().find(|job| job.id == wanted.id).expect("it is claimed");
    let completed = CompletedJob { lease: lease(of(&fast)), result: Some(marked()) };
    committed(store, &ExecutionCommit { completed: vec![completed], ..running }).await;
    // A result that comes by the inbox, and what people and other programs send.
    let report = Settlement { lease: lease(of(&slow)), disposition: Disposition::Complete(Some(marked())) };
    store.settle(&[report], T0).await.expect("reports work");
    let node_id = NodeId::trusted("n");
    for entry in [
        InboxEntry::Signal { name: "paid".into(), payload: marked() },
        InboxEntry::Callback { node_id: node_id.clone(), round: None, payload: marked() },
        InboxEntry::UserTaskCompleted { node_id, round: None, output: marked(), actor: "ann".into() },
    ] {
        store.append_command(&ALL, new.id, id(), &entry, T0).await.expect("append works");
    }
    let child_owner = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works").remove(0);
    let end = ExecutionCommit {
        output: Some(marked()),
        next: OwnerNext::Finish,
        is_child: true,
        ..commit(child.id, lease(&child_owner), ExecutionStatus::Completed)
    };
    committed(store, &end).await;
    let rows = inbox(store, new.id).await.expect("read works");
    assert_eq!(rows.len(), 5, "{rows:?}");
    assert!(rows.iter().all(|row| format!("{:?}", row.entry).contains(MARK)), "{rows:?}");
    let shown = store.user_task(&ALL, new.id, &NodeId::trusted("approve")).await.expect("read works");
    assert_eq!(shown.expect("it is open").input, Some(marked()));
    rerun(store, new.id).await;
    unique(store, marked_execution()).await;
}

/// A start with a unique key, and with a signal.
async fn unique(store: &dyn Store, execution: NewExecution) {
    let unique = UniqueStart {
        execution,
        key: CallerKey::trusted("order-7"),
        policy: UniquePolicy::Join,
        signal: Some((id(), InboxEntry::Signal { name: "paid".into(), payload: marked() })),
        is_over_quota: false,
    };
    store.start_unique(&unique, T0).await.expect("start works");
    let rows = inbox(store, unique.execution.id).await.expect("read works");
    assert!(format!("{rows:?}").contains(MARK));
}

/// Results are copied to another execution, and open there.
async fn rerun(store: &dyn Store, from: ExecutionId) {
    let nodes = vec![NodeId::trusted("before")];
    let seed = Seed { state: MARK.as_bytes().to_vec(), from, nodes };
    let new = NewExecution { seed: Some(seed), input: marked(), ..execution("w") };
    store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
    let owner = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works").remove(0);
    let loaded = load_one(store, new.id, lease(&owner)).await.expect("load works");
    let LeaseAnswer::Ok(loaded) = loaded else { panic!("the lease holds: {loaded:?}") };
    assert_eq!(loaded.outputs, [(NodeId::trusted("before"), marked())]);
    assert_eq!((loaded.state.as_deref(), loaded.record.input), (Some(MARK.as_bytes()), marked()));
    let shown = store.execution_detail(&ALL, new.id).await.expect("read works").expect("it is there");
    assert_eq!(shown.nodes[0].input, Some(marked()));
}

/// Deliveries that are accepted, held and kept, and starts that are put off.
async fn deliveries(store: &dyn Store) {
    let of = |delivery: NewDelivery| NewDelivery {
        headers: format!(r#"[["x-secret","{MARK}"]]"#),
        target: format!("/hooks/x?secret={MARK}"),
        body: marked().into_bytes(),
        ..delivery
    };
    let mut accepted = acceptance(id(), &[]);
    accepted.delivery = of(accepted.delivery);
    store.accept_deliveries(std::slice::from_ref(&accepted), T0).await.expect("accept works");
    let delivered = accepted.delivery.id;
    let body = store.delivery_body(&ALL, delivered).await.expect("read works");
    assert_eq!(body, Some(marked().into_bytes()));
    let shown = store.delivery(&ALL, delivered).await.expect("read works").expect("it is there");
    assert_eq!((shown.target, shown.body_bytes), (accepted.delivery.target, marked().len() as u64));
    let held = HeldDelivery {
        delivery: of(delivery(id(), DeliveryStatus::Held)),
        guards: Vec::new(),
        bytes_max: 1 << 20,
    };
    store.hold_deliveries(&[held], T0).await.expect("hold works");
    store.record_deliveries(&[of(delivery(id(), DeliveryStatus::Rejected))]).await.expect("record works");
    let put_off = PutOff {
        delivery_id: delivered,
        shown_on: delivered,
        tenant: tenant("a"),
        of: StartsOf { owner: uuid::Uuid::nil(), trigger_id: "trg".to_owned() },
        gathering: None,
        throttle: None,
        id: id(),
        request: marked(),
        entry: Some(marked()),
    };
    store.put_off(&put_off, T0).await.expect("put off works");
    let due = store.due_starts(after_secs(60), 10).await.expect("look works").remove(0);
    assert_eq!((due.request, due.entries), (marked(), vec![marked()]));
}

/// Answers that are kept for repeats, of callers of a tenant and of all, and what a bulk operation writes.
async fn kept(store: &dyn Store) {
    for owner in ["a/key_1", "key_0"] {
        let reservation = IdempotencyReservation {
            owner: owner.to_owned(),
            key: "k".to_owned(),
            fingerprint: "f".to_owned(),
            seed: uuid(),
            process: uuid(),
            stale_before: T0,
            forget_before: T0,
        };
        store.reserve_idempotency(&reservation, T0).await.expect("works");
        store.answer_idempotency(owner, "k", 200, &marked(), T0).await.expect("works");
        let again = store.reserve_idempotency(&reservation, T0).await.expect("works");
        assert_eq!(again, Idempotency::Replay { status: 200, body: marked() });
    }
    let batch = BatchRecord {
        id: id(),
        tenant: Some(tenant("a")),
        kind: "dead_letters.requeue".into(),
        request: marked(),
        status: BatchStatus::Running,
        status_reason: None,
        is_past_canary: false,
        counts: domain::bulk::BatchCounts::default(),
        reason: None,
        actor: "key_1".into(),
        cursor: None,
        created_at: T0,
        updated_at: T0,
        finished_at: None,
    };
    store.create_batch(&batch, uuid()).await.expect("create works");
    let read = store.batch(&ALL, batch.id).await.expect("read works").expect("it is there");
    assert_eq!(read.request, marked());
}

/// The tables of a database, as somebody reads them who has the database and nothing else.
enum Tables {
    Postgres(PgConnection),
    Sqlite(SqliteConnection),
}

impl Tables {
    async fn of(database: &TestStore) -> Self {
        if database.url.starts_with("postgres") {
            Self::Postgres(PgConnection::connect(&database.url).await.expect("it opens"))
        } else {
            Self::Sqlite(SqliteConnection::connect(&database.url).await.expect("it opens"))
        }
    }

    async fn columns(&mut self) -> Vec<(String, String)> {
        let columns = match self {
            Self::Postgres(connection) => {
                let text = "SELECT CAST(table_name AS text), CAST(column_name AS text)
                    FROM information_schema.columns WHERE table_schema = current_schema()";
                sqlx::query_as(text).fetch_all(connection).await
            }
            Self::Sqlite(connection) => {
                let text = "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
                    WHERE m.type = 'table'";
                sqlx::query_as(text).fetch_all(connection).await
            }
        };
        columns.expect("it can be read")
    }

    /// How many rows have these bytes in a column, whatever its type is.
    async fn count(&mut self, table: &str, column: &str, bytes: &str) -> i64 {
        // A column of bytes shows them as hex.
        let mut hex = String::new();
        for byte in bytes.bytes() {
            let _ = write!(hex, "{byte:02x}");
        }
        let count = match self {
            Self::Postgres(connection) => {
                let text = format!(
                    "SELECT count(*) FROM {table} t WHERE strpos(CAST(t.{column} AS text), '{bytes}') > 0
                     OR strpos(CAST(t.{column} AS text), '{hex}') > 0"
                );
                sqlx::query_scalar(sqlx::AssertSqlSafe(text)).fetch_one(connection).await
            }
            Self::Sqlite(connection) => {
                let text = format!(
                    r#"SELECT count(*) FROM "{table}" WHERE instr(lower(hex("{column}")), '{hex}') > 0"#
                );
                sqlx::query_scalar(sqlx::AssertSqlSafe(text)).fetch_one(connection).await
            }
        };
        count.expect("it can be read")
    }

    async fn change(&mut self, text: &'static str) {
        match self {
            Self::Postgres(connection) => connection.execute(text).await.map(|_| ()),
            Self::Sqlite(connection) => connection.execute(text).await.map(|_| ()),
        }
        .expect("whoever has the database may write");
    }
}

async fn nothing_is_plain(database: &TestStore) {
    let store: &dyn Store = database.store.as_ref();
    seal_payloads_of(store, &["a"]).await;
    jobs(store).await;
    executions(store).await;
    deliveries(store).await;
    kept(store).await;
    let mut tables = Tables::of(database).await;
    let columns = tables.columns().await;
    assert!(columns.len() > 200, "all columns are looked at");
    let mut plain = Vec::new();
    for (table, column) in &columns {
        if tables.count(table, column, MARK).await > 0 {
            plain.push(format!("{table}.{column}"));
        }
    }
    assert_eq!(plain, Vec::<String>::new(), "columns with a payload in the clear");
    for (table, column) in SEALED {
        let sealed = tables.count(table, column, "~1.").await + tables.count(table, column, "TLSEAL1").await;
        assert!(sealed > 0, "{table}.{column} holds nothing that is sealed: the run did not go through it");
    }
}

#[tokio::test]
async fn i11_no_table_holds_a_sealed_payload_in_the_clear_on_sqlite() {
    let database = sqlite_file().await;
    nothing_is_plain(&database).await;
    let path = database.url.trim_start_matches("sqlite://");
    for end in ["", "-wal"] {
        let bytes = std::fs::read(format!("{path}{end}")).expect("the file is there");
        let is_marked = bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes());
        assert!(!is_marked, "the file {path}{end} holds a payload in the clear");
    }
}

#[tokio::test]
async fn i11_no_table_holds_a_sealed_payload_in_the_clear_on_postgres() {
    nothing_is_plain(&postgres().await).await;
}

/// What an execution left in the clear, before its tenant's payloads were sealed, is not copied in the clear by a rerun.
async fn a_rerun_seals_what_was_plain(database: &TestStore) {
    let store: &dyn Store = database.store.as_ref();
    store.create_tenant(&tenant("a"), T0).await.expect("a tenant can be made");
    store.register_workflow(&version("w")).await.expect("register works");
    let first = execution("w");
    store.create_executions(std::slice::from_ref(&first), T0).await.expect("create works");
    let owner = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works").remove(0);
    let end = ExecutionCommit {
        records: vec![settled("before")],
        next: OwnerNext::Finish,
        ..commit(first.id, lease(&owner), ExecutionStatus::Failed)
    };
    committed(store, &end).await;
    let mut tables = Tables::of(database).await;
    let columns = ["input", "output", "error"];
    for column in columns {
        assert_eq!(tables.count("node_result", column, MARK).await, 1, "{column} is plain");
    }
    seal_payloads_of(store, &["a"]).await;
    rerun(store, first.id).await;
    for column in columns {
        assert_eq!(tables.count("node_result", column, MARK).await, 1, "{column} of the copy");
    }
    // And the other way: what was sealed is read, and copied, after the end of sealing.
    store.stop_sealing(&tenant("a"), &[]).await.expect("it can end");
    rerun(store, first.id).await;
}

#[tokio::test]
async fn i11_a_rerun_seals_what_was_plain_on_sqlite() {
    a_rerun_seals_what_was_plain(&sqlite_file().await).await;
}

#[tokio::test]
async fn i11_a_rerun_seals_what_was_plain_on_postgres() {
    a_rerun_seals_what_was_plain(&postgres().await).await;
}

#[tokio::test]
async fn i13_a_payload_does_not_open_in_another_row() {
    let database = sqlite_file().await;
    let store: &dyn Store = database.store.as_ref();
    seal_payloads_of(store, &["a", "b"]).await;
    let (own, other) = (marked_job(), NewJob { tenant: tenant("b"), ..marked_job() });
    store.enqueue(&[own.clone(), other.clone()], T0).await.expect("enqueue works");
    let mut tables = Tables::of(&database).await;
    tables.change("CREATE TABLE swapped AS SELECT id, data FROM job").await;
    tables.change("UPDATE job SET data = (SELECT s.data FROM swapped s WHERE s.id <> job.id)").await;
    for id in [own.id, other.id] {
        let refused = store.job(&ALL, id).await.expect_err("it opens nowhere else");
        assert!(matches!(refused, StoreError::Corrupt { table: "job", column: "data", .. }), "{refused}");
    }
    assert!(claim_nodes(store, 2, T0).await.is_empty(), "no worker gets another's payload");
}

/// A copy, a store that was moved and a single execution that was copied hold ciphertext, and open with the same keys.
#[tokio::test]
async fn i11_copies_open_with_the_keys_of_the_settings() {
    let database = sqlite_file().await;
    let store: &dyn Store = database.store.as_ref();
    seal_payloads_of(store, &["a"]).await;
    store.register_workflow(&version("w")).await.expect("register works");
    let new = NewExecution { input: marked(), ..execution("w") };
    store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let file = |name: &str| directory.path().join(name);
    let url = |name: &str| format!("sqlite://{}", file(name).display());
    let end = |url: &str| MoveEnd { url: url.to_owned(), schema: "public".to_owned() };
    store.back_up(&file("copy.db")).await.expect("a copy is made");
    let one = copy_execution(&end(&database.url), &end(&url("one.db")), new.id, uuid()).await;
    one.expect("an execution is copied");
    let moved = move_offline(&end(&url("copy.db")), &end(&url("moved.db")), uuid(), &|_| {}).await;
    moved.expect("a store is moved");
    for name in ["one.db", "moved.db"] {
        let bytes = std::fs::read(file(name)).expect("the file is there");
        let is_marked = bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes());
        assert!(!is_marked, "{name} holds a payload in the clear");
        let opened = SqlStore::connect(&options(&url(name), &[])).await.expect("it opens");
        let copy: &dyn Store = opened.as_ref();
        let closed = copy.execution(&ALL, new.id).await.expect_err("nobody has given it keys");
        assert!(matches!(closed, StoreError::Sealed { .. }), "{closed}");
        unlock(copy);
        let shown = copy.execution(&ALL, new.id).await.expect("read works").expect("it is there");
        assert_eq!(shown.input, marked(), "{name}");
        copy.close().await;
    }
}
