//! A SQLite file has one owner at a time, and is made with what it needs.

use domain::access::TenantScope;
use domain::queue::QueueName;
use domain::time::Timestamp;
use sqlx::{Connection as _, Row as _, SqliteConnection};
use store::queues::QueueStore as _;
use store::{Store as _, StoreError};
use store_sql::SqlStore;
use testkit::database::{options, sqlite_file, sqlite_memory};

#[tokio::test]
async fn a_second_store_on_the_same_file_is_refused() {
    let database = sqlite_file().await;
    let second = SqlStore::connect(&options(&database.url, &[])).await;
    assert!(matches!(second, Err(StoreError::Locked { .. })), "{second:?}");
    database.store.ping().await.expect("the first is not disturbed");
}

#[tokio::test]
async fn a_file_that_holds_something_else_is_refused_and_left_as_it_is() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let file = directory.path().join("notes.db");
    let open = async || {
        let url = format!("sqlite://{}", file.display());
        SqlStore::connect(&options(&url, &[])).await
    };
    for text in ["notes", &"a longer text than the head of a database\n".repeat(200)] {
        std::fs::write(&file, text).expect("it can be written");
        let refused = open().await.expect_err("it is no database");
        assert!(matches!(refused, StoreError::NotADatabase { .. }), "{refused:?}");
        assert!(refused.to_string().contains("notes.db is not a SQLite database"), "{refused}");
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), text);
    }
    std::fs::write(&file, "").expect("it can be written");
    open().await.expect("an empty file is a new database");
}

#[tokio::test]
async fn the_lock_goes_with_the_store_and_not_before_its_companions() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let url = format!("sqlite://{}", directory.path().join("deep/down/trunkline.db").display());
    let store = SqlStore::connect(&options(&url, &[])).await.expect("directories are made");
    let companion = store.connect_companion(1).await.expect("a companion can be made");
    store.close().await;
    drop(store);
    assert!(matches!(SqlStore::connect(&options(&url, &[])).await, Err(StoreError::Locked { .. })));
    companion.ping().await.expect("the companion has connections of its own");
    drop(companion);
    SqlStore::connect(&options(&url, &[])).await.expect("nobody holds it any more");
}

#[tokio::test]
async fn a_new_file_can_give_space_back_and_waits_for_the_disk() {
    let database = sqlite_file().await;
    database.store.close().await;
    let path = database.url.trim_start_matches("sqlite://").to_owned();
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
    let mut connection = SqliteConnection::connect_with(&options).await.expect("the file is there");
    for (pragma, expected) in [("PRAGMA auto_vacuum", "2"), ("PRAGMA journal_mode", "wal")] {
        let row = sqlx::query(pragma).fetch_one(&mut connection).await.expect("pragmas can be read");
        let value = row
            .try_get::<String, _>(0)
            .or_else(|_| row.try_get::<i64, _>(0).map(|number| number.to_string()));
        assert_eq!(value.expect("a value"), expected, "{pragma}");
    }
}

#[tokio::test]
async fn a_companion_of_a_database_in_memory_is_the_same_database() {
    let database = sqlite_memory().await;
    let companion = database.store.connect_companion(1).await.expect("a companion can be made");
    let mode = store::queues::QueueMode::Draining;
    companion.set_queue_mode(QueueName::Node, mode, Timestamp(1)).await.expect("a write works");
    let figures = database.store.queue_figures(&TenantScope::All, QueueName::Node, Timestamp(1)).await;
    assert_eq!(figures.expect("a read works").mode, mode);
}
