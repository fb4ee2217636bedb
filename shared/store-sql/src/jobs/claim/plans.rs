//! The claim's statements use the claim's index, on both databases, with tables that were filled since their plans
//! were made and never analysed: the worst the planner can meet.
#![expect(clippy::disallowed_methods, reason = "tests make ids of their own")]

use std::sync::Arc;

use domain::build::WorkerBuild;
use domain::claim::Grant;
use domain::id::{JobId, LeaseToken};
use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::{LaneId, QueueName, Tier};
use domain::retry::Backoff;
use domain::time::{DurationMs, Timestamp};
use sea_orm::{ConnectionTrait, Statement, Value};
use store::jobs::{ClaimRequest, JobStore, NewJob};
use uuid::Uuid;

use super::{grants, locked, net, nonempty, take, take_sqlite};
use crate::bind::{self, Cell, List, Parameters as _};
use crate::dialect::Dialect;
use crate::memory_counts::Counts;
use crate::options::{Pooler, StoreOptions, Synchronous, TimeSource};
use crate::packed;
use crate::select::Select;
use crate::sql::Sql;
use crate::store::SqlStore;

const NOW: Timestamp = Timestamp(1_000_000);
const TENANTS: u128 = 20;

/// Keeps the server from analysing tables by itself, which it may do at any time: plans are looked at with the statistics
/// that a test says.
const NO_AUTOVACUUM: &str = "DO $$ DECLARE each_table regclass; BEGIN
    FOR each_table IN SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
        EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', each_table);
    END LOOP;
END $$";

pub(crate) async fn open(url: String) -> Arc<SqlStore> {
    let store = open_small(url).await;
    fill(&store, 4_000).await;
    store
}

/// A store with a single job, which is claimed.
pub(super) async fn open_small(url: String) -> Arc<SqlStore> {
    let store = open_empty(url).await;
    // A claim while the tables are empty, so that plans are made then.
    fill(&store, 1).await;
    assert_eq!(store.claim(&request(10)).await.expect("claims work").len(), 1);
    store
}

/// A store without jobs, whose tables are analysed by nobody but the test.
pub(crate) async fn open_empty(url: String) -> Arc<SqlStore> {
    let synchronous = Synchronous::Normal;
    let options = StoreOptions {
        url,
        connections_max: 2,
        synchronous,
        migrate: true,
        pooler: Pooler::Session,
        listen_url: None,
        schema: "public".to_owned(),
        statement_timeout: std::time::Duration::from_mins(1),
        limits: Vec::new(),
        lease_time: TimeSource::Caller,
    };
    let store = SqlStore::connect(&options).await.expect("a new database can be opened");
    if store.dialect() == Dialect::Postgres {
        store.pool().write().execute_unprepared(NO_AUTOVACUUM).await.expect("the role may change its tables");
    }
    store
}

async fn fill(store: &SqlStore, jobs: u128) {
    fill_over(store, jobs, TENANTS).await;
}

pub(super) async fn fill_over(store: &SqlStore, jobs: u128, tenants: u128) {
    let job = |number: u128| NewJob {
        id: JobId::from_uuid(Uuid::new_v4()),
        queue: QueueName::Node,
        tier: Tier::Normal,
        tenant: TenantName::trusted(format!("tenant{}", number % tenants)),
        workflow: None,
        job_type: JobType::trusted("encode"),
        data: "{}".into(),
        run_at: NOW,
        expires_at: None,
        retries_max: 3,
        backoff: Backoff::default(),
        timeout: None,
        unique_key: None,
        concurrency_key: None,
        rate_key: None,
        tags: Vec::new(),
        traceparent: None,
        execution_id: None,
        node_id: None,
        attributes: Vec::new(),
    };
    let jobs: Vec<NewJob> = (0..jobs).map(job).collect();
    store.enqueue(&jobs, NOW).await.expect("jobs can be enqueued");
}

pub(super) fn request(jobs_max: u32) -> ClaimRequest {
    ClaimRequest {
        build: WorkerBuild::Any,
        queue: QueueName::Node,
        tenant: None,
        job_types: None,
        jobs_max,
        lease: DurationMs::from_secs(30),
        worker_id: WorkerId::trusted("worker"),
        others: Vec::new(),
        tokens: (0..jobs_max).map(|_| LeaseToken(Uuid::new_v4())).collect(),
        now: NOW,
    }
}

/// The plan of a statement as text.
pub(crate) async fn plan(store: &SqlStore, sql: &Sql, values: Vec<Value>) -> String {
    explained(store, sql.text(store.dialect()), values).await
}

/// The plan of a list as text.
pub(crate) async fn plan_of(store: &SqlStore, select: Select) -> String {
    let (text, values) = select.into_parts(store.dialect());
    explained(store, &text, values).await
}

async fn explained(store: &SqlStore, text: &str, values: Vec<Value>) -> String {
    let (dialect, on) = (store.dialect(), store.pool().write());
    let (explain, column) = match dialect {
        Dialect::Postgres => ("EXPLAIN", "QUERY PLAN"),
        Dialect::Sqlite => ("EXPLAIN QUERY PLAN", "detail"),
    };
    let text = format!("{explain} {text}");
    let statement = Statement::from_sql_and_values(on.get_database_backend(), text, values);
    let rows = on.query_all_raw(statement).await.expect("the statement is valid");
    let lines = rows.iter().map(|row| row.try_get::<String>("", column).expect("plans are text"));
    lines.collect::<Vec<_>>().join("\n")
}

pub(in crate::jobs) fn assert_uses(plan: &str, index: &str) {
    assert!(plan.contains(index), "the plan does not use {index}:\n{plan}");
    assert!(!plan.contains("Seq Scan on job"), "the plan reads the whole table:\n{plan}");
    // SQLite: SEARCH uses an index, SCAN reads everything (subqueries, CTEs and bound rows may be scanned).
    let is_scan = plan
        .lines()
        .any(|line| line.contains("SCAN job") || line.contains("SCAN j ") || line.ends_with("SCAN j"));
    assert!(!is_scan, "the plan reads the whole table:\n{plan}");
}

async fn check(store: &SqlStore) {
    let queue: Value = QueueName::Node.code().into();
    let lanes = vec![queue.clone(), (-1_i32).into(), 1_000_i64.into()];
    assert_uses(&plan(store, &nonempty::NONEMPTY, lanes).await, "job_claim");
    let window = vec![queue.clone(), (-1_i32).into(), nonempty::JOBS_PER_WINDOW.into()];
    let window = plan(store, &nonempty::WINDOW, window).await;
    assert_uses(&window, "job_claim");
    assert!(!window.contains("Sort") && !window.contains("TEMP B-TREE"), "the jobs are sorted:\n{window}");
    let heads = vec![queue.clone(), Tier::High.code().into(), 0_i32.into(), net::HEADS_PER_PAGE.into()];
    let heads = plan(store, &net::HEADS, heads).await;
    assert_uses(&heads, "job_claim");
    assert_uses(&heads, "lane_tier");
    assert!(!heads.contains("Sort") && !heads.contains("TEMP B-TREE"), "lanes or jobs are sorted:\n{heads}");
    let mut known = vec![queue.clone()];
    let cells = [1, 2, 3].into_iter().map(|lane| [Cell::Int(lane), Cell::Long(7)]);
    known.extend(bind::rows(store.dialect(), cells));
    let probe = plan(store, &nonempty::PROBE, known).await;
    assert_uses(&probe, "job_claim");
    assert!(!probe.contains("Sort") && !probe.contains("TEMP B-TREE"), "jobs are sorted:\n{probe}");
    assert_uses(&plan(store, &locked::RUNNING, vec![queue.clone()]).await, "job_leased");
    let grants = [
        Grant { lanes: vec![LaneId(1)], take: 3, ..Grant::default() },
        Grant { lanes: vec![LaneId(2), LaneId(3)], take: 2, ..Grant::default() },
    ];
    let grants = grants::Grants::of(&grants, &Counts::default());
    match store.dialect() {
        Dialect::Postgres => {
            check_counted(store, &queue).await;
            check_takes(store, &queue, &grants).await;
        }
        Dialect::Sqlite => {
            check_parts(store, &queue).await;
            let values = vec![queue.clone(), 1_i32.into(), 0_i64.into(), 5_i64.into(), None::<i64>.into()];
            assert_uses(&plan(store, &take_sqlite::JOBS, values).await, "job_claim");
            let mut values = vec![queue, None::<i64>.into()];
            grants.add_to(&mut values, Dialect::Sqlite);
            assert_uses(&plan(store, &take_sqlite::PICK, values).await, "job_claim");
            let mut values: Vec<Value> = vec![0_i64.into(), 0_i64.into(), 0_i64.into(), "worker".into()];
            values.push(packed::uuids((0..5).map(|_| Uuid::new_v4())));
            values.extend([1_i64.into(), 5_i64.into(), 1_i16.into(), 1_i32.into()]);
            let run = plan(store, &take_sqlite::TAKE_RUN, values).await;
            assert_uses(&run, "INTEGER PRIMARY KEY (rowid>? AND rowid<?)");
            let mut values: Vec<Value> = vec![0_i64.into(), 0_i64.into(), 0_i64.into(), "worker".into()];
            values.push(packed::uuids((0..5).map(|_| Uuid::new_v4())));
            values.push(packed::longs([1, 2, 3].into_iter()));
            assert_uses(&plan(store, &take_sqlite::TAKE, values).await, "INTEGER PRIMARY KEY");
        }
    }
}

/// The statements that take jobs of these grants, on PostgreSQL.
async fn check_takes(store: &SqlStore, queue: &Value, grants: &grants::Grants) {
    let by_lock = [&take::LOCKED, &take::LOCKED_MERGED];
    let by_epoch = [&take::EXPECTED, &take::EXPECTED_MERGED];
    let with_starts = [&take::EXPECTED_STARTS, &take::EXPECTED_STARTS_MERGED];
    for sql in by_lock.into_iter().chain(by_epoch).chain(with_starts) {
        let mut values = vec![queue.clone(), None::<i64>.into(), 1_i64.into(), 0_i64.into()];
        values.push(bind::texts(Dialect::Postgres, ["worker"].into_iter()));
        values.push(bind::uuids(Dialect::Postgres, (0..5).map(|_| Uuid::new_v4())));
        // The nonce alone: the place is looked for by the index.
        let mark = sql.name().starts_with("claim_expected").then(|| "0 ".to_owned());
        values.push(mark.into());
        grants.add_to(&mut values, Dialect::Postgres);
        values.add_list(List::Ints(vec![1]));
        if sql.name().starts_with("claim_expected_starts") {
            add_starts(&mut values);
        }
        let plan = plan(store, sql, values).await;
        assert_uses(&plan, "job_claim");
        assert!(plan.contains("TID Cond: (ctid = "), "jobs are not found by their places:\n{plan}");
        assert!(
            !plan.contains("Sort Key: q.position"),
            "the probe sorts what it should read in order:\n{plan}"
        );
        assert!(!plan.contains("on queue_claim") || plan.contains("Tid Scan on queue_claim"), "{plan}");
        assert!(plan.contains("One-Time Filter"), "the gate is not looked at first:\n{plan}");
    }
}

/// The parameters of counted starts: of the queue, by all lanes, and of a tenant by one.
fn add_starts(to: &mut Vec<Value>) {
    to.extend([0_i64.into(), 1_i64.into()]);
    let count = |nth, scope, name| {
        let (head, tail) = (Cell::Text("["), Cell::Text("]"));
        let (base, step, expires_at) = (Cell::Long(0), Cell::Long(1), Cell::Long(60_000));
        [
            Cell::Int(nth),
            Cell::Text(scope),
            Cell::Text(""),
            Cell::Text(name),
            head,
            base,
            step,
            tail,
            expires_at,
        ]
    };
    let counts = [count(0, "global", ""), count(1, "tenant", "tenant1")];
    to.extend(bind::rows(Dialect::Postgres, counts.into_iter()));
    let lanes = [(0, 1), (0, 2), (0, 3), (1, 1)].map(|(nth, lane)| [Cell::Int(nth), Cell::Int(lane)]);
    to.extend(bind::rows(Dialect::Postgres, lanes.into_iter()));
}

/// The claim that counts what it takes, on PostgreSQL: each part of a lane is a probe of its index, whatever else waits.
async fn check_counted(store: &SqlStore, queue: &Value) {
    let grant = Grant { lanes: vec![LaneId(1), LaneId(2)], take: 3, caps: vec![2, 3], firsts: None };
    let of_executions = Grant { lanes: vec![LaneId(3)], take: 3, caps: Vec::new(), firsts: Some(1) };
    let grants = grants::Grants::of(&[grant, of_executions], &Counts::default());
    assert!(grants.is_counted && grants.rows.len() == 4, "two lanes, and two parts of one");
    let mut values = vec![queue.clone(), None::<i64>.into(), 1_i64.into(), 0_i64.into()];
    values.push(bind::texts(Dialect::Postgres, ["worker"].into_iter()));
    values.push(bind::uuids(Dialect::Postgres, (0..6).map(|_| Uuid::new_v4())));
    values.push(None::<String>.into());
    grants.add_parts_to(&mut values);
    for list in [vec![1], vec![3, 3], vec![3, 1]] {
        values.add_list(List::Ints(list));
    }
    let plan = plan(store, &take::LOCKED_COUNTED, values).await;
    assert_uses(&plan, "job_claim");
    assert_uses(&plan, "job_resumed");
    assert!(plan.contains("TID Cond: (ctid = "), "jobs are not found by their places:\n{plan}");
    assert!(!plan.contains("Sort Key: q.position"), "the probe sorts what it should read in order:\n{plan}");
}

/// The same on SQLite.
async fn check_parts(store: &SqlStore, queue: &Value) {
    for (sql, index) in [
        (&take_sqlite::COUNTED_ALL, "job_claim"),
        (&take_sqlite::COUNTED_FIRST, "job_claim"),
        (&take_sqlite::COUNTED_RESUMED, "job_resumed"),
    ] {
        let now = None::<i64>.into();
        let values = vec![queue.clone(), 1_i32.into(), 0_i64.into(), 5_i64.into(), now, 0_i32.into()];
        let plan = plan(store, sql, values).await;
        assert_uses(&plan, index);
        assert!(!plan.contains("TEMP B-TREE"), "jobs are sorted:\n{plan}");
    }
}

#[tokio::test]
async fn i06_claims_use_their_indexes_on_sqlite() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let store = open(format!("sqlite://{}", directory.path().join("plans.db").display())).await;
    check(&store).await;
}

#[tokio::test]
async fn i06_claims_use_their_indexes_on_postgres() {
    let store = open_small(testkit::database::postgres_database().await).await;
    // A connection keeps the plan that it made first, however the tables have grown since.
    check(&store).await;
    store.pool().write().execute_unprepared("ANALYZE job").await.expect("jobs can be counted");
    check(&store).await;
    fill(&store, 4_000).await;
    check(&store).await;
    // Beside many lanes, of which most are empty.
    fill_over(&store, 10_000, 5_000).await;
    check(&store).await;
}

/// Steps, then windows, then steps again, because of a lane with more jobs than a window.
async fn check_listing(store: &SqlStore) {
    fill_over(store, 5_000, 2_500).await;
    fill_over(store, 4_500, 1).await;
    fill_over(store, 1_500, 1_500).await;
    let listed = nonempty::nonempty_lanes(store, QueueName::Node).await.expect("lanes can be listed");
    assert_eq!(listed.len(), 2_500);
    assert!(listed.is_sorted_by(|a, b| a.0 < b.0), "none is missing or listed twice");
}

#[tokio::test]
async fn all_lanes_are_listed_on_sqlite() {
    let store = open_small("sqlite::memory:".to_owned()).await;
    check_listing(&store).await;
}

#[tokio::test]
async fn all_lanes_are_listed_on_postgres() {
    let store = open_small(testkit::database::postgres_database().await).await;
    check_listing(&store).await;
}
