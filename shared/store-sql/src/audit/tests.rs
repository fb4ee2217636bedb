//! Lines and the work that they record stand or fall together, whichever of the two the database refuses.

use domain::access::TenantScope;
use domain::names::CallerKey;
use domain::queue::Tier;
use domain::time::{DurationMs, Timestamp};
use sea_orm::ConnectionTrait as _;
use store::audit::{AuditRecord, AuditStore as _, with_line};
use store::conformance::fixture::{T0, execution, id, job, listed_jobs, version};
use store::executions::ExecutionStore as _;
use store::jobs::{JobStore as _, NewJob};
use store::workflows::WorkflowStore as _;
use testkit::database::postgres_database;

use crate::SqlStore;
use crate::dialect::Dialect;
use crate::jobs::plans::open_empty;

const ALL: TenantScope = TenantScope::All;

fn line() -> AuditRecord {
    AuditRecord {
        id: id(),
        at: T0,
        actor: "key_1".to_owned(),
        tenant: None,
        action: "job.enqueue".to_owned(),
        subject: "x".to_owned(),
        detail: None,
        door: None,
        address: None,
        user_agent: None,
        request_id: None,
        outcome: None,
        reason: None,
        before: None,
        after: None,
        batch: None,
    }
}

/// Has the database refuse rows of a table.
async fn refuse(store: &SqlStore, table: &str) {
    let statements = match store.dialect() {
        Dialect::Postgres => vec![
            "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN RAISE EXCEPTION 'refused'; END $$"
                .to_owned(),
            format!(
                "CREATE TRIGGER refuse_{table} BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()"
            ),
        ],
        Dialect::Sqlite => vec![format!(
            "CREATE TRIGGER refuse_{table} BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )],
    };
    for statement in statements {
        let made = store.pool().write().execute_unprepared(&statement).await;
        made.expect("the role may change its tables");
    }
}

async fn allow(store: &SqlStore, table: &str) {
    let of = if store.dialect() == Dialect::Postgres { format!("ON {table}") } else { String::new() };
    let dropped = store.pool().write().execute_unprepared(&format!("DROP TRIGGER refuse_{table} {of}")).await;
    dropped.expect("the role may change its tables");
}

/// How many jobs there are, and how many lines.
async fn rows(store: &SqlStore) -> (usize, usize) {
    let jobs = listed_jobs(store, &ALL, "").await;
    store.seal_audit(Timestamp(0), 100).await.expect("rows can be sealed");
    let lines = store.audit_in_order(&ALL, &[], 0, 100).await.expect("the log can be read");
    (jobs.len(), lines.len())
}

async fn stand_or_fall_together(url: String) {
    let store = open_empty(url).await;
    store.register_workflow(&version("w")).await.expect("register works");
    // By the statement for jobs that are alike, by the one for all kinds, and by a transaction.
    let batches = [
        vec![job()],
        vec![job(), NewJob { tier: Tier::Low, ..job() }],
        vec![NewJob { unique_key: Some(CallerKey::trusted("k")), ..job() }],
    ];
    for table in ["job", "audit"] {
        refuse(&store, table).await;
        for jobs in &batches {
            let (refused, _) = with_line(&line(), store.enqueue(jobs, T0)).await;
            refused.expect_err("the table refuses it");
        }
        let new = [execution("w")];
        let (refused, _) = with_line(&line(), store.create_executions(&new, T0)).await;
        refused.expect_err("the table refuses it");
        allow(&store, table).await;
        assert_eq!(rows(&store).await, (0, 0), "{table} refused");
    }
    for (second, jobs) in (0..).zip(&batches) {
        // Lines of one second would be one in the chain.
        let line = AuditRecord { at: T0.plus(DurationMs::from_secs(second)), ..line() };
        let (enqueued, is_written) = with_line(&line, store.enqueue(jobs, T0)).await;
        enqueued.expect("nothing is in the way");
        assert!(is_written);
    }
    assert_eq!(rows(&store).await, (4, 3));
}

#[tokio::test]
async fn lines_and_work_stand_or_fall_together_on_sqlite() {
    stand_or_fall_together("sqlite::memory:".to_owned()).await;
}

#[tokio::test]
async fn lines_and_work_stand_or_fall_together_on_postgres() {
    stand_or_fall_together(postgres_database().await).await;
}
