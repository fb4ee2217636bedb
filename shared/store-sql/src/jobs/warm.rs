//! Connections that have planned the statements of the hot path before they are needed.
//!
//! A connection to PostgreSQL parses and plans a statement when it first executes it, which takes milliseconds, and tens of them
//! on a busy machine. Therefore each connection executes those statements once without effect: with their parameter types, and
//! without rows to write.

use domain::id::EventId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use futures::future::join_all;
use store::StoreResult;
use store::audit::AuditRecord;
use uuid::Uuid;

use super::claim::{claim_of_nothing, look_at_nothing};
use super::eager::enqueue_leased_of_nothing;
use super::enqueue_fast::enqueue_of_nothing;
use super::finish_fast::finish_of_nothing;
use crate::columns;
use crate::link::{Lent, Work, uninterrupted};
use crate::schema_name::Database;
use crate::store::SqlStore;

/// Number of connections prepared: for concurrent enqueues, claims, settlements and looks.
const CONNECTIONS: u32 = 4;

impl SqlStore {
    /// Opens a few connections to PostgreSQL and plans the statements of the hot path on each. Called at the start of a server.
    /// Writes nothing; a statement that fails is planned when it is needed.
    pub async fn warm_up(&self) {
        // Where a pooler lends connections out by transaction nothing stays prepared.
        if !matches!(self.database(), Database::Postgres { is_shared: false, .. }) {
            return;
        }
        let lender = self.pool().write().lender();
        // Together: one that was given back would be lent again in the place of another.
        let count = CONNECTIONS.min(self.opening().connections_max);
        let lent = join_all((0..count).map(|_| lender.lend())).await;
        let ready = join_all(lent.into_iter().map(|lent| async move { run_all(lent?).await })).await;
        for error in ready.into_iter().filter_map(Result::err) {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "a connection could not be prepared for the hot path"
            );
        }
    }
}

async fn run_all(mut lent: Lent) -> Result<(), sqlx::Error> {
    for work in works().into_iter().flatten() {
        lent = uninterrupted(async move { lent.write(work).await.map(|_| lent) }).await?;
    }
    Ok(())
}

fn works() -> [StoreResult<Work>; 5] {
    // Nothing is recorded of nothing.
    let line = AuditRecord {
        id: EventId::from_uuid(Uuid::nil()),
        at: Timestamp(0),
        actor: String::new(),
        tenant: None,
        action: String::new(),
        subject: String::new(),
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
    };
    let encoded = [
        enqueue_leased_of_nothing(&line),
        enqueue_of_nothing(&line),
        claim_of_nothing(QueueName::Node),
        finish_of_nothing(),
    ];
    let [leased, queued, claim, finish] = encoded.map(|(sql, arguments)| columns::work(sql, arguments));
    [leased, queued, claim, finish, Ok(look_at_nothing(QueueName::Node))]
}

#[cfg(test)]
mod tests {
    use sea_orm::{DbBackend, Statement};
    use testkit::database::postgres_database;

    use super::*;
    use crate::jobs::plans::open_empty;

    const PLANNED: &str =
        "SELECT count(*) FROM pg_prepared_statements WHERE generic_plans > 0 AND statement LIKE '%job%'";
    const WRITTEN: &str =
        "SELECT (SELECT count(*) FROM job) + (SELECT count(*) FROM job_done) + (SELECT count(*) FROM audit)
        + (SELECT sum(epoch)::bigint FROM queue_claim)";

    async fn number(on: &mut Lent, sql: &str) -> i64 {
        let sql = format!("SELECT ({sql}) AS number");
        let asked = on.ask(Work::All(Statement::from_string(DbBackend::Postgres, sql))).await;
        asked.expect("it can be asked").rows()[0].try_get("", "number").expect("it is a number")
    }

    #[tokio::test]
    async fn connections_have_plans_before_they_are_used_and_nothing_is_written() {
        let store = open_empty(postgres_database().await).await;
        let lender = store.pool().write().lender();
        let before = number(&mut lender.lend().await.expect("it is open"), WRITTEN).await;
        store.warm_up().await;
        for lent in join_all((0..2).map(|_| lender.lend())).await {
            let mut lent = lent.expect("it is open");
            assert!(number(&mut lent, PLANNED).await >= works().len() as i64);
            assert_eq!(number(&mut lent, WRITTEN).await, before);
        }
    }
}
