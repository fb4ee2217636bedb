//! A store on a new PostgreSQL database, with the proxy in between.

use std::sync::Arc;
use std::time::Duration;

use store_sql::{Pooler, SqlStore, StoreOptions};
use testkit::database::{options, postgres_database};
use testkit::pg_proxy::PgProxy;

/// How long a statement of these stores may take.
pub(crate) const STATEMENT: Duration = Duration::from_secs(4);

/// No case waits longer for anything.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);

/// A store behind a proxy.
pub(crate) struct Behind {
    pub(crate) store: Arc<SqlStore>,
    pub(crate) proxy: PgProxy,
    /// The database without the proxy.
    pub(crate) url: String,
}

impl Behind {
    pub(crate) async fn new() -> Self {
        let url = postgres_database().await;
        let proxy = PgProxy::start(&url).await;
        let store = SqlStore::connect(&short(&proxy.url())).await.expect("a new database can be opened");
        Self { store, proxy, url }
    }

    /// Another store on the same database, past the proxy.
    pub(crate) async fn direct(&self) -> Arc<SqlStore> {
        SqlStore::connect(&options(&self.url, &[])).await.expect("the database is there")
    }
}

/// The options of a store with short deadlines.
pub(crate) fn short(url: &str) -> StoreOptions {
    StoreOptions { statement_timeout: STATEMENT, pooler: Pooler::Session, ..options(url, &[]) }
}
