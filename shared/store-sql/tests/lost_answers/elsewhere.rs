//! The schema is what the settings say, whatever other schemas there are.

use domain::access::TenantScope;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};
use store::StoreError;
use store::conformance::fixture::{T0, job};
use store::jobs::JobStore as _;
use store_sql::{SqlStore, StoreOptions};
use testkit::database::{options, postgres_database};

fn in_schema(url: &str, schema: &str) -> StoreOptions {
    StoreOptions { schema: schema.to_owned(), ..options(url, &[]) }
}

async fn tables_in(url: &str, schema: &str) -> i64 {
    let mut connection = PgConnection::connect(url).await.expect("the server answers");
    let count = sqlx::query("SELECT count(*) FROM pg_tables WHERE schemaname = $1").bind(schema);
    connection.fetch_one(count).await.expect("the server answers").get(0)
}

#[tokio::test]
async fn a_schema_named_like_the_user_hides_nothing() {
    let url = postgres_database().await;
    let store = SqlStore::connect(&options(&url, &[])).await.expect("a new database can be opened");
    let new = job();
    store.enqueue(std::slice::from_ref(&new), T0).await.expect("enqueue works");
    let mut connection = PgConnection::connect(&url).await.expect("the server answers");
    let make = "DO $$ BEGIN EXECUTE format('CREATE SCHEMA %I', current_user); END $$";
    connection.execute(make).await.expect("the role may make schemas");
    let again = SqlStore::connect(&options(&url, &[])).await.expect("the database is there");
    assert!(again.job(&TenantScope::All, new.id).await.expect("jobs can be read").is_some());
    let user: String = connection.fetch_one("SELECT current_user::text").await.expect("it answers").get(0);
    assert_eq!(tables_in(&url, &user).await, 0, "nothing was made beside the store");
}

#[tokio::test]
async fn a_store_in_another_schema_is_named_and_no_second_one_is_made() {
    let url = postgres_database().await;
    let store = SqlStore::connect(&in_schema(&url, "My jobs")).await.expect("the schema is made");
    let new = job();
    store.enqueue(std::slice::from_ref(&new), T0).await.expect("enqueue works");
    assert!(tables_in(&url, "My jobs").await > 10);
    let refused = SqlStore::connect(&options(&url, &[])).await;
    let Err(StoreError::Elsewhere { wanted, found }) = refused else {
        panic!("a second store was made: {refused:?}");
    };
    assert_eq!((wanted.as_str(), found.as_str()), ("public", "My jobs"));
    assert_eq!(tables_in(&url, "public").await, 0);
    let again = SqlStore::connect(&in_schema(&url, "My jobs")).await.expect("it is there");
    assert!(again.job(&TenantScope::All, new.id).await.expect("jobs can be read").is_some());
}
