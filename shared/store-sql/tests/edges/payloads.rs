//! Large payloads in their own table: what is stored, and that nothing stays behind. A database in memory cannot be
//! looked into from beside the store.

use domain::names::CallerKey;
use sqlx::{Connection as _, Row as _};
use store::conformance::fixture::{T0, after_secs, claim_nodes, complete, enqueue, job};
use store::dead_letters::{DeadLetterStore as _, RequeueEdit};
use store::jobs::{JobStore as _, NewJob};
use store::operations::OperationsStore as _;
use testkit::database::TestStore;

use crate::fixture::{ALL, die, only_letter};
use crate::retention::keep_from;

#[tokio::test]
async fn leave_nothing_behind_on_a_sqlite_file() {
    leave_nothing_behind(&testkit::database::sqlite_file().await).await;
}

#[tokio::test]
async fn leave_nothing_behind_on_postgres() {
    leave_nothing_behind(&testkit::database::postgres().await).await;
}

/// How many payloads are stored, and the longest text in the rows of jobs and dead letters.
async fn stored(test: &TestStore) -> (i64, i64) {
    const QUERY: &str = "SELECT (SELECT count(*) FROM payload) AS payloads, (SELECT max(n) FROM (
        SELECT max(length(data)) AS n FROM job UNION ALL SELECT max(length(data)) FROM job_done
        UNION ALL SELECT max(length(data)) FROM dead_letter UNION ALL SELECT 0) AS lengths) AS longest";
    if test.store.is_postgres() {
        let mut connection = sqlx::PgConnection::connect(&test.url).await.expect("the server answers");
        let row = sqlx::query(QUERY).fetch_one(&mut connection).await.expect("the query is valid");
        return (row.get(0), i64::from(row.get::<i32, _>(1)));
    }
    let mut connection = sqlx::SqliteConnection::connect(&test.url).await.expect("the file is there");
    let row = sqlx::query(QUERY).fetch_one(&mut connection).await.expect("the query is valid");
    (row.get(0), row.get(1))
}

async fn leave_nothing_behind(test: &TestStore) {
    let store = &test.store;
    let large = || format!("\"{}\"", "x".repeat(9_998));
    let new = NewJob { data: large(), unique_key: Some(CallerKey::trusted("k")), ..job() };
    let repeated = NewJob { id: job().id, ..new.clone() };
    enqueue(store.as_ref(), std::slice::from_ref(&new)).await;
    enqueue(store.as_ref(), &[repeated]).await;
    assert_eq!(stored(test).await, (1, 6), "one payload, and a reference to it");
    die(store, &claim_nodes(store.as_ref(), 1, T0).await[0]).await;
    assert_eq!(stored(test).await, (2, 6), "a dead letter has its own");
    let edit = RequeueEdit { data: Some("{}".into()), ..RequeueEdit::default() };
    let letter = only_letter(store).await;
    store.requeue_dead_letter(&ALL, letter, &edit, T0).await.expect("requeue works");
    assert_eq!(stored(test).await, (1, 6), "the job has none any more");
    complete(store.as_ref(), &claim_nodes(store.as_ref(), 1, T0).await[0], T0).await;
    let cancelled = NewJob { data: large(), ..job() };
    enqueue(store.as_ref(), std::slice::from_ref(&cancelled)).await;
    store.cancel_job(&ALL, cancelled.id, T0).await.expect("cancel works");
    assert_eq!(stored(test).await, (2, 6), "ended jobs keep theirs");
    assert_eq!(store.prune(&keep_from(after_secs(99)), 10).await.expect("prune works"), 3);
    assert_eq!(stored(test).await, (0, 0), "what is removed takes its payload along");
}
