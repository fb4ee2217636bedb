//! The thirty named pairs are read by indexes: with tables that were filled since their plans were made and never analysed,
//! and with tables that were.

use std::fmt::Write as _;

use domain::access::TenantScope;
use domain::attribute::{AttributeId, AttributeScope, AttributeType, Searchable};
use domain::names::{AttributeName, TenantName};
use domain::queue::QueueName;
use domain::search::{Search, SearchList, parse_query};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait as _, Statement};
use store::attributes::{AttributeChange, AttributeStore as _};
use store::search::{NAMED_PAIRS, NamedPair, SearchPage, SearchStore as _};
use testkit::database::postgres_database;
use uuid::Uuid;

use super::attributes::Attributes;
use super::source::parts;
use super::walk::{self, lanes_of, source_of};
use crate::dialect::Dialect;
use crate::jobs::plans::{open_empty, plan_of};
use crate::store::SqlStore;

const SEED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../load-tests/sql/find_seed.sql");
const JOBS: i64 = 40_000;
const EXECUTIONS: i64 = 8_000;
const DEAD: i64 = 4_000;
const BASE: i64 = 1_700_000_000_000;
const JOB_MS: i64 = 60_000;
const EXECUTION_MS: i64 = 300_000;
const WINDOW: i64 = 1_000;

/// The id of a row, as the seed makes it.
fn id(kind: u16, number: i64, at: i64) -> Uuid {
    Uuid::parse_str(&format!("{at:012x}7{kind:03x}8{number:015x}")).expect("an id")
}

/// `@job(n)` and the like to what they are on a database.
fn rendered(dialect: Dialect, text: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('@') {
        let (word, after) = after.split_once('(').expect("an expression");
        let (expression, after) = after.split_once(')').expect("it is closed");
        made.push_str(before);
        let (kind, step) = match word {
            "job" => (1, JOB_MS),
            "exe" => (2, EXECUTION_MS),
            "own" => (3, EXECUTION_MS),
            "dlq" => (4, JOB_MS),
            "sch" => (5, 0),
            _ => (0, 0),
        };
        let written = match (dialect, kind) {
            (Dialect::Postgres, 0) => write!(made, "lpad(to_hex(CAST({expression} AS bigint)), 15, '0')"),
            (Dialect::Sqlite, 0) => write!(made, "printf('%015x', {expression})"),
            (Dialect::Postgres, _) => write!(
                made,
                "CAST(lpad(to_hex(CAST({BASE} + ({expression}) * {step} AS bigint)), 12, '0') || '7' || \
                 lpad(to_hex({kind}), 3, '0') || '8' || lpad(to_hex(CAST({expression} AS bigint)), 15, '0') AS uuid)"
            ),
            (Dialect::Sqlite, _) => write!(
                made,
                "unhex(printf('%012x7%03x8%015x', {BASE} + ({expression}) * {step}, {kind}, {expression}))"
            ),
        };
        written.expect("text can be written");
        rest = after;
    }
    made.push_str(rest);
    made
}

async fn seed(store: &SqlStore) -> Searchable {
    for number in 0..10 {
        let change = |name: &str, kind| AttributeChange {
            name: AttributeName::trusted(name),
            declared: Some((kind, None)),
        };
        let changes = [
            change("customerId", AttributeType::Integer),
            change("region", AttributeType::Text),
            change("orderNo", AttributeType::Text),
        ];
        let tenant = TenantName::trusted(format!("tenant{number}"));
        let declared =
            store.declare_attributes(&tenant, &AttributeScope::Tenant, &changes, Timestamp(0), &[]).await;
        declared.expect("declaring works");
    }
    let (dialect, on) = (store.dialect(), store.pool().write());
    let seed = std::fs::read_to_string(SEED).expect("the seed of the load test is there");
    for part in seed.split("\n\n").filter(|part| part.contains("INSERT")) {
        let rows = match part.lines().next() {
            Some("-- dead") => DEAD,
            Some("-- executions" | "-- execution attributes") => EXECUTIONS,
            _ => JOBS,
        };
        let values = [
            ("{from}", 0),
            ("{to}", rows),
            ("{jobs}", JOBS),
            ("{executions}", EXECUTIONS),
            ("{base}", BASE),
            ("{job_ms}", JOB_MS),
            ("{execution_ms}", EXECUTION_MS),
            ("{node}", i64::from(QueueName::Node.code())),
        ];
        let text =
            values.iter().fold(part.to_owned(), |text, (name, value)| text.replace(name, &value.to_string()));
        let text: Vec<&str> = text.lines().filter(|line| !line.starts_with("--")).collect();
        let text = text.join("\n");
        let text = rendered(dialect, text.trim().trim_end_matches(';'));
        let statement = Statement::from_string(dialect.backend(), text);
        on.execute_raw(statement).await.expect("the store can be filled");
    }
    Searchable::of(&store.declared_attributes(1_000).await.expect("declarations can be read"))
}

/// What stands for the words of the pairs.
fn value_of(word: &str) -> String {
    let instant = |share: i64| Timestamp(BASE + JOBS * JOB_MS / 100 * share).to_string();
    match word {
        "tenant" => "tenant3".to_owned(),
        "jobType" => "type2".to_owned(),
        "workflow" => "flow6".to_owned(),
        "execution" => format!("exe_{}", id(2, 400, BASE + 400 * EXECUTION_MS).simple()),
        "correlation" => "c4000".to_owned(),
        "schedule" => format!("sch_{}", id(5, 7, BASE).simple()),
        // That of one dead letter in two.
        "fingerprint" => "f0000000000000000".to_owned(),
        "customer" => "100".to_owned(),
        "order" => "A4000".to_owned(),
        "from" => instant(40),
        "to" => instant(60),
        other => panic!("nothing stands for {other}"),
    }
}

/// Fails where a big table is read without an index.
fn assert_by_index(plan: &str, pair: &NamedPair) {
    for table in ["job_done", "execution", "dead_letter", "attribute_value"] {
        assert!(!plan.contains(&format!("Seq Scan on {table}")), "{}:\n{plan}", pair.name);
    }
    let scan = plan.lines().find(|line| {
        let is_whole = line.contains("SCAN ") && !line.contains("USING") && !line.contains("json_each");
        is_whole && ["SCAN j", "SCAN e", "SCAN d", "SCAN a", "SCAN i"].iter().any(|scan| line.contains(scan))
    });
    assert_eq!(scan, None, "{}:\n{plan}", pair.name);
    assert!(!plan.contains("AUTOMATIC"), "{}:\n{plan}", pair.name);
}

async fn check(store: &SqlStore, searchable: &Searchable) {
    let (on, scope) = (store.pool().lists(), TenantScope::All);
    for pair in NAMED_PAIRS {
        let search = pair.search(value_of, searchable, Timestamp(BASE)).expect(pair.name);
        let parts = parts(&search);
        let lanes = lanes_of(on, &scope, &search, &parts).await.expect("lanes can be read");
        let attributes = Attributes::of(on, &scope, &search).await.expect("attributes can be read");
        for part in parts {
            let source = source_of(on, (&scope, &search), part, lanes.as_deref(), &attributes);
            if source.needs_windows() {
                assert_by_index(&plan_of(store, source.floor(None, WINDOW)).await, &pair);
            }
            assert_by_index(&plan_of(store, source.page(None, None, 51)).await, &pair);
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
    check(&store, &searchable).await;
    store.pool().write().execute_unprepared("ANALYZE").await.expect("tables can be analysed");
    check(&store, &searchable).await;
}

#[tokio::test]
async fn i12_named_pairs_use_indexes_on_postgres() {
    named_pairs_use_indexes(postgres_database().await).await;
}

#[tokio::test]
async fn i12_named_pairs_use_indexes_on_sqlite() {
    named_pairs_use_indexes("sqlite::memory:".to_owned()).await;
}

/// What no index answers is looked for in windows: each call says how far it looked, and all of them together find all.
async fn others_read_windows(url: String) {
    const ROWS: i64 = 100;
    // In the seed 88 of 100 jobs completed: the others are passed by where their status is an index.
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
