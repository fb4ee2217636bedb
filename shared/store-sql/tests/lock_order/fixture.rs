//! A store with nodes, a session that holds rows, and a look at who waits with what.

use std::time::Duration;

use domain::id::JobId;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};
use testkit::database::{self, TestStore};
use testkit::eventually;

/// A safety net for what must not wait: it is far longer than any of it takes.
const AT_ONCE: Duration = Duration::from_secs(15);

/// A session that holds rows of jobs, as one that is being changed elsewhere or whose client stands still.
pub(crate) struct Holder {
    session: PgConnection,
    watcher: PgConnection,
    id: i32,
}

impl Holder {
    /// Locks jobs.
    pub(crate) async fn of(store: &TestStore, jobs: &[JobId]) -> Self {
        let mut session = PgConnection::connect(&store.url).await.expect("the server answers");
        let watcher = PgConnection::connect(&store.url).await.expect("the server answers");
        session.execute("BEGIN").await.expect("a transaction begins");
        for job in jobs {
            let lock = sqlx::query("SELECT id FROM job WHERE id = $1 FOR UPDATE").bind(job.uuid());
            lock.fetch_one(&mut session).await.expect("the job is there");
        }
        let id =
            sqlx::query("SELECT pg_backend_pid()").fetch_one(&mut session).await.expect("answers").get(0);
        Self { session, watcher, id }
    }

    /// Waits until somebody waits for these rows, and answers whether any of those has written to the table of the
    /// rows that serialise claims: the lock of the table is kept until the end of the transaction that took it.
    pub(crate) async fn waiters_hold_the_claim(&mut self) -> bool {
        let (watcher, id) = (tokio::sync::Mutex::new(&mut self.watcher), self.id);
        eventually("somebody waits for the job", || async {
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))";
            let count: i64 = sqlx::query(waiting)
                .bind(id)
                .fetch_one(&mut **watcher.lock().await)
                .await
                .expect("answers")
                .get(0);
            count > 0
        })
        .await;
        let held = sqlx::query(
            "SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
             WHERE c.relname = 'queue_claim' AND l.granted AND l.mode = 'RowExclusiveLock'
               AND $1 = ANY(pg_blocking_pids(l.pid))",
        );
        let count: i64 = held.bind(id).fetch_one(&mut self.watcher).await.expect("locks can be read").get(0);
        count > 0
    }

    /// Lets the rows go.
    pub(crate) async fn let_go(mut self) {
        self.session.execute("ROLLBACK").await.expect("a transaction ends");
    }
}

/// Fails the test if this waits.
pub(crate) async fn at_once<T>(what: &str, call: impl Future<Output = T>) -> T {
    let answer = tokio::time::timeout(AT_ONCE, call).await;
    answer.unwrap_or_else(|_| panic!("{what} waits for a job that is held elsewhere"))
}

/// How many circles of waiting the server has broken in the database. The store is closed, because sessions report
/// when they end.
pub(crate) async fn deadlocks(store: &TestStore) -> i64 {
    store::Store::close(&*store.store).await;
    let mut watcher = database::last_session(&store.url).await;
    let figure = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    sqlx::query(figure).fetch_one(&mut watcher).await.expect("figures are kept").get(0)
}

/// A store on a new PostgreSQL database.
pub(crate) async fn store() -> TestStore {
    database::postgres().await
}
