//! Nothing of an erased tenant is left, in whatever table, and everything of its neighbor.
//!
//! Each table that may hold something of a tenant gets a row of each of two tenants: all texts are the tenant's name, all
//! numbers and ids its number. So rows refer to each other, and a table that a later migration adds is here by itself.

use std::collections::{BTreeMap, BTreeSet};

use domain::bulk::BatchCounts;
use domain::id::BatchId;
use domain::names::TenantName;
use domain::time::{DurationMs, Timestamp};
use sea_orm::{ConnectionTrait as _, Statement};
use store::batches::{BatchRecord, BatchStatus};
use store::conformance::fixture::T0;
use store::erasure::{Erasure, ErasureBegun, ErasureStore as _};
use store::operations::{LaneRemovalPace, OperationsStore as _};
use uuid::Uuid;

use crate::SqlStore;
use crate::dialect::Dialect;
use crate::jobs::plans::open_empty;
use crate::rows::Row;

const GONE: (&str, u128) = ("acme-gone", 1);
const STAYS: (&str, u128) = ("acme-stays", 2);

/// Tables that hold nothing of a tenant, or nothing but names in the settings of operators.
const OF_NOBODY: &[&str] = &[
    "alert",
    "alert_notification",
    "alert_silence",
    "alert_spec",
    "alert_turn",
    "audit_chain",
    "audit_seal",
    "dispatch",
    "dispatch_node",
    "dispatch_shard",
    "intake_lease",
    "lane_removal",
    "node",
    "queue_claim",
    "queue_figure",
    "seaql_migrations",
    "server",
    "server_key",
    "sqlite_sequence",
    "store_state",
];

/// What is kept of a tenant: that it was erased, and who did what.
const KEPT: &[&str] = &["audit", "tenant_erasure"];

/// Texts that the schema does not leave free.
const WORDS: &[(&str, &str, &str)] = &[
    ("attribute_declaration", "scope", "tenant"),
    ("batch_item", "aftermath", "well"),
    ("batch_item", "outcome", "done"),
    ("build_pin", "source", "operator"),
    ("dead_letter", "status", "archived"),
    ("dead_letter_decision", "state", "open"),
    ("inbox", "status", "applied"),
    ("job", "state", "queued"),
    ("job_done", "status", "COMPLETED"),
    ("put_off_start", "state", "ready"),
    ("queue_limit", "scope", "tenant"),
    ("schedule_run", "status", "fired"),
    ("user_task", "status", "completed"),
    ("webhook_delivery", "status", "matched"),
    ("webhook_secret", "purpose", "signature"),
];

#[tokio::test]
async fn nothing_is_left_of_an_erased_tenant_in_memory() {
    let store = open_empty("sqlite::memory:".to_owned()).await;
    nothing_is_left(&store).await;
}

#[tokio::test]
async fn nothing_is_left_of_an_erased_tenant_on_postgres() {
    let store = open_empty(testkit::database::postgres_database().await).await;
    nothing_is_left(&store).await;
}

async fn nothing_is_left(store: &SqlStore) {
    let tables = tables(store).await;
    for (table, columns) in &tables {
        for tenant in [GONE, STAYS] {
            run(store, &insert(store.dialect(), table, columns, tenant)).await;
        }
    }
    let gone = TenantName::trusted(GONE.0);
    let batch = batch();
    let erasure = Erasure { tenant: gone.clone(), batch: batch.id, begun_at: T0, ended_at: None };
    let begin = |cancels_open| store.begin_erasure(&erasure, (&batch, Uuid::nil()), cancels_open, &[]);
    assert!(matches!(begin(false).await, Ok(ErasureBegun::InUse { jobs: true, executions: false })));
    // There was one before, which has ended.
    assert_eq!(begin(true).await.expect("it begins"), ErasureBegun::Begun);
    assert_eq!(begin(true).await.expect("it answers"), ErasureBegun::UnderWay(batch.id));
    let mut steps = 0;
    while store.erase_step((&gone, batch.id), 10, T0).await.expect("a step works") > 0 {
        steps += 1;
        assert!(steps < 200, "it comes to an end");
    }
    assert!(store.end_erasure((&gone, batch.id), &[], T0).await.expect("it ends"));
    assert!(!store.end_erasure((&gone, batch.id), &[], T0).await.expect("it has ended"));
    remove_lanes(store).await;
    let mut left = Vec::new();
    for (table, columns) in &tables {
        for (column, kind) in columns {
            for (tenant, expected) in [(GONE, i64::from(KEPT.contains(&table.as_str()))), (STAYS, 1)] {
                let found = number(store, count(store.dialect(), table, column, kind, tenant)).await;
                if found.is_some_and(|found| found != expected) {
                    left.push(format!("{table}.{column} of {}: {found:?}", tenant.0));
                }
            }
        }
    }
    assert!(left.is_empty(), "{left:#?}");
}

fn batch() -> BatchRecord {
    BatchRecord {
        id: BatchId::from_uuid(Uuid::from_u128(77)),
        tenant: None,
        kind: "tenants.erase".into(),
        request: "{}".into(),
        status: BatchStatus::Running,
        status_reason: None,
        is_past_canary: false,
        counts: BatchCounts::default(),
        reason: None,
        actor: "test".into(),
        cursor: None,
        created_at: T0,
        updated_at: T0,
        finished_at: None,
    }
}

/// The tables that may hold something of a tenant, with their columns and types.
async fn tables(store: &SqlStore) -> BTreeMap<String, BTreeMap<String, String>> {
    let sql = match store.dialect() {
        Dialect::Sqlite => {
            "SELECT m.name AS table_name, p.name AS column_name, lower(p.type) AS data_type
             FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table'"
        }
        Dialect::Postgres => {
            "SELECT CAST(table_name AS text) AS table_name, CAST(column_name AS text) AS column_name,
               CAST(data_type AS text) AS data_type
             FROM information_schema.columns WHERE table_schema = current_schema()"
        }
    };
    let statement = Statement::from_string(store.dialect().backend(), sql.to_owned());
    let rows = store.pool().write().query_all_raw(statement).await.expect("it can be read");
    let mut tables: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for row in &rows {
        let row = Row::new("schema", row);
        let table = row.text("table_name").expect("a name");
        let column = row.text("column_name").expect("a name");
        tables.entry(table).or_default().insert(column, row.text("data_type").expect("a type"));
    }
    let known: BTreeSet<&str> = OF_NOBODY.iter().copied().collect();
    tables.retain(|table, _| !known.contains(table.as_str()));
    assert!(tables.len() > 40, "the schema is there: {}", tables.len());
    tables
}

fn insert(
    dialect: Dialect,
    table: &str,
    columns: &BTreeMap<String, String>,
    (name, number): (&str, u128),
) -> String {
    let value = |(column, kind): (&String, &String)| {
        let word =
            WORDS.iter().find(|(of, named, _)| *of == table && named == column).map(|(.., word)| *word);
        match (kind.as_str(), dialect) {
            ("text", _) => format!("'{}'", word.unwrap_or(name)),
            ("uuid", _) => format!("'{}'", Uuid::from_u128(number)),
            ("bytea", _) => format!("'\\x{number:032x}'"),
            ("blob", _) => format!("x'{number:032x}'"),
            _ => number.to_string(),
        }
    };
    let names: Vec<&str> = columns.keys().map(String::as_str).collect();
    let values: Vec<String> = columns.iter().map(value).collect();
    format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), values.join(", "))
}

/// Counts rows of a tenant by a column that says whose they are; nothing for other columns.
fn count(
    dialect: Dialect,
    table: &str,
    column: &str,
    kind: &str,
    (name, number): (&str, u128),
) -> Option<String> {
    let is_word = WORDS.iter().any(|(of, named, _)| *of == table && *named == column);
    let condition = match (kind, dialect) {
        ("text", _) if !is_word => format!("{column} = '{name}'"),
        _ if KEPT.contains(&table) => return None,
        ("uuid", _) => format!("{column} = '{}'", Uuid::from_u128(number)),
        ("bytea", _) => format!("{column} = '\\x{number:032x}'"),
        ("blob", _) => format!("{column} = x'{number:032x}'"),
        _ => return None,
    };
    Some(format!("SELECT count(*) AS number FROM {table} WHERE {condition}"))
}

async fn number(store: &SqlStore, sql: Option<String>) -> Option<i64> {
    let statement = Statement::from_string(store.dialect().backend(), sql?);
    let row = store.pool().write().query_one_raw(statement).await.expect("it can be read");
    Some(row.expect("a row").try_get::<i64>("", "number").expect("a number"))
}

async fn run(store: &SqlStore, sql: &str) {
    let done = store.pool().write().execute_unprepared(sql).await;
    assert!(done.is_ok(), "{sql}: {:?}", done.err());
}

/// Upkeep, without patience.
async fn remove_lanes(store: &SqlStore) {
    let pace = LaneRemovalPace { idle_for: DurationMs::ZERO, every: DurationMs::ZERO };
    let now = Timestamp(T0.0 + 1);
    while store.remove_idle_lanes(&pace, now).await.expect("lanes can be removed").has_more {}
}
