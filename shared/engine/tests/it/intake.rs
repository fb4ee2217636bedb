//! Work that applications committed in SQL, taken by processes of which not all have all keys.

use domain::names::TenantName;
use domain::time::DurationMs;
use engine::{IntakeStep, SealingKeys};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqliteConnection};
use store::jobs::JobFilter;
use store::page::PageRequest;
use testkit::EngineHarness;
use testkit::database::{TestStore, postgres, sqlite_file};

const KEY: &str = "2026a:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// Puts rows into the intake, as the functions of applications do.
async fn commit(database: &TestStore, tenants: &[&str]) {
    for (index, tenant) in tenants.iter().enumerate() {
        let number = index + 1;
        let id = uuid::Uuid::from_u128((0x7 << 76) | (0x8 << 60) | number as u128);
        let text = format!(
            "INSERT INTO intake (position, kind, subject, tenant, role, name, options, data, created_at)
             VALUES ({number}, 'enqueue', {}, '{tenant}', 'shop', 'mail', '{{}}', '{number}', 0)",
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
    let page = PageRequest { limit: 10, after: None };
    let listed = node.engine.list_jobs(&node.admin(), &JobFilter::default(), page).await.unwrap();
    let mut tenants: Vec<String> = listed.items.iter().map(|job| job.tenant.to_string()).collect();
    tenants.sort();
    tenants
}

async fn a_missing_key_keeps_the_work_of_nobody_else_back(database: TestStore) {
    let harness = EngineHarness::new(database.store.clone());
    let (admin, acme) = (harness.admin(), TenantName::trusted("acme"));
    let keys = || SealingKeys::parse([KEY]).unwrap();
    let with = harness.node_with_keys(2, keys());
    with.engine.create_tenant(&admin, &acme).await.unwrap();
    with.engine.set_tenant_encryption(&admin, &acme, true).await.unwrap();
    commit(&database, &["acme", "plain", "acme", "plain"]).await;
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

#[tokio::test]
async fn a_missing_key_keeps_the_work_of_nobody_else_back_on_sqlite() {
    a_missing_key_keeps_the_work_of_nobody_else_back(sqlite_file().await).await;
}

#[tokio::test]
async fn a_missing_key_keeps_the_work_of_nobody_else_back_on_postgres() {
    a_missing_key_keeps_the_work_of_nobody_else_back(postgres().await).await;
}
