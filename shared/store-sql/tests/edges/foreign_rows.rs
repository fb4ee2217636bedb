//! Rows that no version of Trunkline writes: the error names them. A database in memory cannot be written from
//! beside the store.

use sqlx::Connection as _;
use store::StoreError;
use store::conformance::fixture::{T0, id};
use store::executions::{ExecutionStore as _, InboxEntry};
use testkit::database::TestStore;

use crate::fixture::{ALL, with_leased_node};

#[tokio::test]
async fn are_named_on_a_sqlite_file() {
    are_named(&testkit::database::sqlite_file().await).await;
}

#[tokio::test]
async fn are_named_on_postgres() {
    are_named(&testkit::database::postgres().await).await;
}

/// Runs a statement beside the store.
async fn tamper(test: &TestStore, statement: &'static str) {
    if test.store.is_postgres() {
        let mut connection = sqlx::PgConnection::connect(&test.url)
            .await
            .expect("the server answers");
        sqlx::query(statement)
            .execute(&mut connection)
            .await
            .expect("the statement is valid");
    } else {
        let mut connection = sqlx::SqliteConnection::connect(&test.url)
            .await
            .expect("the file is there");
        sqlx::query(statement)
            .execute(&mut connection)
            .await
            .expect("the statement is valid");
    }
}

async fn are_named(test: &TestStore) {
    let store = &test.store;
    let (new, ..) = with_leased_node(store).await;
    tamper(test, "UPDATE execution SET status = 'UNHEARD_OF'").await;
    match store.execution(&ALL, new.id).await {
        Err(StoreError::Corrupt { table, column, row }) => {
            assert_eq!(
                (table, column, row),
                ("execution", "status", new.id.uuid().to_string())
            );
        }
        other => panic!("expected a fault that names the row, got {other:?}"),
    }
    tamper(test, "UPDATE execution SET status = 'RUNNING', error = 'no json'").await;
    match store.execution_detail(&ALL, new.id).await {
        Err(StoreError::Corrupt { column, .. }) => assert_eq!(column, "error"),
        other => panic!("expected a fault that names the row, got {other:?}"),
    }
    assert!(
        store
            .append_command(&ALL, id(), &InboxEntry::Retry, T0)
            .await
            .is_ok(),
        "others are not concerned"
    );
}
