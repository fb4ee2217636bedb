//! The connections of a store: where to read, where to write, and how a transaction begins.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::ConnectionTrait as _;
use store::batches::BatchEntry;
use store::{StoreError, StoreResult};

use crate::autocommit::{AutocommitPool, ReplicaSlot};
use crate::batches::mark::mark;
use crate::dialect::Dialect;
use crate::errors::classify_sqlx;
use crate::link::Lender;
use crate::sql::DatabaseTransaction;
use crate::writes::{Mark, Writes};

/// What begins a transaction on SQLite: it takes the write lock at once. One that starts by reading could not be
/// upgraded when another has written meanwhile.
const SQLITE_BEGIN: &str = "BEGIN IMMEDIATE";

/// Connections of one store.
///
/// PostgreSQL has one pool for reading and writing. A SQLite file has one writing connection and several that only read; a
/// database in memory has one connection for everything, so nobody may ask for a connection while holding a
/// transaction. Lists, counts and figures have connections of their own, but in memory.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    dialect: Dialect,
    /// What begins a transaction, and sets it up where a pooler lends the connections out by transaction.
    begin: Arc<str>,
    write: AutocommitPool,
    read: AutocommitPool,
    lists: AutocommitPool,
    /// The same, from the replica where there is one.
    delayed_lists: AutocommitPool,
    replica: ReplicaSlot,
    /// How long a list may take.
    lists_within: Duration,
    writes: Writes,
    /// What each transaction marks as changed before anything else.
    entry: Option<BatchEntry>,
}

/// Connections for lists.
#[derive(Debug)]
pub(crate) struct Lists {
    /// The connections.
    pub(crate) lender: Lender,
    /// What begins a transaction where a pooler lends them out by transaction.
    pub(crate) shared_begin: Option<Arc<str>>,
    /// Whether a statement ends when whoever asked leaves.
    pub(crate) is_left: bool,
    /// How long a list may take.
    pub(crate) within: Duration,
}

impl Pool {
    /// Connections to a file or a database in memory.
    pub(crate) fn sqlite(write: Lender, read: Lender, lists: Lists) -> Self {
        Self::new(Dialect::Sqlite, SQLITE_BEGIN.into(), false, (write, read, lists))
    }

    /// Connections to PostgreSQL. `begin` is what begins a transaction.
    pub(crate) fn postgres(lender: Lender, lists: Lists, begin: Arc<str>, is_shared: bool) -> Self {
        Self::new(Dialect::Postgres, begin, is_shared, (lender.clone(), lender, lists))
    }

    fn new(
        dialect: Dialect,
        begin: Arc<str>,
        is_shared: bool,
        (write, read, of_lists): (Lender, Lender, Lists),
    ) -> Self {
        let writes = Writes::default();
        let shared_begin = is_shared.then(|| Arc::clone(&begin));
        let read = AutocommitPool::reading(read, dialect, shared_begin.clone());
        let write = AutocommitPool::writing(write, dialect, shared_begin, writes.clone());
        let lists = AutocommitPool::reading(of_lists.lender, dialect, of_lists.shared_begin);
        let lists = if of_lists.is_left { lists.that_is_left() } else { lists };
        let replica = ReplicaSlot::default();
        let delayed_lists = lists.clone().with_replica(replica.clone());
        let lists_within = of_lists.within;
        Self { dialect, begin, write, read, lists, delayed_lists, replica, lists_within, writes, entry: None }
    }

    /// The same connections, whose writes are counted together with those of another pool on the same database.
    pub(crate) fn counted_with(self, other: &Self) -> Self {
        let writes = other.writes.clone();
        let write = self.write.counted_by(writes.clone());
        Self { write, writes, ..self }
    }

    /// The same connections, whose transactions mark an entry of a batch as changed.
    pub(crate) fn with_entry(&self, entry: BatchEntry) -> Self {
        Self { entry: Some(entry), ..self.clone() }
    }

    /// The database's dialect.
    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// For reads outside a transaction. A read whose connection breaks is repeated on another one.
    pub(crate) fn read(&self) -> &AutocommitPool {
        &self.read
    }

    /// For lists, counts and figures that people and machines look at: connections of their own, on which a statement has
    /// a short deadline and ends when whoever asked leaves. A read whose connection breaks is repeated on another one.
    pub(crate) fn lists(&self) -> &AutocommitPool {
        &self.lists
    }

    /// The same for lists that only people and machines outside look at: from the replica where there is one, so that they may
    /// lack what was written a moment ago. Nothing that is decided here rests on them.
    pub(crate) fn delayed_lists(&self) -> &AutocommitPool {
        &self.delayed_lists
    }

    /// The replica.
    pub(crate) fn replica(&self) -> &ReplicaSlot {
        &self.replica
    }

    /// Reads a list of several statements, which together have as long as each of them alone.
    pub(crate) async fn listed<T>(&self, reading: impl Future<Output = StoreResult<T>>) -> StoreResult<T> {
        match tokio::time::timeout(self.lists_within, reading).await {
            Ok(listed) => listed,
            Err(elapsed) => Err(StoreError::Unavailable { source: Box::new(elapsed) }),
        }
    }

    /// For single writing statements outside a transaction.
    pub(crate) fn write(&self) -> &AutocommitPool {
        &self.write
    }

    /// Begins a transaction that writes.
    pub(crate) async fn begin(&self) -> StoreResult<DatabaseTransaction> {
        let _write = self.writes.enter();
        let begun = self.try_begin().await;
        // On SQLite a connection that is inside a transaction already refuses, and is closed; on another one it works.
        let begun = match begun {
            Err(error) if self.dialect == Dialect::Sqlite && is_nested(&error) => self.try_begin().await,
            begun => begun,
        };
        let transaction = begun.map_err(|error| classify_sqlx("begin", error))?;
        if let Some(entry) = &self.entry
            && let Err(error) = mark(&transaction, entry).await
        {
            rollback(transaction).await;
            return Err(error);
        }
        Ok(transaction)
    }

    async fn try_begin(&self) -> Result<DatabaseTransaction, sqlx::Error> {
        let lent = self.write.lender().lend().await?;
        DatabaseTransaction::begin(lent, self.dialect, Arc::clone(&self.begin)).await
    }

    /// Where the database stands, to be taken before a read whose answer is to be remembered. `None` while somebody
    /// writes, and on PostgreSQL, where others write, too.
    pub(crate) fn mark(&self) -> Option<Mark> {
        if self.dialect != Dialect::Sqlite {
            return None;
        }
        let mark = self.writes.mark();
        // Whoever took the only writing connection since the mark is counted once more when he has it.
        self.write.lender().has_idle().then_some(mark)
    }

    /// Whether nothing was written through these connections since then.
    pub(crate) fn is_unchanged_since(&self, mark: Mark) -> bool {
        self.writes.mark() == mark
    }

    /// How many connections are open: those that lie idle, and those that are lent.
    pub(crate) fn connections(&self) -> (usize, usize) {
        let mut lenders = vec![self.write.lender(), self.lists.lender()];
        // On PostgreSQL one pool is for both.
        if self.dialect == Dialect::Sqlite {
            lenders.push(self.read.lender());
        }
        let each = lenders.into_iter().map(Lender::connections);
        each.fold((0, 0), |(idle, busy), (more_idle, more_busy)| (idle + more_idle, busy + more_busy))
    }

    /// Closes all connections.
    pub(crate) async fn close(&self) {
        self.replica.close().await;
        self.lists.lender().close().await;
        self.read.lender().close().await;
        self.write.lender().close().await;
    }
}

/// Whether SQLite refused to begin a transaction because there is one.
fn is_nested(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(error) if error.code().is_some_and(|code| code == "1"))
}

/// Commits a transaction.
pub(crate) async fn commit(transaction: DatabaseTransaction) -> StoreResult<()> {
    transaction.commit().await
}

/// Commits a transaction that makes the change of the present call, with the lines of the audit log that record it.
pub(crate) async fn commit_change(transaction: DatabaseTransaction) -> StoreResult<()> {
    let dialect = Dialect::of(transaction.get_database_backend());
    crate::audit::append(&transaction, dialect, &store::audit::take_lines()).await?;
    transaction.commit().await
}

/// Undoes a transaction. A failure to do so is none: the database undoes it when the connection goes.
pub(crate) async fn rollback(transaction: DatabaseTransaction) {
    transaction.rollback().await;
}
