//! Lists come from a replica while it can be used, and from the primary otherwise. Another database with the same nonce stands
//! for the replica here: what is in it shows where a list came from, and its log is the primary's own.

use std::sync::Arc;
use std::time::Duration;

use domain::access::TenantScope;
use domain::id::JobId;
use domain::queue::Tier;
use domain::search::SearchList;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use store::conformance::fixture::{T0, enqueue, jobs, search};
use store::jobs::JobStore as _;
use store::search::{SearchPage, SearchStore as _, that_may_lag};
use store::{Store as _, StoreError};
use store_sql::{ReplicaOptions, SqlStore};
use testkit::database::{migrated, options, postgres_database, sqlite_file};
use testkit::eventually;
use tokio::sync::Mutex;

const PAGE: SearchPage = SearchPage { limit: 10, after: None };

/// A database and a copy of it with one job more.
struct Pair {
    primary: Arc<SqlStore>,
    copy: Arc<SqlStore>,
    copy_url: String,
    /// At neither of them.
    admin: PgConnection,
}

impl Pair {
    async fn new() -> Self {
        let url = postgres_database().await;
        migrated(&url).await;
        let (server, name) = url.rsplit_once('/').expect("the URL names a database");
        let admin = PgConnection::connect(&format!("{server}/postgres")).await.expect("the server answers");
        let (admin, copy) = (Mutex::new(admin), format!("CREATE DATABASE {name}_copy TEMPLATE {name}"));
        // Sessions that were closed a moment ago may not have ended.
        eventually("the database can be copied", || async {
            admin.lock().await.execute(AssertSqlSafe(copy.clone())).await.is_ok()
        })
        .await;
        let admin = admin.into_inner();
        let copy_url = format!("{url}_copy");
        let open = async |url: &str| SqlStore::connect(&options(url, &[])).await.expect("it can be opened");
        let (primary, copy) = (open(&url).await, open(&copy_url).await);
        enqueue(copy.as_ref(), &jobs(1, "copy", Tier::Normal)).await;
        Self { primary, copy, copy_url, admin }
    }

    fn replica(&self) -> ReplicaOptions {
        ReplicaOptions { url: self.copy_url.clone(), lag_max: Duration::from_mins(1) }
    }

    /// The jobs that the primary's store finds for a list.
    async fn listed(&self) -> Vec<JobId> {
        let all = search(SearchList::Jobs, "");
        let found = that_may_lag(self.primary.search(&TenantScope::All, &all, PAGE)).await;
        let places = found.expect("a list is answered").places;
        places.into_iter().map(|place| JobId::from_uuid(place.id)).collect()
    }

    async fn run(&mut self, text: String) {
        self.admin.execute(AssertSqlSafe(text)).await.expect("the role may do it");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_come_from_a_replica_and_from_the_primary_while_it_is_away() {
    let mut pair = Pair::new().await;
    assert_eq!(pair.listed().await, []);
    pair.primary.read_from(&pair.replica()).expect("it is an address");
    eventually("the replica is used", || async { pair.primary.reads_from_replica() }).await;
    let listed = pair.listed().await;
    assert_eq!(listed.len(), 1, "the copy's");
    let single = pair.primary.job(&TenantScope::All, listed[0]).await.expect("it is answered");
    assert!(single.is_none(), "one object is read from the primary");
    let claim = store::conformance::fixture::claim_nodes(pair.primary.as_ref(), 1, T0).await;
    assert!(claim.is_empty(), "claims are made on the primary");

    // It goes away under the next list, which is answered all the same.
    pair.copy.close().await;
    let name = pair.copy_url.rsplit_once('/').map_or("", |(_, name)| name).to_owned();
    pair.run(format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false")).await;
    pair.run(format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"))
        .await;
    assert_eq!(pair.listed().await, [], "the primary's");
    eventually("the replica is not used", || async { !pair.primary.reads_from_replica() }).await;
    pair.run(format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true")).await;
    eventually("it is used again", || async { pair.primary.reads_from_replica() }).await;
    assert_eq!(pair.listed().await.len(), 1);
    pair.primary.close().await;
    assert!(!pair.primary.reads_from_replica());
}

/// Another store is no replica, and neither is one that is too far behind.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_not_close_behind_is_not_read() {
    let pair = Pair::new().await;
    let mut other = PgConnection::connect(&pair.copy_url).await.expect("it is there");
    other.execute("UPDATE store_state SET nonce = nonce + 1").await.expect("it is a store");
    pair.primary.read_from(&pair.replica()).expect("it is an address");
    // Its first looks are over when this one's is, which begins later.
    let late = SqlStore::connect(&options(&pair.copy_url, &[])).await.expect("it can be opened");
    late.read_from(&pair.replica()).expect("it is an address");
    eventually("a store can be its own replica", || async { late.reads_from_replica() }).await;
    assert!(!pair.primary.reads_from_replica());
    assert_eq!(pair.listed().await, []);
    let never = SqlStore::connect(&options(&pair.copy_url, &[])).await.expect("it can be opened");
    never.read_from(&ReplicaOptions { lag_max: Duration::ZERO, ..pair.replica() }).expect("an address");
    let again = SqlStore::connect(&options(&pair.copy_url, &[])).await.expect("it can be opened");
    again.read_from(&pair.replica()).expect("it is an address");
    eventually("a later one is used", || async { again.reads_from_replica() }).await;
    assert!(!never.reads_from_replica(), "it is always a moment behind");
    let file = sqlite_file().await;
    let refused = file.read_from(&pair.replica()).expect_err("there are none of a file");
    assert!(matches!(refused, StoreError::Url { .. }), "{refused:?}");
}
