//! Counts of jobs read their index and no job, and leave out checks of schedules all the same.

use domain::access::TenantScope;
use domain::attribute::Searchable;
use domain::queue::QueueName;
use domain::search::{Search, SearchList, parse_query};
use domain::time::Timestamp;
use sea_orm::ConnectionTrait as _;
use store::search::SearchStore as _;
use testkit::database::postgres_database;

use super::super::attributes::Attributes;
use super::super::parts::{Table, parts};
use super::super::source::{Source, Span};
use super::super::walk::{lanes_of, source_of};
use super::seed::{BASE, JOBS, seed};
use crate::dialect::Dialect;
use crate::jobs::plans::{open_empty, plan_of};
use crate::store::SqlStore;

/// How a plan says that the rows of an index are all that is read.
fn is_of_index_alone(plan: &str, dialect: Dialect, index: &str) -> bool {
    match dialect {
        Dialect::Postgres => ["", "Backward "]
            .iter()
            .any(|direction| plan.contains(&format!("Index Only Scan {direction}using {index} "))),
        Dialect::Sqlite => plan.contains(&format!("COVERING INDEX {index} ")),
    }
}

async fn counts_read_no_job(url: String) {
    let store = open_empty(url).await;
    let searchable = seed(&store).await;
    // PostgreSQL knows then which pages need not be looked at, as it does of rows that are not new.
    let known =
        if store.dialect() == Dialect::Postgres { "VACUUM ANALYZE job_done, lane" } else { "ANALYZE" };
    store.pool().write().execute_unprepared(known).await.expect("tables can be analysed");
    let (on, scope) = (store.pool().lists(), TenantScope::All);
    let span = Span { after: None, floor: None, limit: 10_001 };
    for (query, index) in [
        ("status:CANCELLED", "job_done_unsuccessful"),
        ("status:FAILED,DEAD_LETTER", "job_done_unsuccessful"),
        ("tenant:tenant3", "job_done_lane"),
        ("workflow:flow6", "job_done_lane"),
        ("tenant:tenant3 status:CANCELLED", "job_done_lane_unsuccessful"),
    ] {
        let terms = parse_query(SearchList::Jobs, query, Timestamp(BASE), &searchable).expect(query);
        let search = Search { terms, ..Search::all(SearchList::Jobs) };
        let (parts, attributes) = (parts(&search), Attributes::default());
        let lanes = lanes_of(on, &scope, &search, &parts).await.expect("lanes can be read");
        for part in parts.into_iter().filter(|part| part.table == Table::JobDone) {
            let source = source_of(on, (&scope, &search), part, lanes.as_deref(), &attributes);
            let has_checks = source.is_of_a_status_alone();
            assert_eq!(has_checks, lanes.is_none(), "{query}");
            let plan = plan_of(&store, Source { has_checks, ..source }.count(span)).await;
            assert!(is_of_index_alone(&plan, store.dialect(), index), "{query}:\n{plan}");
            if has_checks {
                let plan = plan_of(&store, source.checks()).await;
                assert!(is_of_index_alone(&plan, store.dialect(), "job_done_ended"), "{query}:\n{plan}");
            }
        }
    }
}

#[tokio::test]
async fn i06_counts_of_jobs_read_no_job_on_postgres() {
    counts_read_no_job(postgres_database().await).await;
}

#[tokio::test]
async fn i06_counts_of_jobs_read_no_job_on_sqlite() {
    counts_read_no_job("sqlite::memory:".to_owned()).await;
}

/// How many jobs a query finds, and whether that is all of them.
async fn counted(store: &SqlStore, query: &str, limit: u64) -> (u64, bool) {
    let terms = parse_query(SearchList::Jobs, query, Timestamp(BASE), &Searchable::default());
    let terms = terms.expect(query);
    let search = Search { terms, ..Search::all(SearchList::Jobs) };
    let counted = store.count_found(&TenantScope::All, &search, limit).await.expect(query);
    (counted.value, counted.is_exact)
}

async fn checks_are_not_counted(url: String) {
    const LANES: i64 = 40;
    let store = open_empty(url).await;
    seed(&store).await;
    let write = store.pool().write();
    let checks = QueueName::Scheduled.code();
    // Lane 8 has half of the jobs that were cancelled, lane 28 the others; both are of tenant 7.
    let cancelled = u64::try_from(JOBS / 100).expect("a number");
    let of_lane = u64::try_from(JOBS / LANES).expect("a number");
    assert_eq!(counted(&store, "status:CANCELLED", 10_001).await, (cancelled, true));
    assert_eq!(counted(&store, "tenant:tenant7", 10_001).await, (4 * of_lane, true));
    for text in [
        format!("UPDATE lane SET queue = {checks} WHERE id = 8"),
        format!("UPDATE job_done SET queue = {checks} WHERE lane = 8"),
    ] {
        write.execute_unprepared(&text).await.expect("the statement is valid");
    }
    let rest = cancelled / 2;
    assert_eq!(counted(&store, "status:CANCELLED", 10_001).await, (rest, true));
    assert_eq!(counted(&store, "status:CANCELLED", 10).await, (10, true), "as many as were asked for");
    assert_eq!(
        counted(&store, "status:CANCELLED queue:workflow-scheduled", 10_001).await.0,
        cancelled - rest
    );
    assert_eq!(counted(&store, "tenant:tenant7", 10_001).await, (3 * of_lane, true));
    assert_eq!(counted(&store, "tenant:tenant7 status:CANCELLED", 10_001).await, (rest, true));
    // More than are counted apart.
    for text in [
        format!("UPDATE lane SET queue = {checks} WHERE id = 18"),
        format!("UPDATE job_done SET queue = {checks}, status = 'CANCELLED' WHERE lane IN (8, 18)"),
    ] {
        write.execute_unprepared(&text).await.expect("the statement is valid");
    }
    assert_eq!(counted(&store, "status:CANCELLED", 10_001).await, (rest, true));
}

#[tokio::test]
async fn i06_checks_of_schedules_are_not_counted_on_postgres() {
    checks_are_not_counted(postgres_database().await).await;
}

#[tokio::test]
async fn i06_checks_of_schedules_are_not_counted_on_sqlite() {
    checks_are_not_counted("sqlite::memory:".to_owned()).await;
}
