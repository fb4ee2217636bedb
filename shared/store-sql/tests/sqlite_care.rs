//! Care for a SQLite file: free space is given back in steps, and its log is emptied, unless a reader holds it.

use domain::sqlite_maintenance::FileBounds;
use sqlx::{Connection as _, SqliteConnection};
use store::conformance::fixture::{T0, after_secs, claim_nodes, complete, enqueue, jobs};
use store::conformance::operations::keep_all;
use store::jobs::NewJob;
use store::operations::{FileReport, LogState, OperationsStore as _, Retention};
use testkit::database::{TestStore, postgres, sqlite_file, sqlite_memory};

const BOUNDS: FileBounds = FileBounds { log_bytes_max: 100_000, free_pages_min: 10, step_pages: 20 };

/// Makes and removes jobs that take about a megabyte.
async fn come_and_go(test: &TestStore) {
    let store = test.store.as_ref();
    let large = |job| NewJob { data: format!("\"{}\"", "x".repeat(20_000)), ..job };
    let batch: Vec<NewJob> = jobs(100, "a", domain::queue::Tier::Normal).into_iter().map(large).collect();
    enqueue(store, &batch).await;
    for job in claim_nodes(store, 100, T0).await {
        complete(store, &job, T0).await;
    }
    let retention = Retention { completed_before: after_secs(9), ..keep_all() };
    assert_eq!(store.prune(&retention, 200).await.expect("prune works"), 100);
}

async fn tend(test: &TestStore) -> FileReport {
    test.store.compact_file(&BOUNDS).await.expect("care works").expect("it is a file of ours")
}

#[tokio::test]
async fn free_space_is_given_back_in_steps() {
    for test in [sqlite_file().await, sqlite_memory().await] {
        come_and_go(&test).await;
        let before = tend(&test).await;
        assert!(before.figures.free_pages > 200, "{before:?}");
        assert_eq!((before.pages_freed, before.has_more), (20, true));
        let mut last = tend(&test).await;
        assert_eq!(last.figures.pages, before.figures.pages - 20, "a step is as long as it may be");
        for _ in 0..100 {
            last = tend(&test).await;
        }
        assert_eq!((last.pages_freed, last.has_more), (0, false), "{last:?}");
        assert!(last.figures.pages < before.figures.pages / 2, "{last:?}");
        assert!(last.figures.free_pages <= 10.max(last.figures.pages / 8), "{last:?}");
    }
}

#[tokio::test]
async fn a_log_that_has_grown_is_emptied() {
    let test = sqlite_file().await;
    come_and_go(&test).await;
    let grown = tend(&test).await;
    assert!(grown.figures.log_bytes > BOUNDS.log_bytes_max, "{grown:?}");
    assert_eq!(grown.log, LogState::Emptied);
    let bounds = FileBounds { free_pages_min: u64::MAX, ..BOUNDS };
    let after = test.store.compact_file(&bounds).await.expect("care works").expect("a file");
    assert_eq!((after.figures.log_bytes, after.log), (0, LogState::Within));
}

#[tokio::test]
async fn a_reader_that_holds_the_log_is_reported() {
    let test = sqlite_file().await;
    let mut reader = SqliteConnection::connect(&test.url).await.expect("the file is there");
    let mut read = reader.begin().await.expect("a transaction can begin");
    sqlx::query("SELECT count(*) FROM job").execute(&mut *read).await.expect("a read works");
    come_and_go(&test).await;
    assert_eq!(tend(&test).await.log, LogState::Held);
    read.rollback().await.expect("a transaction can end");
    assert_eq!(tend(&test).await.log, LogState::Emptied, "as soon as it lets go");
}

#[tokio::test]
async fn postgres_looks_after_its_own_files() {
    let test = postgres().await;
    assert_eq!(test.store.compact_file(&BOUNDS).await.expect("answers"), None);
}
