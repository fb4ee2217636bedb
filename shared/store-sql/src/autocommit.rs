//! Statements that are a transaction each, on whichever connection is free.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use async_trait::async_trait;
use parking_lot::Mutex;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, Statement};
use sqlx::postgres::{PgArguments, PgRow};
use tokio::task::AbortHandle;

use crate::dialect::Dialect;
use crate::errors::{conn_error, exec_error, is_broken_connection, is_too_late, query_error};
use crate::link::{Answer, Lender, Lent, Work, uninterrupted};
use crate::writes::Writes;

/// Connections for single statements.
#[derive(Debug, Clone)]
pub(crate) struct AutocommitPool {
    lender: Lender,
    dialect: Dialect,
    /// What begins a transaction where a pooler lends the connections out by transaction, so that each statement needs one.
    shared_begin: Option<Arc<str>>,
    /// Counts what writes; `None` where statements only read. They are repeated on another connection when theirs breaks.
    writes: Option<Writes>,
    /// Whether a statement ends when whoever asked leaves.
    is_left: bool,
    /// What is asked first, while it can be.
    replica: Option<ReplicaSlot>,
}

impl AutocommitPool {
    /// For statements that write.
    pub(crate) fn writing(
        lender: Lender,
        dialect: Dialect,
        shared_begin: Option<Arc<str>>,
        writes: Writes,
    ) -> Self {
        Self { lender, dialect, shared_begin, writes: Some(writes), is_left: false, replica: None }
    }

    /// For statements that only read.
    pub(crate) fn reading(lender: Lender, dialect: Dialect, shared_begin: Option<Arc<str>>) -> Self {
        Self { lender, dialect, shared_begin, writes: None, is_left: false, replica: None }
    }

    /// The same; a statement ends when whoever asked leaves.
    pub(crate) fn that_is_left(self) -> Self {
        Self { is_left: true, ..self }
    }

    /// The same; a replica is asked first, while it can be.
    pub(crate) fn with_replica(self, replica: ReplicaSlot) -> Self {
        Self { replica: Some(replica), ..self }
    }

    /// The same, counted by others.
    pub(crate) fn counted_by(self, writes: Writes) -> Self {
        Self { writes: Some(writes), ..self }
    }

    /// The connections themselves.
    pub(crate) fn lender(&self) -> &Lender {
        &self.lender
    }

    /// Runs a statement of PostgreSQL with values that the driver encoded.
    pub(crate) async fn encoded(&self, text: &'static str, values: PgArguments) -> Result<Vec<PgRow>, DbErr> {
        let is_kept = self.shared_begin.is_none();
        self.once(Work::Encoded(text, values, is_kept)).await.map(Answer::pg_rows)
    }

    /// Asks once.
    async fn once(&self, work: Work) -> Result<Answer, DbErr> {
        let _write = self.writes.as_ref().map(Writes::enter);
        let is_query = work.is_query();
        let mut lent = self.lend().await.map_err(conn_error)?;
        let (shared_begin, writes) = (self.shared_begin.clone(), self.writes.is_some());
        let asked = async move {
            if let Some(begin) = shared_begin {
                lent.begin(&begin).await?;
                let answer = lent.ask(work).await?;
                lent.commit().await?;
                return Ok(answer);
            }
            if writes { lent.write(work).await } else { lent.ask(work).await }
        };
        // Dropped half-way, it leaves a connection of which nothing is known: that ends the statement with its session.
        let answer = if self.is_left { asked.await } else { uninterrupted(asked).await };
        answer.map_err(if is_query { query_error } else { exec_error })
    }

    /// A connection outside of any transaction.
    async fn lend(&self) -> Result<Lent, sqlx::Error> {
        let lent = self.lender.lend().await?;
        if self.writes.is_none() || self.dialect == Dialect::Postgres {
            return Ok(lent);
        }
        if let Some(lent) = outside(lent).await {
            return Ok(lent);
        }
        outside(self.lender.lend().await?).await.ok_or(sqlx::Error::BeginFailed)
    }

    /// Asks, and once more where nothing is written and it was for the connection that it failed.
    async fn rows(&self, work: impl Fn(Statement) -> Work, statement: Statement) -> Result<Answer, DbErr> {
        if self.writes.is_some() {
            return self.once(work(statement)).await;
        }
        if let Some((slot, replica)) = self.replica.as_ref().and_then(|slot| Some((slot, slot.in_use()?))) {
            match replica.once(work(statement.clone())).await {
                // It took as long as a list may.
                Err(error) if is_too_late(&error) => return Err(error),
                Err(error) => {
                    tracing::debug!(
                        error = &error as &dyn std::error::Error,
                        "the replica did not answer a list query"
                    );
                    slot.leave();
                }
                answer => return answer,
            }
        }
        match self.once(work(statement.clone())).await {
            Err(error) if is_broken_connection(&error) => self.once(work(statement)).await,
            answer => answer,
        }
    }
}

#[async_trait]
impl ConnectionTrait for AutocommitPool {
    fn get_database_backend(&self) -> DbBackend {
        self.dialect.backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.once(Work::Run(statement)).await.and_then(Answer::done)
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.once(Work::Plain(sql.into())).await.and_then(Answer::done)
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        Ok(self.rows(Work::First, statement).await?.rows().into_iter().next())
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.rows(Work::All, statement).await.map(Answer::rows)
    }
}

/// The connection, if it is outside of any transaction.
async fn outside(mut lent: Lent) -> Option<Lent> {
    uninterrupted(async move { lent.is_outside().await.then_some(lent) }).await
}

/// Where the replica is, once there is one.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplicaSlot(pub(super) Arc<OnceLock<Replica>>);

#[derive(Debug)]
pub(super) struct Replica {
    pub(super) lists: AutocommitPool,
    pub(super) use_until: Arc<Mutex<Option<Instant>>>,
    pub(super) watch: AbortHandle,
}

impl ReplicaSlot {
    /// Its connections, while it can be read from.
    pub(crate) fn in_use(&self) -> Option<&AutocommitPool> {
        let replica = self.0.get()?;
        let until = *replica.use_until.lock();
        until.is_some_and(|until| Instant::now() < until).then_some(&replica.lists)
    }

    /// It has failed: the primary is asked until the next look.
    pub(crate) fn leave(&self) {
        if let Some(replica) = self.0.get() {
            *replica.use_until.lock() = None;
        }
    }

    /// Closes its connections.
    pub(crate) async fn close(&self) {
        if let Some(replica) = self.0.get() {
            replica.watch.abort();
            self.leave();
            replica.lists.lender().close().await;
        }
    }
}
