//! Work that applications committed in SQL, taken by processes of which not all have all keys.

use domain::id::Id;
use domain::names::TenantName;
use domain::search::SearchList;
use domain::time::{DurationMs, Timestamp};
use engine::{IntakeStep, ListRequest, Policy, SealingKeys, WorkbenchPolicy};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqliteConnection};
use store::operations::ServerRecord;
use testkit::EngineHarness;
use testkit::database::{TestStore, postgres, sqlite_file};

const KEY: &str = "2026a:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// Puts jobs into the intake, as the functions of applications do, under positions from `first` on.
async fn commit(database: &TestStore, first: usize, tenants: &[&str]) {
    commit_as(database, first, ("enqueue", "mail"), tenants).await;
}

/// The same for rows of a kind, with a name of a job type or of a workflow.
async fn commit_as(database: &TestStore, first: usize, (kind, name): (&str, &str), tenants: &[&str]) {
    for (index, tenant) in tenants.iter().enumerate() {
        let number = first + index;
        let id = uuid::Uuid::from_u128((0x7 << 76) | (0x8 << 60) | number as u128);
        let data = if kind == "start" { "{}".to_owned() } else { number.to_string() };
        let text = format!(
            "INSERT INTO intake (position, kind, subject, tenant, role, name, options, data, created_at)
             VALUES ({number}, '{kind}', {}, '{tenant}', 'shop', '{name}', '{{}}', '{data}', 0)",
            if database.url.starts_with("postgres") {
                format!("'{id}'")
            } else {
                format!("x'{}'", id.simple())
            }
        );
        if database.url.starts_with("postgres") {
            let mut on = PgConnection::connect(&database.url).await.unwrap();
            on.execute(AssertSqlSafe(text)).await.unwrap();
        } else {
            let mut on = SqliteConnection::connect(&database.url).await.unwrap();
            on.execute(AssertSqlSafe(text)).await.unwrap();
        }
    }
}

/// Whose jobs are there, in their order.
async fn tenants(node: &EngineHarness) -> Vec<String> {
    let request = ListRequest::all(SearchList::Jobs, 10);
    let listed = node.engine.search_jobs(&node.admin(), &request).await.unwrap();
    let mut tenants: Vec<String> = listed.items.iter().map(|job| job.tenant.to_string()).collect();
    tenants.sort();
    tenants
}

fn keys() -> SealingKeys {
    SealingKeys::parse([KEY]).unwrap()
}

/// Seals what belongs to `acme` with a key that other processes were not given.
async fn seal_acme(harness: &EngineHarness) {
    let (admin, acme) = (harness.admin(), TenantName::trusted("acme"));
    let with = harness.node_with_keys(2, keys());
    with.engine.create_tenant(&admin, &acme).await.unwrap();
    with.engine.set_tenant_encryption(&admin, &acme, true).await.unwrap();
}

/// Another process shows itself.
async fn show(harness: &EngineHarness, number: u128, role: &str) {
    let server = ServerRecord {
        id: Id::from_uuid(uuid::Uuid::from_u128(number)),
        version: "1".to_owned(),
        roles: vec!["api".to_owned(), role.to_owned()],
        started_at: harness.engine.now(),
        last_seen_at: harness.engine.now(),
        clock_offset_ms: 0,
    };
    harness.store.record_server(&server, Timestamp(0)).await.unwrap();
}

async fn a_missing_key_keeps_the_work_of_nobody_else_back(database: TestStore) {
    let harness = EngineHarness::new(database.store.clone());
    seal_acme(&harness).await;
    commit(&database, 1, &["acme", "plain", "acme", "plain"]).await;
    show(&harness, 7, "scheduler").await;
    let without = harness.node(3);
    assert_eq!(without.engine.take_intake().await.unwrap(), IntakeStep::Some);
    assert_eq!(tenants(&without).await, ["plain", "plain"]);
    // A process that may have the key has its turn first.
    assert!(matches!(without.engine.take_intake().await.unwrap(), IntakeStep::Elsewhere(_)));
    harness.clock.advance(DurationMs::from_secs(11));
    assert_eq!(without.engine.take_intake().await.unwrap(), IntakeStep::Nothing, "it leaves them");
    let with = harness.node_with_keys(4, keys());
    assert_eq!(with.engine.take_intake().await.unwrap(), IntakeStep::Some);
    assert_eq!(tenants(&with).await, ["acme", "acme", "plain", "plain"]);
    assert_eq!(with.engine.take_intake().await.unwrap(), IntakeStep::Nothing);
}

/// Nobody is there who could take the rows of the tenant, or everybody had a turn at them: the rows of the others go on.
async fn what_nobody_can_take_does_not_pause_the_intake(database: TestStore) {
    let harness = EngineHarness::new(database.store.clone());
    seal_acme(&harness).await;
    show(&harness, 7, "webhooks").await;
    let only = harness.node(3);
    let take = async || only.engine.take_intake().await.unwrap();
    for minute in 0..3 {
        commit(&database, 1 + 3 * minute, &["acme", "plain"]).await;
        assert_eq!(take().await, IntakeStep::Some);
        commit(&database, 3 + 3 * minute, &["plain"]).await;
        assert_eq!(take().await, IntakeStep::Some, "it did not give way to nobody");
        assert_eq!(take().await, IntakeStep::Nothing);
        assert_eq!(tenants(&only).await.len(), 2 * (minute + 1));
        harness.clock.advance(DurationMs::from_secs(61));
    }
    // A second process that takes rows has its turn, once.
    show(&harness, 8, "scheduler").await;
    assert_eq!(take().await, IntakeStep::Some);
    assert!(matches!(take().await, IntakeStep::Elsewhere(_)));
    harness.clock.advance(DurationMs::from_secs(61));
    show(&harness, 8, "scheduler").await;
    commit(&database, 10, &["plain"]).await;
    assert_eq!(take().await, IntakeStep::Some);
    assert_eq!(tenants(&only).await.len(), 7);
    assert_eq!(take().await, IntakeStep::Nothing, "that one had its turn");
    // A third one has it as well.
    show(&harness, 9, "scheduler").await;
    harness.clock.advance(DurationMs::from_secs(61));
    show(&harness, 9, "scheduler").await;
    assert_eq!(take().await, IntakeStep::Some);
    assert!(matches!(take().await, IntakeStep::Elsewhere(_)));
}

/// Whatever a tenant has its share of the threads for checks busy with, it holds up what itself has committed.
async fn a_tenant_without_a_place_for_its_checks_keeps_nobody_else_back(database: TestStore) {
    let other = EngineHarness::new(database.store.clone());
    // Large, so that it is never read while nobody waits for it.
    let node = |number: usize| serde_json::json!({"id": format!("n{number}"), "type": "TRANSFORM", "output": "x".repeat(1_000)});
    let nodes: Vec<serde_json::Value> = (0..500).map(node).collect();
    other.register(&serde_json::json!({"name": "w", "version": 1, "nodes": nodes})).await.unwrap();
    // No definition is ever read here, as where all places of the tenant are taken, however long one waits for it.
    let workbench =
        WorkbenchPolicy { threads: 0, threads_per_tenant: 0, deadline: DurationMs::from_secs(3_600) };
    let policy = Policy { workbench, ..Policy::default() };
    let harness = EngineHarness::with_policy(database.store.clone(), policy);
    commit_as(&database, 1, ("start", "w"), &["acme"]).await;
    commit(&database, 2, &["plain"]).await;
    assert_eq!(harness.engine.take_intake().await.unwrap(), IntakeStep::Some);
    assert_eq!(tenants(&other).await, ["plain"]);
    assert_eq!(harness.engine.take_intake().await.unwrap(), IntakeStep::Nothing, "it comes again later");
    harness.clock.advance(DurationMs::from_secs(31));
    commit(&database, 3, &["plain"]).await;
    assert_eq!(harness.engine.take_intake().await.unwrap(), IntakeStep::Some);
    assert_eq!(tenants(&other).await, ["plain", "plain"]);
    other.clock.advance(DurationMs::from_secs(60));
    assert_eq!(other.engine.take_intake().await.unwrap(), IntakeStep::Some);
    assert_eq!(tenants(&other).await, ["acme", "plain", "plain"]);
}

#[tokio::test]
async fn a_tenant_without_a_place_for_its_checks_keeps_nobody_else_back_on_sqlite() {
    a_tenant_without_a_place_for_its_checks_keeps_nobody_else_back(sqlite_file().await).await;
}

#[tokio::test]
async fn a_tenant_without_a_place_for_its_checks_keeps_nobody_else_back_on_postgres() {
    a_tenant_without_a_place_for_its_checks_keeps_nobody_else_back(postgres().await).await;
}

/// Who committed work is in the log when it is taken: its role, for each tenant once.
async fn what_is_taken_is_in_the_log_by_its_role(database: TestStore) {
    let harness = EngineHarness::new(database.store.clone());
    commit(&database, 1, &["acme", "plain", "acme"]).await;
    assert_eq!(harness.engine.take_intake().await.unwrap(), IntakeStep::Some);
    let log = harness.audit(&harness.admin()).await;
    let enqueues = log.iter().filter(|line| line.action == "job.enqueue" && line.actor == "sql:shop");
    let mut tenants: Vec<&str> = enqueues.filter_map(|line| Some(line.tenant.as_ref()?.as_str())).collect();
    tenants.sort_unstable();
    assert_eq!(tenants, ["acme", "plain"], "{log:?}");
}

#[tokio::test]
async fn what_is_taken_is_in_the_log_by_its_role_on_sqlite() {
    what_is_taken_is_in_the_log_by_its_role(sqlite_file().await).await;
}

#[tokio::test]
async fn what_is_taken_is_in_the_log_by_its_role_on_postgres() {
    what_is_taken_is_in_the_log_by_its_role(postgres().await).await;
}

#[tokio::test]
async fn a_missing_key_keeps_the_work_of_nobody_else_back_on_sqlite() {
    a_missing_key_keeps_the_work_of_nobody_else_back(sqlite_file().await).await;
}

#[tokio::test]
async fn a_missing_key_keeps_the_work_of_nobody_else_back_on_postgres() {
    a_missing_key_keeps_the_work_of_nobody_else_back(postgres().await).await;
}

#[tokio::test]
async fn what_nobody_can_take_does_not_pause_the_intake_on_sqlite() {
    what_nobody_can_take_does_not_pause_the_intake(sqlite_file().await).await;
}

#[tokio::test]
async fn what_nobody_can_take_does_not_pause_the_intake_on_postgres() {
    what_nobody_can_take_does_not_pause_the_intake(postgres().await).await;
}
