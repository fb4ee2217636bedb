//! The thirty named pairs are read by indexes: with tables that were filled since their plans were made and never analysed,
//! and with tables that were.

mod counts;
mod seed;

use std::collections::BTreeSet;

use domain::access::TenantScope;
use domain::attribute::{AttributeId, AttributeType, Searchable};
use domain::names::{AttributeName, TenantName};
use domain::queue::QueueName;
use domain::search::{Order, Search, SearchList, Term, TermValue, parse_query};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait as _, QueryResult, Statement, Value};
use store::search::{NAMED_PAIRS, SearchPage, SearchStore as _};
use testkit::database::postgres_database;
use uuid::Uuid;

use self::seed::{BASE, DEAD, EXECUTION_MS, EXECUTIONS, JOB_MS, JOBS, seed, value_of};
use super::attributes::Attributes;
use super::order::INDEXES;
use super::parts::{Table, parts};
use super::source::{LANE_WINDOW_MIN, Source, Span};
use super::walk::{self, Counting, lanes_of, source_of};
use crate::dialect::Dialect;
use crate::jobs::plans::{open_empty, plan_of};
use crate::select::Select;
use crate::store::SqlStore;

const WINDOW: i64 = 1_000;

/// Fails where a big table is read without an index, or, where the order of the index is that of the list, sorted.
fn assert_by_index(plan: &str, name: &str, is_in_order: bool) {
    for table in ["job_done", "execution", "dead_letter", "attribute_value"] {
        assert!(!plan.contains(&format!("Seq Scan on {table}")), "{name}:\n{plan}");
    }
    let scan = plan.lines().find(|line| {
        let is_whole = line.contains("SCAN ") && !line.contains("USING") && !line.contains("json_each");
        is_whole && ["SCAN j", "SCAN e", "SCAN d", "SCAN a", "SCAN i"].iter().any(|scan| line.contains(scan))
    });
    assert_eq!(scan, None, "{name}:\n{plan}");
    assert!(!plan.contains("AUTOMATIC"), "{name}:\n{plan}");
    assert!(!is_in_order || !plan.contains("TEMP B-TREE FOR ORDER BY"), "{name} is sorted:\n{plan}");
}

/// How many rows a statement reads on PostgreSQL, with those that it passes over, and its plan.
async fn rows_read(store: &SqlStore, select: Select) -> (f64, String) {
    let (text, values) = select.into_parts(store.dialect());
    let text = format!("EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) {text}");
    let statement = Statement::from_sql_and_values(store.dialect().backend(), text, values);
    read_of(&store.pool().write().query_all_raw(statement).await.expect("the statement is valid"))
}

/// The same by the plan that connections keep for any values. `EXPLAIN` of a statement with values plans for these.
async fn rows_read_for_any(store: &SqlStore, select: Select) -> (f64, String) {
    let literal = |value: &Value| match value {
        Value::String(Some(text)) => format!("'{text}'"),
        Value::BigInt(Some(number)) => number.to_string(),
        Value::Uuid(Some(id)) => format!("'{id}'"),
        other => panic!("{other:?} is not expected"),
    };
    let (text, values) = select.into_parts(store.dialect());
    let values = values.iter().map(literal).collect::<Vec<_>>().join(", ");
    let transaction = store.pool().begin().await.expect("transactions begin");
    let prepare = format!("PREPARE probe AS {text}");
    transaction.execute_unprepared(&prepare).await.expect("the statement is valid");
    let explain = format!("EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) EXECUTE probe ({values})");
    let statement = Statement::from_string(store.dialect().backend(), explain);
    let rows = transaction.query_all_raw(statement).await.expect("the statement is valid");
    transaction.execute_unprepared("DEALLOCATE probe").await.expect("it was prepared");
    transaction.rollback().await;
    read_of(&rows)
}

/// How many rows a plan that was carried out read, with those that it passed over, and the plan.
fn read_of(rows: &[QueryResult]) -> (f64, String) {
    let (mut read, mut loops, mut plan) = (0.0, 0.0, String::new());
    for row in rows {
        let line: String = row.try_get("", "QUERY PLAN").expect("plans are text");
        plan.push_str(&line);
        plan.push('\n');
        let number = |before: &str| -> Option<f64> {
            let (_, rest) = line.split_once(before)?;
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            rest[..end].parse().ok()
        };
        if let (Some(rows), Some(of)) = (number("actual rows="), number("loops=")) {
            loops = of;
            let is_of_table =
                line.contains("Scan using") || line.contains("Scan on") && !line.contains("Subquery");
            read += if is_of_table { rows * loops } else { 0.0 };
        }
        read += number("Rows Removed by Filter: ").unwrap_or(0.0) * loops;
    }
    (read, plan)
}

/// Fails where one of the statements of a part of a pair reads more than a window and what a page has of each lane.
///
/// What is read is counted where the planner knows the tables: before, it takes a kind of error for rare, which in a table as small
/// as this one leads to a sort.
async fn check_part(store: &SqlStore, source: Source<'_>, name: &str, is_analyzed: bool) {
    const LIMIT: i64 = 51;
    let is_in_order = !source.is_narrow() && !source.is_by_lane();
    let lanes = source.lanes.map_or(0, <[i64]>::len);
    let is_counted = is_analyzed && store.dialect() == Dialect::Postgres;
    let of_lane = if source.is_by_lane() { LANE_WINDOW_MIN + 1 } else { LIMIT + 1 };
    let rows_max = (3 * WINDOW + of_lane * lanes as i64) as f64;
    let floor = source.needs_windows().then(|| source.floor(None, WINDOW));
    let span = Span { after: None, floor: None, limit: LIMIT };
    let mut floor_place = None;
    if let Some(floor) = floor {
        assert_by_index(&plan_of(store, floor).await, name, is_in_order);
        let floor = source.floor(None, WINDOW).first(store.pool().lists()).await.expect(name);
        floor_place = floor.map(|row| walk::place_of(source.search, &row).expect(name));
        if is_counted {
            let (read, plan) = rows_read(store, source.floor(None, WINDOW)).await;
            assert!(read <= rows_max, "{name}: {read} rows are read to find the end of a window:\n{plan}");
        }
    }
    assert_by_index(&plan_of(store, source.page(span)).await, name, is_in_order);
    let span = Span { floor: floor_place, ..span };
    // As small a part of what matches as a count is at the size that is meant.
    assert_by_index(&plan_of(store, source.count(span)).await, name, false);
    if is_counted {
        for (what, select) in [("a page", source.page(span)), ("a count", source.count(span))] {
            let (read, plan) = rows_read(store, select).await;
            assert!(read <= rows_max, "{name}: {read} rows are read for {what}:\n{plan}");
        }
    }
}

async fn check(store: &SqlStore, searchable: &Searchable, is_analyzed: bool) {
    let (on, scope) = (store.pool().lists(), TenantScope::All);
    for pair in NAMED_PAIRS {
        let search = pair.search(value_of, searchable, Timestamp(BASE)).expect(pair.name);
        let parts = parts(&search);
        let lanes = lanes_of(on, &scope, &search, &parts).await.expect("lanes can be read");
        let attributes = Attributes::of(on, &scope, &search).await.expect("attributes can be read");
        for part in parts {
            let source = source_of(on, (&scope, &search), part, lanes.as_deref(), &attributes);
            check_part(store, source, pair.name, is_analyzed).await;
        }
        let page = SearchPage { limit: 50, after: None };
        let found = store.search(&scope, &search, page).await.expect(pair.name);
        let is_empty = pair.name == "jobs-waiting";
        assert_eq!(found.places.is_empty(), is_empty, "{} finds what the seed has", pair.name);
        let ids: Vec<Uuid> = found.places.iter().map(|place| place.id).collect();
        let read = match pair.list {
            SearchList::Jobs => store.jobs_of(&scope, &ids).await.map(|jobs| jobs.len()),
            SearchList::Executions => {
                store.executions_of(&scope, &ids).await.map(|executions| executions.len())
            }
            _ => store.dead_letters_of(&scope, &ids).await.map(|letters| letters.len()),
        };
        assert_eq!(read.expect(pair.name), ids.len(), "{}: what the seed has can be read", pair.name);
    }
}

async fn named_pairs_use_indexes(url: String) {
    let store = open_empty(url).await;
    let searchable = seed(&store).await;
    check(&store, &searchable, false).await;
    store.pool().write().execute_unprepared("ANALYZE").await.expect("tables can be analysed");
    check(&store, &searchable, true).await;
}

#[tokio::test]
async fn i12_named_pairs_use_indexes_on_postgres() {
    named_pairs_use_indexes(postgres_database().await).await;
}

#[tokio::test]
async fn i12_named_pairs_use_indexes_on_sqlite() {
    named_pairs_use_indexes("sqlite::memory:".to_owned()).await;
}

/// Of a large table SQLite would read all jobs that have failed and sort them, rather than those that ended last.
#[tokio::test]
async fn i12_jobs_by_their_end_keep_to_their_index_on_sqlite() {
    let store = open_empty("sqlite::memory:".to_owned()).await;
    let searchable = seed(&store).await;
    let counts = [
        ("job_done_ended", "10000000 10000000 2500000 1"),
        ("job_done_unsuccessful", "1200000 400000 1"),
        ("job_done_lane_unsuccessful", "1200000 150000 150000 1"),
        ("job_done_lane", "10000000 250000 1"),
    ];
    let write = store.pool().write();
    write.execute_unprepared("ANALYZE").await.expect("tables can be analysed");
    for (index, rows) in counts {
        let count = format!("UPDATE sqlite_stat1 SET stat = '{rows}' WHERE idx = '{index}'");
        write.execute_unprepared(&count).await.expect("the statement is valid");
    }
    write.execute_unprepared("ANALYZE sqlite_schema").await.expect("counts are read again");
    let pair = NAMED_PAIRS.iter().find(|pair| pair.name == "jobs-ended").expect("the pair has this name");
    let search = pair.search(value_of, &searchable, Timestamp(BASE)).expect("the pair is valid");
    let attributes = Attributes::of(store.pool().lists(), &TenantScope::All, &search).await;
    let attributes = attributes.expect("attributes can be read");
    for part in parts(&search).iter().filter(|part| part.table == Table::JobDone) {
        let source = source_of(store.pool().lists(), (&TenantScope::All, &search), *part, None, &attributes);
        let span = Span { after: None, floor: None, limit: 51 };
        let plan = plan_of(&store, source.page(span)).await;
        assert!(plan.contains("job_done_ended"), "{plan}");
    }
}

/// A tenant with one job, one execution and one dead letter, as old as any, beside ten that have many. No list of them reads more
/// than a few rows, though there are so few tenants that the newest rows of all look like a short way to those of one.
#[tokio::test]
async fn i06_lists_of_a_small_tenant_read_few_rows_on_postgres() {
    let store = open_empty(postgres_database().await).await;
    let searchable = seed(&store).await;
    let (on, scope, write) = (store.pool().lists(), TenantScope::All, store.pool().write());
    let lane = format!(
        "INSERT INTO lane (id, queue, tier, tenant, workflow_owner, workflow, job_type)
         VALUES (41, {}, 1, 'small', '', '', 'rare')",
        QueueName::Node.code()
    );
    let oldest = |table: &str, change: &str| {
        format!("UPDATE {table} SET {change} WHERE id = (SELECT id FROM {table} ORDER BY id LIMIT 1)")
    };
    let job = oldest("job_done", "lane = 41");
    let execution = oldest("execution", "tenant = 'small', workflow = 'rare'");
    let letter = oldest("dead_letter", "tenant = 'small', workflow = 'rare', job_type = 'rare'");
    for text in [lane, job, execution, letter, "ANALYZE".to_owned()] {
        write.execute_unprepared(&text).await.expect("the statement is valid");
    }
    for (list, query) in [
        (SearchList::Jobs, "tenant:small"),
        (SearchList::Jobs, "jobType:rare"),
        (SearchList::Jobs, "tenant:small status:COMPLETED"),
        (SearchList::Jobs, "jobType:rare workerId:worker0"),
        (SearchList::Executions, "tenant:small"),
        (SearchList::Executions, "workflow:rare"),
        (SearchList::Executions, "tenant:small status:COMPLETED"),
        (SearchList::DeadLetters, "tenant:small status:open"),
        (SearchList::DeadLetters, "workflow:rare status:open"),
        (SearchList::DeadLetters, "jobType:rare status:open reason:retries_exhausted"),
    ] {
        let terms = parse_query(list, query, Timestamp(BASE), &searchable).expect(query);
        for order in [Order::Asc, Order::Desc] {
            let search = Search { terms: terms.clone(), order, ..Search::all(list) };
            let parts = parts(&search);
            let lanes = lanes_of(on, &scope, &search, &parts).await.expect("lanes can be read");
            let attributes = Attributes::default();
            for part in parts {
                let source = source_of(on, (&scope, &search), part, lanes.as_deref(), &attributes);
                if source.part.table == Table::Job {
                    continue;
                }
                assert!(source.is_by_lane() || source.lead().is_some(), "{query}");
                let span = Span { after: None, floor: None, limit: 51 };
                for select in [source.page(span), source.count(span), source.floor(None, WINDOW)] {
                    let (read, plan) = rows_read_for_any(&store, select).await;
                    assert!(read <= 100.0, "{query}: {read} rows are read:\n{plan}");
                }
            }
            let page = SearchPage { limit: 50, after: None };
            let found = store.search(&scope, &search, page).await.expect(query);
            assert_eq!(found.places.len(), 1, "{query}");
        }
    }
}

/// What failed did so long ago, and what is open died then. Neither is looked for among all that came since.
#[tokio::test]
async fn i06_lists_of_an_old_status_read_few_rows_on_postgres() {
    let store = open_empty(postgres_database().await).await;
    let searchable = seed(&store).await;
    let (on, scope, write) = (store.pool().lists(), TenantScope::All, store.pool().write());
    let changed = |table: &str, count: i64, old: &str, new: &str| {
        format!(
            "UPDATE {table} SET status = CASE WHEN id < (SELECT id FROM {table} ORDER BY id LIMIT 1 OFFSET {count})
             THEN '{old}' ELSE '{new}' END"
        )
    };
    let jobs = changed("job_done", JOBS / 10, "DEAD_LETTER", "COMPLETED");
    for text in [jobs, changed("dead_letter", DEAD / 4, "open", "archived"), "ANALYZE".to_owned()] {
        write.execute_unprepared(&text).await.expect("the statement is valid");
    }
    for (list, query) in [(SearchList::Jobs, "status:DEAD_LETTER"), (SearchList::DeadLetters, "status:open")]
    {
        let terms = parse_query(list, query, Timestamp(BASE), &searchable).expect(query);
        let search = Search { terms, ..Search::all(list) };
        let attributes = Attributes::default();
        let source = source_of(on, (&scope, &search), parts(&search)[0], None, &attributes);
        let span = Span { after: None, floor: None, limit: 51 };
        let page = rows_read_for_any(&store, source.page(span)).await;
        for (read, plan) in [page, rows_read(&store, source.count(span)).await] {
            assert!(read <= 100.0, "{query}: {read} rows are read:\n{plan}");
        }
    }
}

/// What was requeued is in fewer indexes than other letters. Its lists read windows of those that have it.
#[tokio::test]
async fn i06_lists_of_what_was_requeued_read_windows_on_postgres() {
    const ROWS: i64 = 100;
    const READ_MAX: f64 = 4.0 * ROWS as f64;
    let store = open_empty(postgres_database().await).await;
    let searchable = seed(&store).await;
    let (on, scope, write) = (store.pool().lists(), TenantScope::All, store.pool().write());
    let requeued = "UPDATE dead_letter SET status = 'requeued', resolved_at = died_at + 1
         WHERE status = 'open' AND id < (SELECT id FROM dead_letter ORDER BY id LIMIT 1 OFFSET 2000)";
    for text in [requeued, "ANALYZE"] {
        write.execute_unprepared(text).await.expect("the statement is valid");
    }
    for (query, needs_windows) in [
        ("status:requeued", false),
        ("status:requeued fingerprint:f0000000000000000", false),
        ("status:requeued tenant:tenant2 fingerprint:f0000000000000000", false),
        ("status:requeued tenant:tenant2", false),
        ("status:requeued jobType:type1", true),
        ("status:requeued workflow:flow2", true),
    ] {
        let terms = parse_query(SearchList::DeadLetters, query, Timestamp(BASE), &searchable).expect(query);
        let search = Search { terms, ..Search::all(SearchList::DeadLetters) };
        let attributes = Attributes::default();
        let source = source_of(on, (&scope, &search), parts(&search)[0], None, &attributes);
        assert_eq!(source.needs_windows(), needs_windows, "{query}");
        let mut floor = None;
        if needs_windows {
            let (read, plan) = rows_read_for_any(&store, source.floor(None, ROWS)).await;
            assert!(read <= READ_MAX, "{query}: {read} rows are read to find the end of a window:\n{plan}");
            let row = source.floor(None, ROWS).first(on).await.expect(query);
            floor = row.map(|row| walk::place_of(&search, &row).expect(query));
        }
        let page = source.page(Span { after: None, floor, limit: 51 });
        let (read, plan) = rows_read_for_any(&store, page).await;
        assert!(read <= READ_MAX, "{query}: {read} rows are read:\n{plan}");
        let page = SearchPage { limit: 50, after: None };
        let found = walk::search(on, &scope, &search, page, ROWS).await.expect(query);
        assert_eq!(found.places.len(), 50, "{query}");
    }
}

/// What no index answers is looked for in windows: each call says how far it looked, and all of them together find all.
async fn others_read_windows(url: String) {
    const ROWS: i64 = 100;
    const SPAN_MAX: i64 = 10 * ROWS * 5 / 4;
    let store = open_empty(url).await;
    let searchable = seed(&store).await;
    for (list, query, rows, row_ms, matching) in [
        (SearchList::Jobs, "workerId:worker7 status:COMPLETED", JOBS, JOB_MS, JOBS / 100),
        (SearchList::Executions, "trigger:schedule", EXECUTIONS, EXECUTION_MS, EXECUTIONS / 100),
    ] {
        let terms = parse_query(list, query, Timestamp(BASE), &searchable).expect(query);
        let search = Search { terms, ..Search::all(list) };
        let (mut found, mut after, mut calls) = (Vec::new(), None, 0);
        loop {
            let page = SearchPage { limit: 50, after };
            let one = walk::search(store.pool().lists(), &TenantScope::All, &search, page, ROWS).await;
            let one = one.expect("search works");
            calls += 1;
            found.extend(one.places);
            let Some(next) = one.next else { break };
            let scanned_to = one.scanned_to.expect("the page is short").0;
            let looked_at = (BASE + rows * row_ms - scanned_to) / row_ms;
            assert!(looked_at <= calls * SPAN_MAX, "{query}: {looked_at} rows in {calls} calls");
            after = Some(next);
        }
        assert_eq!(found.len() as i64, matching, "{query}");
        assert!(found.is_sorted_by(|one, other| one > other), "{query}: in order, and each once");
        assert!(calls >= rows / SPAN_MAX, "{query}: {calls} calls");
    }
}

#[tokio::test]
async fn other_pairs_are_looked_for_in_windows_on_postgres() {
    others_read_windows(postgres_database().await).await;
}

#[tokio::test]
async fn other_pairs_are_looked_for_in_windows_on_sqlite() {
    others_read_windows("sqlite::memory:".to_owned()).await;
}

/// What is rare and in no index is counted as far as a page would look, and to the end where it is counted far.
async fn counts_are_bounded(url: String) {
    let store = open_empty(url).await;
    let searchable = seed(&store).await;
    let (on, scope) = (store.pool().lists(), TenantScope::All);
    let search = |query: &str| {
        let terms = parse_query(SearchList::Jobs, query, Timestamp(BASE), &searchable).expect(query);
        Search { terms, ..Search::all(SearchList::Jobs) }
    };
    for (query, all) in [
        ("workerId:worker7", JOBS / 50),
        ("tenant:tenant3 workerId:worker3", JOBS / 50),
        ("created:>2000-01-01", JOBS),
        ("jobType:type2 status:DEAD_LETTER", JOBS / 40),
        ("fingerprint:f0000000000000000", DEAD / 2),
        ("", JOBS),
    ] {
        let (search, all) = (search(query), u64::try_from(all).expect("a number"));
        let far = Counting::far(1_000_000, 1_000);
        assert!(walk::count(on, &scope, &search, &far).await.expect(query), "{query}");
        assert_eq!(far.so_far(), all, "{query}");
        let near = Counting::near(10_001, 50);
        let is_exact = walk::count(on, &scope, &search, &near).await.expect(query);
        let is_from_index = query.is_empty() || query.contains("DEAD_LETTER");
        assert_eq!(is_exact, is_from_index, "{query}");
        let counted = near.so_far();
        if is_from_index {
            assert_eq!(counted, all.min(10_001), "{query}");
        } else {
            // Ten windows of fifty rows and one; of the four lanes each window has as many of each.
            assert!(counted > 0 && counted <= 510 && counted < all, "{query}: {counted}");
        }
    }
}

#[tokio::test]
async fn i06_counts_look_at_a_bounded_part_on_postgres() {
    counts_are_bounded(postgres_database().await).await;
}

#[tokio::test]
async fn i06_counts_look_at_a_bounded_part_on_sqlite() {
    counts_are_bounded("sqlite::memory:".to_owned()).await;
}

/// What no index has in its order is sorted for the rows that were made last.
async fn other_orders_are_of_the_newest(url: String) {
    const ROWS: i64 = 100;
    let store = open_empty(url).await;
    let searchable = seed(&store).await;
    let terms =
        parse_query(SearchList::Jobs, "-workerId:worker7", Timestamp(BASE), &searchable).expect("valid");
    for order in [Order::Asc, Order::Desc] {
        let sort = "processed".to_owned();
        let search = Search { terms: terms.clone(), sort, order, ..Search::all(SearchList::Jobs) };
        let (mut found, mut after) = (Vec::new(), None);
        let scanned_to = loop {
            let page = SearchPage { limit: 50, after };
            let one = walk::search(store.pool().lists(), &TenantScope::All, &search, page, ROWS).await;
            let one = one.expect("search works");
            found.extend(one.places);
            after = one.next;
            if after.is_none() {
                break one.scanned_to;
            }
        };
        // One row more than the windows have, less one in fifty.
        assert_eq!(found.len(), 981, "{order:?}");
        if order == Order::Desc {
            found.reverse();
        }
        assert!(found.is_sorted_by(|one, other| one < other), "{order:?}: in order, and each once");
        let first = BASE + (JOBS - 10 * ROWS - 1) * JOB_MS;
        assert_eq!(scanned_to, Some(Timestamp(first)), "it says how far it looked");
    }
}

#[tokio::test]
async fn i06_orders_without_an_index_are_of_the_newest_on_postgres() {
    other_orders_are_of_the_newest(postgres_database().await).await;
}

#[tokio::test]
async fn i06_orders_without_an_index_are_of_the_newest_on_sqlite() {
    other_orders_are_of_the_newest("sqlite::memory:".to_owned()).await;
}

/// Filters by which each index that is named is read, with something that it does not have.
const ORDERS: &[(SearchList, &str, &[&str])] = &[
    (SearchList::Jobs, "created", &["queue:workflow-node", "status:FAILED tag:a"]),
    (SearchList::Jobs, "completed", &["tag:a"]),
    (
        SearchList::Executions,
        "created",
        &[
            "parent:exe_00000000000000000000000000000007 tag:a",
            "correlationId:x status:FAILED",
            "scheduleId:sch_00000000000000000000000000000007 tag:a",
            "workflow:w status:FAILED",
            "tenant:a status:FAILED",
            "status:FAILED",
        ],
    ),
    (SearchList::Executions, "completed", &["tenant:a"]),
    (
        SearchList::DeadLetters,
        "died",
        &[
            "tenant:a fingerprint:f reason:timeout",
            "fingerprint:f reason:timeout",
            "jobType:t reason:timeout",
            "workflow:w reason:timeout",
            "tenant:a reason:timeout",
            "reason:timeout",
        ],
    ),
    (SearchList::DeadLetters, "resolved", &["status:archived"]),
    (
        SearchList::Deliveries,
        "received",
        &[
            "webhookId:whk_00000000000000000000000000000007 status:matched",
            "tenant:a eventType:e status:matched",
            "tenant:a status:matched",
            "status:matched",
        ],
    ),
    (SearchList::Schedules, "created", &["tenant:a workflow:w", "workflow:w"]),
    (SearchList::Runs, "scheduled", &["status:fired"]),
    (
        SearchList::UserTasks,
        "opened",
        &["assignee:a workflow:w", "group:g workflow:w", "tenant:a workflow:w", "workflow:w"],
    ),
    (SearchList::UserTasks, "due", &["workflow:w"]),
    (SearchList::UserTasks, "closed", &["workflow:w"]),
    (SearchList::Audit, "at", &["tenant:a door:rest", "door:rest"]),
    (SearchList::Batches, "created", &["actor:a"]),
];

/// Each index that is named has its rows in the order of the list, so that nothing is sorted to find the end of a window.
#[tokio::test]
async fn i06_each_order_is_that_of_an_index() {
    let store = open_empty("sqlite::memory:".to_owned()).await;
    let mut seen = BTreeSet::new();
    let each = |&(list, sort, queries): &(SearchList, &'static str, &'static [&'static str])| {
        queries.iter().map(move |&query| (list, sort, query))
    };
    for (list, sort, query) in ORDERS.iter().flat_map(each) {
        let mut terms = parse_query(list, query, Timestamp(BASE), &Searchable::default()).expect(query);
        if list == SearchList::Runs {
            terms.push(Term::is("scheduleId", TermValue::Id(Uuid::from_u128(7))));
        }
        let search = Search { terms, sort: sort.to_owned(), ..Search::all(list) };
        let attributes = Attributes::default();
        for part in parts(&search) {
            let asked = (&TenantScope::All, &search);
            let source = source_of(store.pool().lists(), asked, part, None, &attributes);
            assert!(source.needs_windows() && !source.needs_sorting(), "{query} by {sort}");
            let plan = plan_of(&store, source.floor(None, WINDOW)).await;
            assert!(!plan.contains("TEMP B-TREE FOR ORDER BY"), "{query} by {sort} is sorted:\n{plan}");
            let index = source.index().expect("there is one");
            seen.insert(INDEXES.iter().position(|one| std::ptr::eq(one, index)));
        }
    }
    assert_eq!(seen.len(), INDEXES.len(), "each is looked at");
}

#[test]
fn ids_of_attributes_are_those_of_the_seed() {
    // The seed writes numbers as their texts are ordered.
    let stored = domain::attribute::AttributeValue::Integer(100).stored();
    assert_eq!(stored, format!("8{:015x}", 100));
    let of = |name| {
        AttributeId::of(&TenantName::trusted("tenant1"), &AttributeName::trusted(name), AttributeType::Text)
    };
    assert_ne!(of("region"), of("orderNo"));
}
