//! Statements over batches of leases find each job by its id, however many jobs are leased or wait, with tables that were
//! filled since their plans were made and never analysed.
#![expect(clippy::disallowed_methods, reason = "tests make ids of their own")]

use std::sync::Arc;

use sea_orm::Value;
use uuid::Uuid;

use super::claim::plans::{assert_uses, open};
use super::{eager, end, enqueue_fast, expiry, finish, finish_fast, leases, offers, promote, retry};
use crate::bind::{self, Cell, List, Parameters};
use crate::dialect::Dialect;
use crate::packed;
use crate::sql::Sql;
use crate::store::SqlStore;

/// So many rows are bound.
const ROWS: usize = 3;

fn rows<const N: usize>(dialect: Dialect, cells: [Cell<'static>; N]) -> Vec<Value> {
    bind::rows(dialect, std::iter::repeat_n(cells, ROWS))
}

fn with_now(rows: Vec<Value>) -> Vec<Value> {
    std::iter::once(0_i64.into()).chain(rows).collect()
}

fn id() -> Cell<'static> {
    Cell::Uuid(Uuid::new_v4())
}

pub(crate) use super::claim::plans::{open_empty, plan, plan_of};

/// Fails where a statement does not use this index.
pub(crate) async fn assert_plan_uses(store: &SqlStore, sql: &Sql, values: Vec<Value>, index: &str) {
    assert_uses(&plan(store, sql, values).await, index);
}

/// A store of many jobs.
pub(crate) async fn open_store(url: String) -> Arc<SqlStore> {
    open(url).await
}

/// Fails where a statement on PostgreSQL does not find jobs by their ids.
pub(crate) async fn assert_finds_jobs_by_id(store: &SqlStore, sql: &Sql, values: Vec<Value>) -> String {
    let plan = plan(store, sql, values).await;
    assert_uses(&plan, "job_id_key");
    assert!(!plan.contains("job_leased"), "{} goes through what is leased:\n{plan}", sql.name());
    plan
}

/// What both databases run.
async fn check_leases(store: &SqlStore) {
    let (dialect, text) = (store.dialect(), Cell::Text("x"));
    let long = Cell::Long(1);
    let with_span = |rows: Vec<Value>| with_now(std::iter::once(1_i64.into()).chain(rows).collect());
    let cases: [(&Sql, Vec<Value>); 9] = [
        (&leases::EXTEND, with_now(rows(dialect, [id(), id(), long, text]))),
        (&retry::RELEASE, with_now(rows(dialect, [id(), id(), long, Cell::Int(0)]))),
        (&leases::LEASED, rows(dialect, [Cell::Int(0), id(), id()])),
        (&offers::AMONG, rows(dialect, [Cell::Int(0), id(), id()])),
        (&offers::ACCEPT, with_span(rows(dialect, [id(), id(), id(), text]))),
        (&offers::KEEP, with_span(rows(dialect, [id(), id()]))),
        (&offers::JOBS, rows(dialect, [id(), id()])),
        (&retry::RETRY, with_now(rows(dialect, [id(), id(), long, text, Cell::Int(0)]))),
        (&end::SETTLED_BEFORE, rows(dialect, [Cell::Int(0), id(), id()])),
    ];
    let by_id = if dialect == Dialect::Postgres { "job_id_key" } else { "sqlite_autoindex_job_1" };
    for (sql, values) in cases {
        let plan = plan(store, sql, values).await;
        assert_uses(&plan, by_id);
        assert!(!plan.contains("job_leased"), "{} goes through what is leased:\n{plan}", sql.name());
    }
}

/// What upkeep looks at several times a second.
async fn check_looks(store: &SqlStore) {
    let look = plan(store, &promote::LOOK, vec![]).await;
    for index in ["job_due", "job_parked", "job_blocked"] {
        assert_uses(&look, index);
    }
    assert_uses(&plan(store, &leases::FIRST_END, vec![None::<i64>.into()]).await, "job_leased");
    assert_uses(&plan(store, &expiry::DUE, vec![0_i64.into(), 10_i64.into()]).await, "job_expiry");
    let defer = plan(store, &leases::DEFER, vec![0_i64.into(), 10_i64.into()]).await;
    assert_uses(&defer, "job_leased");
    let found_again = match store.dialect() {
        Dialect::Postgres => "TID Cond: (ctid = ",
        Dialect::Sqlite => "INTEGER PRIMARY KEY",
    };
    assert!(defer.contains(found_again), "renewed leases are not found by their places:\n{defer}");
}

#[tokio::test]
async fn i06_looks_of_upkeep_are_single_steps_on_sqlite() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let store = open(format!("sqlite://{}", directory.path().join("plans.db").display())).await;
    check_looks(&store).await;
}

#[tokio::test]
async fn i06_looks_of_upkeep_are_single_steps_on_postgres() {
    let store = open(testkit::database::postgres_database().await).await;
    check_looks(&store).await;
}

#[tokio::test]
async fn i06_leases_are_found_by_id_on_sqlite() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let store = open(format!("sqlite://{}", directory.path().join("plans.db").display())).await;
    check_leases(&store).await;
    let ended = [id(), id(), Cell::Text("x"), Cell::Text("x"), Cell::Text("x"), Cell::Text("x")];
    let values = with_now(rows(Dialect::Sqlite, ended));
    assert_uses(&plan(&store, &finish::COPY_SQLITE, values).await, "sqlite_autoindex_job_1");
    let pairs = packed::uuid_pairs([(Uuid::new_v4(), Uuid::new_v4())].into_iter());
    let mut values: Vec<Value> = vec![0_i64.into(), pairs];
    values.extend(packed::texts([Some("1")].into_iter()));
    assert_uses(&plan(&store, &finish::COPY, values).await, "sqlite_autoindex_job_1");
    let mut values: Vec<Value> =
        vec![0_i64.into(), packed::long_digits([1].into_iter()), packed::uuids([Uuid::nil()].into_iter())];
    values.extend(packed::texts([Some("1")].into_iter()));
    assert_uses(&plan(&store, &finish_fast::COPY, values).await, "INTEGER PRIMARY KEY");
    let token = || packed::uuids([Uuid::nil()].into_iter());
    let mut values: Vec<Value> = vec![0_i64.into(), 1_i64.into(), 1_i64.into(), token()];
    values.extend(packed::spread_texts([Some("1")].into_iter()));
    assert_uses(&plan(&store, &finish_fast::COPY_RUN, values).await, "INTEGER PRIMARY KEY");
    let values = vec![1_i64.into(), 1_i64.into(), token()];
    assert_uses(&plan(&store, &finish_fast::DROP_RUN, values).await, "INTEGER PRIMARY KEY");
    let values = vec![packed::longs([1].into_iter())];
    assert_uses(&plan(&store, &finish::FINISH_SQLITE_DROP, values).await, "INTEGER PRIMARY KEY");
}

#[tokio::test]
async fn i06_leases_are_found_by_id_on_postgres() {
    let store = open(testkit::database::postgres_database().await).await;
    check_leases(&store).await;
    let ended = [id(), id(), Cell::Text("x"), Cell::Text("x"), Cell::Text("x"), Cell::Text("x")];
    let plain = [id(), id(), Cell::Text("x")];
    let cases = [
        (&finish::FINISH_POSTGRES, with_now(rows(Dialect::Postgres, ended))),
        (&finish_fast::FINISH_FAST, with_now(rows(Dialect::Postgres, plain))),
    ];
    for (sql, values) in cases {
        assert_finds_jobs_by_id(&store, sql, values).await;
    }
}

#[tokio::test]
async fn i06_an_eager_insert_looks_for_nothing_but_ids_on_postgres() {
    let store = open(testkit::database::postgres_database().await).await;
    let (int, long, text) = (Cell::Int(1), Cell::Long(1), Cell::Text("x"));
    let cells = [
        int,
        id(),
        int,
        int,
        text,
        int,
        long,
        long,
        int,
        long,
        text,
        text,
        text,
        text,
        text,
        Cell::UuidOrNull(None),
        text,
        text,
    ];
    let mut values = with_now(rows(Dialect::Postgres, cells));
    values.extend([1_i16.into(), 7_i64.into(), Value::from("0 (0,1)".to_owned())]);
    values.extend([bind::uuids(Dialect::Postgres, [Uuid::nil()].into_iter()), Value::from("w".to_owned())]);
    values.extend([Value::from(1_i64), None::<i64>.into()]);
    values.add_list(List::Ints(vec![1]));
    values.add_list(List::Longs(vec![7]));
    let plan = plan(&store, &eager::ENQUEUE, values).await;
    assert_uses(&plan, "job_done_pkey");
    assert!(plan.contains("Tid Scan on queue_claim"), "the row of the queue is looked for:\n{plan}");
    assert_uses(&plan, "job_claim");
    assert!(!plan.contains("Scan on job "), "waiting jobs are read:\n{plan}");
}

/// Positions are given in the order in which rows are inserted, which is that of the batch as long as nothing sorts it.
#[tokio::test]
async fn jobs_are_inserted_in_order_on_postgres() {
    let store = open(testkit::database::postgres_database().await).await;
    let none: Option<String> = None;
    let mut values: Vec<Value> = vec![0_i64.into(), 1_i16.into(), 3_i32.into(), 1_i16.into()];
    values.extend([Value::from(None::<i64>), none.clone().into(), none.clone().into(), none.clone().into()]);
    values.extend(rows(Dialect::Postgres, [id(), Cell::Int(1), Cell::Long(1), Cell::Text("{}")]));
    values.push(none.into());
    let plan = plan(&store, &enqueue_fast::POSTGRES, values).await;
    assert!(plan.contains("Nested Loop Anti Join") && plan.contains("job_done_pkey"), "{plan}");
    assert!(!plan.contains("Sort"), "the batch is sorted:\n{plan}");
}
