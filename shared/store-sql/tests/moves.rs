//! Whole stores that are moved: every table and every column arrives, both ways, and the old store refuses what comes late.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection, Row as _,
    SqliteConnection,
};
use store::StoreError;
use store_sql::{MoveEnd, MoveReport, MoveStep, SqlStore, move_offline};
use testkit::database::{migrated, options, postgres_database};
use uuid::Uuid;

/// Tables whose rows stay behind: they are about processes, or about the database itself, or follow from others.
const NOT_MOVED: [&str; 7] = [
    "dead_letter_change",
    "dead_letter_count",
    "dead_letter_hour",
    "dispatch_node",
    "node",
    "server",
    "store_state",
];

/// Columns of payloads, which no index holds.
const LARGE: [&str; 7] = ["content", "data", "input", "message", "output", "result", "spec"];

const ID: Uuid = Uuid::from_u128(7);

fn end(url: &str) -> MoveEnd {
    MoveEnd { url: url.to_owned(), schema: "public".to_owned() }
}

fn file_url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

async fn moved(from: &str, to: &str) -> MoveReport {
    move_offline(&end(from), &end(to), ID, &|_| {}).await.expect("it is moved")
}

async fn open(file: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(file).connect().await.expect("the file can be opened")
}

struct Column {
    name: String,
    declared: String,
    is_nullable: bool,
    is_identity: bool,
    words: Vec<String>,
}

/// The tables of a file with their columns.
async fn tables(connection: &mut SqliteConnection) -> BTreeMap<String, Vec<Column>> {
    let text = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'
                AND name NOT LIKE 'seaql%' ORDER BY name";
    let found = sqlx::query(text).fetch_all(&mut *connection).await.expect("tables can be listed");
    let mut tables = BTreeMap::new();
    for table in found {
        let (name, sql): (String, String) = (table.get(0), table.get(1));
        let sql = sql.split_whitespace().collect::<Vec<_>>().join(" ");
        let columns = sqlx::query("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?)").bind(&name);
        let columns = columns.fetch_all(&mut *connection).await.expect("columns can be listed");
        let columns = columns.iter().map(|row| {
            let (column, declared, is_key): (String, String, bool) =
                (row.get(0), row.get(1), row.get::<i64, _>(3) > 0);
            Column {
                words: words_of(&sql, &column),
                is_identity: is_key && sql.contains(&format!("{column} integer PRIMARY KEY AUTOINCREMENT")),
                is_nullable: row.get::<i64, _>(2) == 0 && !is_key,
                name: column,
                declared: declared.to_lowercase(),
            }
        });
        tables.insert(name, columns.collect());
    }
    tables
}

/// What a check lets a column hold.
fn words_of(sql: &str, column: &str) -> Vec<String> {
    let Some(at) = sql.find(&format!("CHECK ({column} IN")) else {
        return Vec::new();
    };
    let list = sql[at..].split_once(" IN").and_then(|(_, rest)| rest.split_once('('));
    let list = list.and_then(|(_, rest)| rest.split_once(')')).map_or("", |(list, _)| list);
    list.split(',').map(|word| word.trim().trim_matches('\'').to_owned()).collect()
}

/// The value of a column in the row with this number: the least, the largest, nothing, and what is easily mistaken.
fn literal(column: &Column, row: usize) -> String {
    if let Some(word) = column.words.get(row % column.words.len().max(1)) {
        return format!("'{word}'");
    }
    if column.is_identity {
        return (row * 10 + 1).to_string();
    }
    if row == 0 && column.is_nullable {
        return "NULL".to_owned();
    }
    match (column.declared.as_str(), row) {
        ("smallint", _) => [0, 1, i16::MAX, i16::MIN][row].to_string(),
        ("integer" | "int", _) => [0, 1, i32::MAX, i32::MIN][row].to_string(),
        ("bigint", 3) => "(-9223372036854775807 - 1)".to_owned(),
        ("bigint", _) => [0, 1, i64::MAX][row].to_string(),
        ("double precision", _) => ["0.1", "-2.5", "1e300", "5e-324"][row].to_owned(),
        ("text", 1) => "''".to_owned(),
        ("text", 2) => format!("'{} \\ ''quoted'' \"ü\" 🚂' || char(10) || char(9)", column.name),
        ("text", 3) if LARGE.contains(&&*column.name) => format!("hex(zeroblob(60000)) || '{}'", column.name),
        ("text", _) => format!("'{}-{row}'", column.name),
        ("blob", _) => format!("x'00ff27{row:02x}{}'", "5c".repeat(12)),
        (declared, _) => panic!("a column of the new type {declared}: teach this test and the move about it"),
    }
}

/// Writes rows into every table, each column of which holds something in one of them.
async fn fill(file: &Path) {
    migrated(&file_url(file)).await;
    let mut connection = open(file).await;
    for (table, columns) in tables(&mut connection).await {
        if NOT_MOVED.contains(&table.as_str()) {
            continue;
        }
        run(&mut connection, &format!("DELETE FROM {table}")).await;
        let names: Vec<String> = columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
        // One row only may be there.
        let rows = if table == "audit_chain" { 1..2 } else { 0..4 };
        for row in rows {
            let values: Vec<String> = columns.iter().map(|column| literal(column, row)).collect();
            let text = format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), values.join(", "));
            run(&mut connection, &text).await;
        }
    }
    connection.close().await.expect("it closes");
}

async fn run(connection: &mut SqliteConnection, text: &str) {
    let done = connection.execute(AssertSqlSafe(text.to_owned())).await;
    done.unwrap_or_else(|error| panic!("{text}: {error}"));
}

/// Every row of every moved table, as text.
async fn content(file: &Path) -> BTreeMap<String, Vec<String>> {
    let mut connection = open(file).await;
    let mut content = BTreeMap::new();
    for (table, columns) in tables(&mut connection).await {
        if NOT_MOVED.contains(&table.as_str()) {
            continue;
        }
        let quoted: Vec<String> =
            columns.iter().map(|column| format!("typeof(\"{0}\") || quote(\"{0}\")", column.name)).collect();
        let text = format!("SELECT {} AS row FROM {table} ORDER BY row", quoted.join(" || ' ' || "));
        let rows = sqlx::query(AssertSqlSafe(text)).fetch_all(&mut connection).await.expect("it can be read");
        content.insert(table, rows.iter().map(|row| row.get(0)).collect());
    }
    connection.close().await.expect("it closes");
    content
}

/// Every table and every column, there and back; identities go on after the largest number that was ever given.
#[tokio::test]
async fn a_store_is_the_same_after_it_went_to_postgres_and_back() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let (first, last) = (directory.path().join("first.db"), directory.path().join("last.db"));
    fill(&first).await;
    let mut connection = open(&first).await;
    run(
        &mut connection,
        "INSERT INTO inbox (position, execution_id, kind, entry, status, created_at)
        VALUES (4000, x'00', 'x', '', 'pending', 0); DELETE FROM inbox WHERE position = 4000",
    )
    .await;
    connection.close().await.expect("it closes");
    let postgres = postgres_database().await;
    let there = moved(&file_url(&first), &postgres).await;
    for table in &there.tables {
        assert!(table.rows > 0, "{} has no row: the test proves nothing about it", table.name);
    }
    let names: Vec<&str> = there.tables.iter().map(|table| table.name).collect();
    let before = content(&first).await;
    assert_eq!(names, before.keys().map(String::as_str).collect::<Vec<_>>(), "every table");
    let mut connection = PgConnection::connect(&postgres).await.expect("the test server answers");
    let insert = "INSERT INTO inbox (execution_id, kind, entry, status, created_at)
                  VALUES (gen_random_uuid(), 'x', '', 'pending', 0) RETURNING position";
    let position: i64 = sqlx::query_scalar(insert).fetch_one(&mut connection).await.expect("it is in use");
    assert_eq!(position, 4001, "numbers are not given twice");
    connection.execute("DELETE FROM inbox WHERE position = 4001").await.expect("it is in use");
    connection.close().await.expect("it closes");
    let back = moved(&postgres, &file_url(&last)).await;
    assert_eq!(back.tables, there.tables);
    assert_eq!(content(&last).await, before);
    let mut connection = open(&last).await;
    let next: i64 = sqlx::query_scalar("SELECT seq FROM sqlite_sequence WHERE name = 'inbox'")
        .fetch_one(&mut connection)
        .await
        .expect("it was numbered");
    assert_eq!(next, 4001);
}

/// The old store says where it went, to servers and to whoever writes late; it can be read.
#[tokio::test]
async fn a_store_that_was_moved_refuses_writes_and_says_where_it_is() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let (file, back) = (directory.path().join("a.db"), directory.path().join("b.db"));
    let url = file_url(&file);
    migrated(&url).await;
    let postgres = postgres_database().await;
    let report = moved(&url, &postgres).await;
    let place = postgres.rsplit_once('@').map_or("", |(_, place)| place);
    assert_eq!(report.to, format!("postgres://{place}"), "without credentials");
    let refused = SqlStore::connect(&options(&url, &[])).await.expect_err("it was moved");
    assert!(matches!(&refused, StoreError::Moved { to } if *to == report.to), "{refused:?}");
    let mut connection = open(&file).await;
    for late in ["INSERT INTO tenant (name, created_at) VALUES ('x', 0)", "UPDATE queue_claim SET epoch = 1"]
    {
        let refused = connection.execute(late).await.expect_err("it is fenced");
        assert!(refused.to_string().contains("moved to postgres://"), "{refused}");
    }
    connection.close().await.expect("it closes");
    let reading = SqlStore::connect(&store_sql::StoreOptions { migrate: false, ..options(&url, &[]) }).await;
    let reading = reading.expect("it can be read");
    reading.examine().await.expect("all of it");
    store::Store::close(reading.as_ref()).await;
    // PostgreSQL is fenced the same way.
    let report = moved(&postgres, &file_url(&back)).await;
    let mut connection = PgConnection::connect(&postgres).await.expect("the test server answers");
    for late in ["INSERT INTO tenant (name, created_at) VALUES ('x', 0)", "TRUNCATE job"] {
        let refused = connection.execute(late).await.expect_err("it is fenced");
        assert!(refused.to_string().contains(&report.to), "{refused}");
    }
    let refused = SqlStore::connect(&options(&postgres, &[])).await.expect_err("it was moved");
    assert!(matches!(refused, StoreError::Moved { .. }), "{refused:?}");
}

/// Nothing is overwritten, and a move is ended by the one that began it.
#[tokio::test]
async fn a_store_is_moved_to_an_empty_database_only() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let path = |name: &str| file_url(&directory.path().join(name));
    for name in ["a.db", "full.db"] {
        migrated(&path(name)).await;
    }
    let mut full = open(&directory.path().join("full.db")).await;
    run(&mut full, "INSERT INTO tenant (name, created_at) VALUES ('x', 0)").await;
    full.close().await.expect("it closes");
    let to = |name: &str| end(&path(name));
    let cases = [
        ("a.db", "full.db", "not empty"),
        ("a.db", "a.db", "where it is"),
        ("none.db", "b.db", "no database"),
    ];
    for (from, target, reason) in cases {
        let refused = move_offline(&to(from), &to(target), ID, &|_| {}).await.expect_err(reason);
        assert!(refused.to_string().contains(reason), "{refused}");
    }
    moved(&path("full.db"), &path("b.db")).await;
    let refused = move_offline(&to("full.db"), &to("c.db"), ID, &|_| {}).await.expect_err("it is elsewhere");
    assert!(matches!(refused, StoreError::Moved { .. }), "{refused:?}");
    let again = moved(&path("full.db"), &path("b.db")).await;
    assert_eq!(again.tables, [], "it had ended");
    let refused = move_offline(&to("a.db"), &to("full.db"), ID, &|_| {}).await.expect_err("an old store");
    assert!(refused.to_string().contains("was moved to"), "{refused}");
}

/// Until the target is complete the source is in use; a move that breaks off before is made again from the beginning.
#[tokio::test]
async fn a_move_that_breaks_off_changes_nothing() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let file = directory.path().join("a.db");
    fill(&file).await;
    let before = content(&file).await;
    let postgres = postgres_database().await;
    let steps = Mutex::new(0);
    let breaking = tokio::spawn({
        let (from, to) = (end(&file_url(&file)), end(&postgres));
        async move {
            let observe = |step| {
                let mut steps = steps.lock().expect("no panic before");
                *steps += usize::from(matches!(step, MoveStep::Copied { .. }));
                assert!(*steps < 20, "here it breaks off");
            };
            move_offline(&from, &to, ID, &observe).await.map(drop)
        }
    });
    assert!(breaking.await.expect_err("it breaks off").is_panic());
    let refused = SqlStore::connect(&options(&postgres, &[])).await.expect_err("it is half full");
    assert!(matches!(refused, StoreError::Unfinished { .. }), "{refused:?}");
    let other = directory.path().join("other.db");
    migrated(&file_url(&other)).await;
    let refused = move_offline(&end(&file_url(&other)), &end(&postgres), ID, &|_| {}).await;
    assert!(refused.expect_err("it belongs to another move").to_string().contains("being filled from"));
    assert_eq!(content(&file).await, before);
    moved(&file_url(&file), &postgres).await;
}

/// A store of another protocol is refused with words, on both databases.
#[tokio::test]
async fn a_store_of_another_protocol_is_refused() {
    let other = "UPDATE store_state SET protocol = 9";
    let store = testkit::database::sqlite_file().await;
    store.require_serving().await.expect("this version's own");
    let file = store.url.strip_prefix("sqlite://").expect("a file").to_owned();
    let mut connection = open(Path::new(&file)).await;
    run(&mut connection, other).await;
    connection.close().await.expect("it closes");
    let shared = testkit::database::postgres().await;
    shared.require_serving().await.expect("this version's own");
    let mut connection = PgConnection::connect(&shared.url).await.expect("the server answers");
    connection.execute(other).await.expect("it is a store");
    connection.close().await.expect("it closes");
    for refused in [store.require_serving().await, shared.require_serving().await] {
        let refused = refused.expect_err("nobody here speaks it").to_string();
        assert!(refused.contains("protocol 9") && refused.contains("1 to 1"), "{refused}");
    }
}

/// What changes while a store is moved arrives as well, in every table: rows that are removed, made, changed and renamed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_during_a_move_arrive() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let (file, back) = (directory.path().join("a.db"), directory.path().join("back.db"));
    fill(&file).await;
    let postgres = postgres_database().await;
    let store = SqlStore::connect(&options(&file_url(&file), &[])).await.expect("it can be opened");
    let mut live = store.begin_move(&end(&postgres), ID).await.expect("it begins");
    live.copy(&|_| {}).await.expect("it is copied");
    let mut connection = open(&file).await;
    let mut changed = 0;
    for (table, columns) in tables(&mut connection).await {
        if NOT_MOVED.contains(&table.as_str()) || table == "changed_row" {
            continue;
        }
        changed += 1;
        let text = format!("DELETE FROM {table} WHERE rowid = (SELECT min(rowid) FROM {table})");
        run(&mut connection, &text).await;
        if table == "audit_chain" {
            continue;
        }
        let names: Vec<String> = columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
        let values: Vec<String> = columns.iter().map(|column| literal(column, 0)).collect();
        let text =
            format!("INSERT OR IGNORE INTO {table} ({}) VALUES ({})", names.join(", "), values.join(", "));
        run(&mut connection, &text).await;
        let last = &names[names.len() - 1];
        let text =
            format!("UPDATE {table} SET {last} = {last} WHERE rowid = (SELECT max(rowid) FROM {table})");
        run(&mut connection, &text).await;
    }
    // Two rows exchange a unique key, and one gets another primary key.
    run(&mut connection, "UPDATE schedule SET tenant = 'same'").await;
    for text in [
        "UPDATE schedule SET name = 'between' WHERE name = ''",
        "UPDATE schedule SET name = '' WHERE name = 'name-0'",
        "UPDATE schedule SET name = 'name-0' WHERE name = 'between'",
        "UPDATE tenant SET name = 'renamed' WHERE name = 'name-0'",
    ] {
        let done = connection.execute(AssertSqlSafe(text)).await.expect("it is allowed");
        assert_eq!(done.rows_affected(), 1, "{text}");
    }
    connection.close().await.expect("it closes");
    store::Store::close(store.as_ref()).await;
    let (report, left) = live.finish(&|_| {}).await.expect("it ends");
    assert!(left >= changed && left < 10 * changed, "{left} rows of {changed} tables");
    assert_eq!(report.tables.len(), changed);
    arrived(&file, &postgres, &back).await;
    // Somebody else can read the old file now, although the store's value is still there.
    let reading = store_sql::StoreOptions { migrate: false, ..options(&file_url(&file), &[]) };
    let reading = SqlStore::connect(&reading).await.expect("it is not locked any more");
    store::Store::close(reading.as_ref()).await;
}

/// So do more of them than are looked at together: rows that change again much later, and unique keys that go from row to row.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_changes_arrive() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let (file, back) = (directory.path().join("a.db"), directory.path().join("back.db"));
    fill(&file).await;
    let postgres = postgres_database().await;
    let store = SqlStore::connect(&options(&file_url(&file), &[])).await.expect("it can be opened");
    let mut connection = open(&file).await;
    run(&mut connection, "UPDATE schedule SET tenant = 'same'").await;
    let mut live = store.begin_move(&end(&postgres), ID).await.expect("it begins");
    live.copy(&|_| {}).await.expect("it is copied");
    for text in [
        "UPDATE schedule SET name = 'between' WHERE name = ''",
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
         INSERT INTO tenant (name, created_at) SELECT 'many-' || i, i FROM n",
        "UPDATE schedule SET name = '' WHERE name = 'name-0'",
        "UPDATE tenant SET created_at = -1 WHERE name LIKE 'many-%' AND created_at % 2 = 0",
        "DELETE FROM tenant WHERE name LIKE 'many-%' AND created_at % 3 = 0",
        "UPDATE schedule SET name = 'name-0' WHERE name = 'between'",
    ] {
        let done = connection.execute(AssertSqlSafe(text)).await.expect("it is allowed");
        assert_ne!(done.rows_affected(), 0, "{text}");
    }
    connection.close().await.expect("it closes");
    store::Store::close(store.as_ref()).await;
    let (_, left) = live.finish(&|_| {}).await.expect("it ends");
    assert!(left > 9_000, "{left}");
    arrived(&file, &postgres, &back).await;
}

/// What was moved from a file is what the file has.
async fn arrived(file: &Path, postgres: &str, back: &Path) {
    moved(postgres, &file_url(back)).await;
    let mut expected = content(file).await;
    assert_eq!(expected.remove("changed_row"), None, "what was written down is gone");
    assert_eq!(content(back).await, expected);
}

/// A move that is given up, and one whose process died, leave nothing that costs anything.
#[tokio::test]
async fn a_live_move_that_breaks_off_is_undone() {
    let file = testkit::database::sqlite_file().await;
    let (postgres, path) =
        (postgres_database().await, file.url.strip_prefix("sqlite://").expect("a file").to_owned());
    let triggers = async || {
        let mut connection = open(Path::new(&path)).await;
        // Those that count dead letters are part of the schema.
        let text = "SELECT count(*) FROM sqlite_master
                    WHERE type = 'trigger' AND name NOT LIKE 'dead_letter_counted%' OR name = 'changed_row'";
        let count: i64 = sqlx::query_scalar(text).fetch_one(&mut connection).await.expect("it can be read");
        count
    };
    let live = file.begin_move(&end(&postgres), ID).await.expect("it begins");
    assert!(triggers().await > 100);
    live.abort().await;
    assert_eq!(triggers().await, 0);
    drop(file.begin_move(&end(&postgres), ID).await.expect("it begins again"));
    assert!(triggers().await > 100, "as after kill -9");
    file.end_broken_move().await.expect("it is undone");
    assert_eq!(triggers().await, 0);
    file.require_serving().await.expect("it is in use");
    let refused = testkit::database::postgres().await.begin_move(&end(&postgres), ID).await;
    assert!(refused.expect_err("several nodes").to_string().contains("stop all servers"));
}
