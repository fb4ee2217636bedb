//! What plans of searches are looked at with: the rows of the load test, fewer of them, and values that some of them have.

use std::fmt::Write as _;

use domain::attribute::{AttributeScope, AttributeType, Searchable};
use domain::names::{AttributeName, TenantName};
use domain::queue::QueueName;
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait as _, Statement};
use store::attributes::{AttributeChange, AttributeStore as _};
use uuid::Uuid;

use crate::dialect::Dialect;
use crate::store::SqlStore;

const SEED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../load-tests/sql/find_seed.sql");
pub(super) const JOBS: i64 = 40_000;
pub(super) const EXECUTIONS: i64 = 8_000;
pub(super) const DEAD: i64 = 4_000;
pub(super) const BASE: i64 = 1_700_000_000_000;
pub(super) const JOB_MS: i64 = 60_000;
pub(super) const EXECUTION_MS: i64 = 300_000;

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

/// Fills a store with them. Answers what is searched by.
pub(super) async fn seed(store: &SqlStore) -> Searchable {
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
pub(super) fn value_of(word: &str) -> String {
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
